#include "scree/dynamics/search.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <unordered_map>
#include <utility>

#include "scree/collision/contacts.hpp"
#include "scree/dynamics/balancer.hpp"
#include "scree/model/decomposition.hpp"
#include "scree/parallel/exchange.hpp"
#include "scree/parallel/hilbert.hpp"
#include "scree/parallel/place_table.hpp"

namespace scree::dynamics {

using collision::ContactId;
using Memory = collision::ContactMemory;
using collision::find_near_pairs;
using collision::find_near_walls;
using collision::id_of;
using collision::Pair;
using collision::PairList;
using collision::Stage;
using model::Bodies;
using model::Vec3;
using parallel::append;
using parallel::Comm;
using parallel::Halo;
using parallel::Mail;
using parallel::Movement;

namespace {

/// Finds the index of what has a key, given the keys of all.
template <typename KeyAt, typename Hash>
class IndexTable {
 public:
  IndexTable(std::size_t count, KeyAt key_at, Hash hash, std::size_t room = 2)
      : key_at_(key_at), hash_(hash), table_(room * count + 1) {
    for (std::size_t k = 0; k < count; ++k) {
      std::int32_t& place = table_.at(hash_(key_at(k)), is_at(key_at(k)));
      if (place == parallel::PlaceTable::nothing) place = static_cast<std::int32_t>(k);
    }
  }
  /// Negative if nothing has it.
  template <typename Key>
  [[nodiscard]] std::int32_t find(const Key& key) const {
    return table_.at(hash_(key), is_at(key));
  }

 private:
  template <typename Key>
  [[nodiscard]] auto is_at(const Key& key) const {
    return [this, &key](std::size_t place) { return key_at_(place) == key; };
  }

  KeyAt key_at_;
  Hash hash_;
  parallel::PlaceTable table_;
};

/// The ranks of some bodies, few of all; the others are on this rank.
class RanksElsewhere {
 public:
  struct Entry {
    std::int64_t id;
    int rank;
  };
  RanksElsewhere(int own, std::vector<Entry> entries) : own_(own), entries_(std::move(entries)) {}
  RanksElsewhere(const RanksElsewhere&) = delete;  // the table looks into the entries
  RanksElsewhere& operator=(const RanksElsewhere&) = delete;

  [[nodiscard]] int rank_of(std::int64_t id) const {
    const std::int32_t k = table_.find(id);
    return k < 0 ? own_ : entries_[static_cast<std::size_t>(k)].rank;
  }

 private:
  struct IdAt {
    const std::vector<Entry>* entries;
    std::int64_t operator()(std::size_t k) const { return (*entries)[k].id; }
  };
  struct IdHash {
    std::size_t operator()(std::int64_t id) const {
      return static_cast<std::size_t>((static_cast<std::uint64_t>(id) * 0x9E3779B97F4A7C15ULL) >> 32U);
    }
  };

  int own_;
  std::vector<Entry> entries_;
  IndexTable<IdAt, IdHash> table_{entries_.size(), IdAt{&entries_}, IdHash{}, 8};
};

/// Sorts out the memories of contacts of bodies that leave: they travel with the body.
Mail pack_memories(const Comm& comm, const Bodies& bodies, const std::vector<int>& target,
                   std::vector<Memory>& memories) {
  Mail luggage;
  std::vector<RanksElsewhere::Entry> leaving;
  for (std::size_t k = 0; k < target.size(); ++k)
    if (target[k] != comm.rank()) leaving.push_back({bodies.id[k], target[k]});
  if (leaving.empty()) return luggage;
  const RanksElsewhere ranks(comm.rank(), std::move(leaving));
  std::erase_if(memories, [&](const Memory& memory) {
    for (const std::int64_t id : {memory.contact.first, memory.contact.second})
      if (const int rank = ranks.rank_of(id); rank != comm.rank()) {
        append(luggage[rank], memory);
        return true;
      }
    return false;
  });
  return luggage;
}

void unpack_memories(const Mail& mail, std::vector<Memory>& memories) {
  for (const auto& [rank, bytes] : mail)
    for (const Memory& memory : parallel::records<Memory>(bytes)) memories.push_back(memory);
}

/// Collective: each body goes to its target, with all that is remembered of its contacts. Returns how many left.
std::int64_t move_bodies(const Comm& comm, Bodies& bodies, const std::vector<int>& target,
                         std::vector<Memory>& memories) {
  const Mail luggage = pack_memories(comm, bodies, target, memories);
  unpack_memories(migrate(comm, bodies, target, luggage), memories);
  return std::ranges::count_if(target, [&](int rank) { return rank != comm.rank(); });
}

std::uint64_t spread_bits(std::uint64_t value) {  // ... b2 b1 b0 -> ... b2 0 0 b1 0 0 b0
  value &= 0x1FFFFF;
  value = (value | value << 32U) & 0x1F00000000FFFFULL;
  value = (value | value << 16U) & 0x1F0000FF0000FFULL;
  value = (value | value << 8U) & 0x100F00F00F00F00FULL;
  value = (value | value << 4U) & 0x10C30C30C30C30C3ULL;
  return (value | value << 2U) & 0x1249249249249249ULL;
}

/// Puts the owned bodies in Morton order, so that neighbours in space are neighbours in memory.
void sort_in_space(Bodies& bodies) {
  const auto owned = static_cast<std::size_t>(bodies.owned());
  if (owned == 0) return;
  Vec3 lower = bodies.position[0], upper = bodies.position[0];
  for (std::size_t k = 0; k < owned; ++k) {
    lower = lower.cwiseMin(bodies.position[k]);
    upper = upper.cwiseMax(bodies.position[k]);
  }
  const double scale = static_cast<double>((1U << 21U) - 1) / std::max((upper - lower).maxCoeff(), 1e-300);
  std::vector<std::pair<std::uint64_t, int>> keys(owned);
  for (std::size_t k = 0; k < owned; ++k) {
    const Vec3 cell = (bodies.position[k] - lower) * std::min(scale, 1e12);
    const auto bits = [&](int axis) { return spread_bits(static_cast<std::uint64_t>(cell[axis])) << axis; };
    keys[k] = {bits(0) | bits(1) | bits(2), static_cast<int>(k)};
  }
  std::ranges::sort(keys);
  std::vector<int> order(owned);
  std::ranges::transform(keys, order.begin(), &std::pair<std::uint64_t, int>::second);
  bodies.reorder(order);
}

/// The rank that owns each local body.
std::vector<int> ranks_of(const Comm& comm, const Bodies& bodies, const Halo& halo) {
  std::vector<int> rank(static_cast<std::size_t>(bodies.size()), comm.rank());
  for (const auto& neighbour : halo.neighbours())
    for (const int ghost : neighbour.ghosts) rank[static_cast<std::size_t>(ghost)] = neighbour.rank;
  return rank;
}

/// Collective among neighbours: hands memories over to the ranks that own the contacts now.
void forward_memories(const Comm& comm, const Bodies& bodies, const Halo& halo, std::vector<Memory>& memories) {
  if (comm.size() == 1) return;
  std::vector<RanksElsewhere::Entry> ghosts;
  for (const auto& neighbour : halo.neighbours())
    for (const int ghost : neighbour.ghosts)
      ghosts.push_back({bodies.id[static_cast<std::size_t>(ghost)], neighbour.rank});
  const RanksElsewhere ranks(comm.rank(), std::move(ghosts));
  Mail outgoing;
  std::erase_if(memories, [&](const Memory& memory) {
    if (memory.contact.second < 0) return false;
    const int owner = model::contact_owner(ranks.rank_of(memory.contact.first), ranks.rank_of(memory.contact.second));
    if (owner == comm.rank()) return false;
    append(outgoing[owner], memory);
    return true;
  });
  std::vector<int> neighbours;
  for (const auto& neighbour : halo.neighbours()) neighbours.push_back(neighbour.rank);
  unpack_memories(exchange_with_neighbours(comm, neighbours, outgoing), memories);
}

/// Whether this rank owns the contact of a pair. A pair of own bodies that meet through a boundary is found twice, with
/// either one as the image: the first body stays itself.
bool is_own(const Comm& comm, const Bodies& bodies, const std::vector<int>& rank, const Pair& pair) {
  const int of_a = rank[static_cast<std::size_t>(pair.a)], of_b = rank[static_cast<std::size_t>(pair.b)];
  const bool first_is_own_image = pair.a >= bodies.owned() && of_a == comm.rank();
  return !first_is_own_image && model::contact_owner(of_a, of_b) == comm.rank();
}

/// Drops the pairs whose contacts other ranks own, then the ghosts that no pair needs, on both sides.
Halo keep_own_pairs(const Comm& comm, Bodies& bodies, const Halo& halo, std::vector<Pair>& pairs) {
  const std::vector<int> rank = ranks_of(comm, bodies, halo);
  std::erase_if(pairs, [&](const Pair& pair) { return !is_own(comm, bodies, rank, pair); });
  const int owned = bodies.owned();
  std::vector<char> needed(static_cast<std::size_t>(bodies.size()), 0);
  for (const Pair& pair : pairs)
    for (const int body : {pair.a, pair.b}) needed[static_cast<std::size_t>(body)] = 1;
  std::vector<int> new_index;
  Halo pruned = prune_ghosts(comm, halo, bodies, needed, new_index);
  for (Pair& pair : pairs)
    for (int* body : {&pair.a, &pair.b})
      if (*body >= owned) *body = new_index[static_cast<std::size_t>(*body)];
  return pruned;
}

/// Pairs along the bodies: sorted by the first body of each in memory, then by the other partner.
std::vector<Pair> along_bodies(int bodies, std::span<const Pair> pairs) {
  const auto lead = [](const Pair& pair) { return pair.b < 0 ? pair.a : std::min(pair.a, pair.b); };
  const auto other = [&](const Pair& pair) { return pair.a == lead(pair) ? pair.b : pair.a; };
  std::vector<int> next(static_cast<std::size_t>(bodies) + 1, 0);
  for (const Pair& pair : pairs) ++next[static_cast<std::size_t>(lead(pair)) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<Pair> sorted(pairs.size());
  for (const Pair& pair : pairs) sorted[static_cast<std::size_t>(next[static_cast<std::size_t>(lead(pair))]++)] = pair;
  auto first = sorted.begin();
  for (int body = 0; body < bodies; ++body) {
    const auto last = sorted.begin() + next[static_cast<std::size_t>(body)];
    std::ranges::sort(first, last, {}, other);
    first = last;
  }
  return sorted;
}

/// Shuffles pairs so that a body returns only after `distance` others, as far as a pool of `window` of them allows.
void spread_apart(int bodies, std::span<const Pair> sorted, std::span<Pair> pairs) {
  constexpr std::size_t window = 512;
  constexpr int distance = 16, tries = 12;
  std::vector<Pair> pool(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(std::min(window, sorted.size())));
  std::size_t next = pool.size();
  std::vector<int> last_use(static_cast<std::size_t>(bodies), -distance);
  std::mt19937 random(12345);
  for (int place = 0; !pool.empty(); ++place) {
    const auto is_fresh = [&](int body) {
      return body < 0 || place - last_use[static_cast<std::size_t>(body)] >= distance;
    };
    std::size_t chosen = random() % pool.size();
    for (int k = 1; k < tries && !(is_fresh(pool[chosen].a) && is_fresh(pool[chosen].b)); ++k)
      chosen = random() % pool.size();
    for (const int body : {pool[chosen].a, pool[chosen].b})
      if (body >= 0) last_use[static_cast<std::size_t>(body)] = place;
    pairs[static_cast<std::size_t>(place)] = pool[chosen];
    if (next < sorted.size()) {
      pool[chosen] = sorted[next++];
    } else {
      pool[chosen] = pool.back();
      pool.pop_back();
    }
  }
}

/// Sorts pairs along the bodies, then spreads those of balls: neighbours in the list rarely share a body, so a
/// processor can work on several contacts at once, and still find them in cache. Other pairs take so much longer that
/// this gains nothing, and load runs faster through a stack in order.
void order_for_sweeps(const Bodies& bodies, std::span<Pair> pairs) {
  const auto is_of_balls = [&](const Pair& pair) {
    return bodies.is_ball(pair.a) && (pair.b < 0 || bodies.is_ball(pair.b));
  };
  const auto others = std::ranges::partition(pairs, is_of_balls);
  const auto of_balls = pairs.first(pairs.size() - others.size());
  spread_apart(bodies.size(), along_bodies(bodies.size(), of_balls), of_balls);
  std::ranges::copy(along_bodies(bodies.size(), others), others.begin());
}

/// Sorts pairs into the stages of a sweep, in place: at this point nothing needs more memory than they do.
void sort_into_stages(const Bodies& bodies, const Halo& halo, PairList& list) {
  std::vector<char> mirrored(static_cast<std::size_t>(bodies.owned()), 0);
  for (const auto& neighbour : halo.neighbours())
    for (const int item : neighbour.sent) mirrored[static_cast<std::size_t>(item)] = 1;
  const auto is_mirrored = [&](int body) { return body >= 0 && mirrored[static_cast<std::size_t>(body)] != 0; };
  const auto stage_of = [&](const Pair& pair) {
    if (pair.a >= bodies.owned() || pair.b >= bodies.owned()) return Stage::interface;
    return is_mirrored(pair.a) || is_mirrored(pair.b) ? Stage::shared : Stage::interior;
  };
  auto first = list.pairs.begin();
  for (std::size_t stage = 0; stage < list.stage_end.size(); ++stage) {
    const auto last = std::partition(first, list.pairs.end(),
                                     [&](const Pair& pair) { return stage_of(pair) == static_cast<Stage>(stage); });
    order_for_sweeps(bodies, {first, last});
    list.stage_end[stage] = static_cast<int>(last - list.pairs.begin());
    first = last;
  }
}

/// Gives pairs back what is remembered of them.
void remember(const Bodies& bodies, std::vector<Memory> memories, PairList& list) {
  const auto of_points = std::ranges::partition(memories, [](const Memory& memory) { return memory.place == 0; });
  const auto contact_at = [&](std::size_t k) -> const ContactId& { return memories[k].contact; };
  const auto of_balls = static_cast<std::size_t>(of_points.begin() - memories.begin());
  const IndexTable table(of_balls, contact_at, collision::ContactIdHash{});
  list.impulses.reserve(list.pairs.size());
  for (const Pair& pair : list.pairs) {
    const std::int32_t k = table.find(id_of(bodies, pair.a, pair.b));
    list.impulses.push_back(k < 0 ? Vec3(Vec3::Zero()) : Vec3(memories[static_cast<std::size_t>(k)].impulse));
  }
  std::ranges::sort(of_points, {}, [](const Memory& memory) { return std::pair(memory.contact, memory.place); });
  list.points.assign(of_points.begin(), of_points.end());
}

std::vector<double> coordinates_of(const Bodies& bodies) {
  std::vector<double> xyz;
  xyz.reserve(3 * static_cast<std::size_t>(bodies.owned()));
  for (std::size_t k = 0; k < static_cast<std::size_t>(bodies.owned()); ++k)
    xyz.insert(xyz.end(), bodies.position[k].data(), bodies.position[k].data() + 3);
  return xyz;
}

/// Bodies that stay together when a graph is partitioned: runs of bodies, which lie in Morton order, so that a large
/// graph takes no more memory than a time step does. Few bodies go one by one.
class Bundles {
 public:
  /// Collective.
  Bundles(const Comm& comm, const Bodies& bodies)
      : size_(comm.sum(std::int64_t{bodies.owned()}) > std::int64_t{many} * comm.size() ? 8 : 1),
        count_((bodies.owned() + size_ - 1) / size_) {}

  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] std::size_t of(int body) const { return static_cast<std::size_t>(body / size_); }

  [[nodiscard]] std::vector<double> sums(const std::vector<double>& values) const {
    std::vector<double> result(static_cast<std::size_t>(count_), 0.0);
    for (int k = 0; k < static_cast<int>(values.size()); ++k) result[of(k)] += values[static_cast<std::size_t>(k)];
    return result;
  }
  /// The place of a body in the middle.
  [[nodiscard]] std::vector<double> coordinates(const Bodies& bodies) const {
    std::vector<double> xyz;
    xyz.reserve(3 * static_cast<std::size_t>(count_));
    for (int k = 0; k < bodies.owned(); k += size_) {
      const Vec3& middle = bodies.position[static_cast<std::size_t>(std::min(k + size_ / 2, bodies.owned() - 1))];
      xyz.insert(xyz.end(), middle.data(), middle.data() + 3);
    }
    return xyz;
  }

 private:
  static constexpr int many = 20000;  ///< bodies on a rank
  int size_;
  int count_;
};

/// Who is near whom. The ghosts of `bodies` are those of the halo.
struct Surroundings {
  Halo halo;
  std::vector<Pair> pairs;

  /// Collective.
  Surroundings(const Comm& comm, Bodies& bodies, double reach)
      : halo(build_ghost_layer(comm, model::CellLattice::for_bodies(comm, bodies), bodies, 0.5 * reach)),
        pairs(find_near_pairs(bodies, reach)) {}
};

/// Collective: the graph of near bodies, or bundles of them.
parallel::Graph near_graph(const Comm& comm, const Bodies& bodies, const Bundles& bundles, const Surroundings& near) {
  const auto before = static_cast<double>(comm.sum_below(bundles.count()));
  std::vector<double> number(static_cast<std::size_t>(bodies.size()));  // whole numbers up to 2^53 are exact
  for (int k = 0; k < bodies.owned(); ++k)
    number[static_cast<std::size_t>(k)] = before + static_cast<double>(bundles.of(k));
  near.halo.forward(number.data(), {1, 1});

  const auto for_each_end = [&](auto&& visit) {
    for (const Pair& pair : near.pairs)
      for (const auto& [body, other] : {std::pair(pair.a, pair.b), std::pair(pair.b, pair.a)})
        if (body < bodies.owned()) visit(bundles.of(body), static_cast<std::size_t>(other));
  };
  std::vector<int> next(static_cast<std::size_t>(bundles.count()) + 1, 0);
  for_each_end([&](std::size_t bundle, std::size_t) { ++next[bundle + 1]; });
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<std::int64_t> ends(static_cast<std::size_t>(next.back()));
  for_each_end([&](std::size_t bundle, std::size_t other) {
    ends[static_cast<std::size_t>(next[bundle]++)] = static_cast<std::int64_t>(number[other]);
  });

  parallel::Graph graph{{0}, {}};
  graph.first_edge.reserve(next.size());
  auto first = ends.begin();
  for (int k = 0; k < bundles.count(); ++k) {  // each neighbour once, and no bundle is its own
    const auto last = ends.begin() + next[static_cast<std::size_t>(k)];
    std::sort(first, last);
    const std::int64_t own = static_cast<std::int64_t>(before) + k;
    std::unique_copy(first, std::remove(first, last, own), std::back_inserter(graph.edges));
    graph.first_edge.push_back(static_cast<int>(graph.edges.size()));
    first = last;
  }
  return graph;
}

/// Collective: the work of each owned body if near pairs and near walls were contacts.
std::vector<double> work_of_surroundings(const Comm& comm, const Bodies& bodies, const std::vector<model::Wall>& walls,
                                         double reach, const Surroundings& near) {
  const std::vector<int> rank = ranks_of(comm, bodies, near.halo);
  std::vector<Pair> own = find_near_walls(bodies, walls, reach);
  std::ranges::copy_if(near.pairs, std::back_inserter(own),
                       [&](const Pair& pair) { return is_own(comm, bodies, rank, pair); });
  return work_of_bodies(bodies, near.halo, own);
}

/// Collective: the rank of each owned body, so that all ranks have the same work. Finds out who is near whom if that is
/// not known and needed. Drops the ghosts.
std::vector<int> find_parts(const Comm& comm, Bodies& bodies, const std::vector<double>& work, double reach,
                            const parallel::Partitioner& partitioner, Movement movement,
                            std::optional<Surroundings> near = std::nullopt) {
  const Bundles bundles(comm, bodies);
  parallel::Graph graph;
  if (partitioner.uses_graph) {
    if (!near) near.emplace(comm, bodies, reach);
    graph = near_graph(comm, bodies, bundles, *near);
  }
  near.reset();
  bodies.drop_ghosts();
  if (!partitioner.uses_graph) return partitioner.partition(comm, {coordinates_of(bodies), work}, {}, movement);
  const std::vector<double> xyz = bundles.coordinates(bodies), sums = bundles.sums(work);
  const std::vector<int> parts = partitioner.partition(comm, {xyz, sums}, graph, movement);
  std::vector<int> target(static_cast<std::size_t>(bodies.owned()));
  for (int k = 0; k < bodies.owned(); ++k) target[static_cast<std::size_t>(k)] = parts[bundles.of(k)];
  return target;
}

}  // namespace

void distribute(const Comm& comm, Bodies& bodies, const std::vector<model::Wall>& walls, double reach,
                const parallel::Partitioner& partitioner) {
  if (comm.size() == 1) return;
  bodies.wrap();
  {
    // A curve first: who is near whom can only be found once each rank's bodies are neighbours.
    const std::vector<double> xyz = coordinates_of(bodies), equal(static_cast<std::size_t>(bodies.owned()), 1.0);
    (void)migrate(comm, bodies, partition_by_hilbert_curve(comm, {xyz, equal}, comm.size()), {});
  }
  // Twice: of the contacts across a border one of the two ranks has them all, which makes work only once it is there.
  for (const Movement movement : {Movement::any, Movement::little}) {
    sort_in_space(bodies);
    Surroundings near(comm, bodies, reach);
    const std::vector<double> work = work_of_surroundings(comm, bodies, walls, reach, near);
    (void)migrate(comm, bodies, find_parts(comm, bodies, work, reach, partitioner, movement, std::move(near)), {});
  }
}

std::int64_t redistribute(const Comm& comm, Bodies& bodies, const std::vector<double>& work, double reach,
                          const parallel::Partitioner& partitioner, std::vector<Memory>& memories) {
  bodies.wrap();
  return move_bodies(comm, bodies, find_parts(comm, bodies, work, reach, partitioner, Movement::little), memories);
}

std::vector<Memory> recall(const Bodies& bodies, const PairList& list) {
  std::vector<Memory> memories;
  const auto is_zero = [](const Vec3& impulse) { return impulse.isZero(0.0); };
  memories.reserve(list.points.size() + list.impulses.size() -
                   static_cast<std::size_t>(std::ranges::count_if(list.impulses, is_zero)));
  for (std::size_t k = 0; k < list.impulses.size(); ++k) {
    const auto& [a, b] = list.pairs[k];
    const Vec3& impulse = list.impulses[k];
    if (!is_zero(impulse)) memories.push_back({id_of(bodies, a, b), 0, {impulse.x(), impulse.y(), impulse.z()}});
  }
  memories.insert(memories.end(), list.points.begin(), list.points.end());
  return memories;
}

void send_to_first_bodies(const Comm& comm, const Bodies& bodies, std::vector<Memory>& memories) {
  if (comm.size() == 1) return;
  // Each body id has a home rank, computed from it, that knows where the body is: all meet there.
  const auto home = [&](std::int64_t id) { return static_cast<int>(id % comm.size()); };
  Mail whereabouts, questions;
  for (std::size_t k = 0; k < static_cast<std::size_t>(bodies.owned()); ++k)
    append(whereabouts[home(bodies.id[k])], bodies.id[k]);
  for (const Memory& memory : memories) append(questions[home(memory.contact.first)], memory);
  std::unordered_map<std::int64_t, int> rank_of;
  for (const auto& [rank, bytes] : deliver(comm, whereabouts))
    for (const auto id : parallel::records<std::int64_t>(bytes)) rank_of.emplace(id, rank);
  Mail forwarded;
  for (const auto& [rank, bytes] : deliver(comm, questions))
    for (const Memory& memory : parallel::records<Memory>(bytes))
      if (const auto found = rank_of.find(memory.contact.first); found != rank_of.end())
        append(forwarded[found->second], memory);
  memories.clear();
  unpack_memories(deliver(comm, forwarded), memories);
}

Neighbourhood search(const Comm& comm, Bodies& bodies, const std::vector<model::Wall>& walls, Reach reach,
                     std::vector<Memory> memories) {
  bodies.wrap();
  const auto lattice = model::CellLattice::for_bodies(comm, bodies);
  move_bodies(comm, bodies, owners_without_strays(comm, lattice, bodies), memories);
  sort_in_space(bodies);
  const Halo halo = build_ghost_layer(comm, lattice, bodies, 0.5 * reach.bodies);
  forward_memories(comm, bodies, halo, memories);

  Neighbourhood result;
  std::vector<Pair>& pairs = result.pairs.pairs;
  pairs = find_near_pairs(bodies, reach.bodies);
  result.halo = keep_own_pairs(comm, bodies, halo, pairs);
  const auto walls_near = find_near_walls(bodies, walls, reach.walls);
  pairs.insert(pairs.end(), walls_near.begin(), walls_near.end());
  pairs.shrink_to_fit();
  sort_into_stages(bodies, result.halo, result.pairs);
  remember(bodies, std::move(memories), result.pairs);
  result.reach = reach;
  return result;
}

}  // namespace scree::dynamics
