#include "scree/dynamics/search.hpp"

#include <map>
#include <numeric>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "scree/collision/contacts.hpp"
#include "scree/dynamics/balancer.hpp"
#include "scree/model/decomposition.hpp"
#include "support/sphere_bed.hpp"

using scree::collision::ContactId;
using scree::collision::ContactSet;
using scree::collision::find_contacts;
using scree::collision::Pair;
using scree::collision::PairList;
using scree::collision::Stage;
using scree::dynamics::distribute;
using scree::dynamics::Neighbourhood;
using scree::dynamics::redistribute;
using scree::dynamics::search;
using scree::model::Bodies;
using scree::model::Body;
using scree::model::Plane;
using scree::model::Tube;
using scree::model::Vec3;
using scree::model::Wall;
using scree::parallel::Comm;
using scree::parallel::Graph;
using scree::parallel::Movement;
using scree::parallel::Partitioner;
using scree::parallel::WeightedPoints;
using namespace scree::test;

namespace {

constexpr double reach = 0.15;
const std::vector<Wall> walls = {{"floor", Plane{{0.0, 0.0, -2.0}, Vec3::UnitZ()}},
                                 {"tube", Tube{Vec3::Zero(), Vec3::UnitZ(), 4.0}}};

using Id = std::pair<std::int64_t, std::int64_t>;

/// What two bodies, or a body and a wall, are apart (m).
double gap_of(const Bed& bed, const Id& id) {
  const Body& body = bed[id.first];
  if (id.second >= 0) return gap_between(body, bed[id.second]);
  return gap_to_wall(walls[-1 - id.second], centre(body), body.radius).gap;
}

/// Oracle: every body against every other and every wall.
std::set<Id> brute_force(const Bed& bed, double limit) {
  std::set<Id> ids;
  for (std::int64_t a = 0; a < std::ssize(bed); ++a) {
    for (std::int64_t b = a + 1; b < std::ssize(bed); ++b)
      if (gap_of(bed, {a, b}) <= limit) ids.insert({a, b});
    for (std::int64_t wall = -1; wall >= -std::ssize(walls); --wall)
      if (gap_of(bed, {a, wall}) <= limit) ids.insert({a, wall});
  }
  return ids;
}

Id id_of(const Bodies& bodies, const Pair& pair) {
  const ContactId id = scree::collision::id_of(bodies, pair.a, pair.b);
  return {id.first, id.second};
}

struct OwnedPair {
  std::int64_t first, second;
  int rank;
  double impulse[3];
};

/// Collective: the pairs of all ranks, sorted by id. Duplicates stay.
std::vector<OwnedPair> all_pairs(const Bodies& bodies, const PairList& list) {
  std::vector<OwnedPair> local;
  for (std::size_t k = 0; k < list.pairs.size(); ++k) {
    const auto [first, second] = id_of(bodies, list.pairs[k]);
    const Vec3& impulse = list.impulses[k];
    local.push_back({first, second, world().rank(), {impulse.x(), impulse.y(), impulse.z()}});
  }
  auto all = gather_everywhere(local);
  std::ranges::sort(all, {}, [](const OwnedPair& pair) { return Id(pair.first, pair.second); });
  return all;
}

void check_pairs(const std::vector<OwnedPair>& pairs, const std::set<Id>& expected) {
  BOOST_TEST(pairs.size() == expected.size());
  BOOST_TEST(std::ranges::equal(pairs, expected, {}, [](const OwnedPair& p) { return Id(p.first, p.second); }));
}

/// Collective: the rank of each body.
std::vector<int> owners(const Bodies& bodies, std::size_t count) {
  struct Entry {
    std::int64_t id;
    int rank;
  };
  std::vector<Entry> local;
  for (int k = 0; k < bodies.owned(); ++k) local.push_back({bodies.id[k], world().rank()});
  std::vector<int> rank(count, -1);
  for (const Entry& entry : gather_everywhere(local)) rank[entry.id] = entry.rank;
  return rank;
}

/// Every pair is owned by the rule and stands in the stage of its bodies; every ghost is needed by some pair.
void check_stages(const Bodies& bodies, const Neighbourhood& found, const std::vector<int>& rank) {
  std::set<int> mirrored, unused;
  for (const auto& neighbour : found.halo.neighbours()) mirrored.insert(neighbour.sent.begin(), neighbour.sent.end());
  for (int k = bodies.owned(); k < bodies.size(); ++k) unused.insert(k);
  int k = 0;
  for (int stage = 0; stage < scree::collision::stage_count; ++stage)
    for (; k < found.pairs.stage_end[stage]; ++k) {
      const auto [a, b] = found.pairs.pairs[k];
      unused.erase(a), unused.erase(b);
      const bool ghost = a >= bodies.owned() || b >= bodies.owned();
      const bool shared = mirrored.contains(a) || mirrored.contains(b);
      BOOST_TEST(stage == static_cast<int>(ghost ? Stage::interface : shared ? Stage::shared : Stage::interior));
      if (b >= 0) BOOST_TEST(scree::model::contact_owner(rank[bodies.id[a]], rank[bodies.id[b]]) == world().rank());
    }
  BOOST_TEST(k == static_cast<int>(found.pairs.pairs.size()));
  BOOST_TEST(unused.empty(), unused.size() << " ghosts without a pair");
}

void check_bodies(const Bodies& bodies, const Bed& bed) {
  BOOST_TEST(same_bed(collect(bodies), bed));
  for (int k = bodies.owned(); k < bodies.size(); ++k) BOOST_TEST(same_bits(bodies.get(k), bed[bodies.id[k]]));
}

/// Searches and checks everything that can be checked against the whole bed.
Neighbourhood search_and_check(const Bed& bed, Bodies& bodies, const PairList& old) {
  Neighbourhood found = search(world(), bodies, walls, {reach, reach}, scree::dynamics::recall(bodies, old));
  BOOST_TEST(found.reach.bodies == reach);
  check_bodies(bodies, bed);
  check_pairs(all_pairs(bodies, found.pairs), brute_force(bed, reach));
  check_stages(bodies, found, owners(bodies, bed.size()));
  return found;
}

}  // namespace

BOOST_AUTO_TEST_CASE(pairs_are_those_of_brute_force_and_each_is_owned_once) {
  for (const Sizes sizes : {Sizes::equal, Sizes::uniform, Sizes::mixed})
    for (const Placement placement : placements) {
      BOOST_TEST_CONTEXT(name_of(placement) << ", sizes " << static_cast<int>(sizes)) {
        const Bed bed = random_bed(1, 300, sizes);
        Bodies bodies = owned_part(bed, placement);
        (void)search_and_check(bed, bodies, {});
      }
    }
}

BOOST_AUTO_TEST_CASE(fewer_bodies_than_ranks) {
  for (const int count : {0, 1, 2, 3, 5})
    for (const Placement placement : placements) {
      const Bed bed = random_bed(2, count, Sizes::equal);
      Bodies bodies = owned_part(bed, placement);
      distribute(world(), bodies, walls, reach);
      check_bodies(bodies, bed);
      const Neighbourhood found = search_and_check(bed, bodies, {});
      (void)search_and_check(bed, bodies, found.pairs);
    }
}

BOOST_AUTO_TEST_CASE(distribution_gives_every_rank_its_part) {
  for (const Placement placement : placements) {
    const Bed bed = random_bed(3, 500, Sizes::uniform);
    Bodies bodies = owned_part(bed, placement);
    distribute(world(), bodies, walls, reach);
    check_bodies(bodies, bed);
    const double mean = 500.0 / world().size();
    BOOST_TEST(bodies.owned() > 0.5 * mean);
    BOOST_TEST(bodies.owned() < 1.5 * mean);
    (void)search_and_check(bed, bodies, {});
  }
}

namespace {

/// Ten layers of spheres that touch below as many that are far from each other: as many bodies, most of the work below.
Bed crowd_below_loners() {
  Bed bed;
  for (int k = 0; k < 2000; ++k) {
    const Vec3 cell(k % 10, k / 10 % 10, k / 100);
    const Vec3 place = k < 1000 ? cell : Vec3(3.0 * cell.x(), 3.0 * cell.y(), 10.0 + 3.0 * (cell.z() - 9.0));
    bed.push_back(scree::model::make_sphere(k, place, 0.5, 1000.0, 0));
  }
  return bed;
}

}  // namespace

BOOST_AUTO_TEST_CASE(distribution_expects_work_where_bodies_are_near_each_other) {
  const Bed bed = crowd_below_loners();
  for (const Partitioner& partitioner : scree::parallel::partitioners()) {
    Bodies bodies = owned_part(bed, Placement::scattered);
    distribute(world(), bodies, {}, reach, partitioner);
    check_bodies(bodies, bed);
    const Neighbourhood found = search(world(), bodies, {}, {reach, reach}, {});
    const std::vector<double> work = scree::dynamics::work_of_bodies(bodies, found.halo, found.pairs.pairs);
    const double own = std::accumulate(work.begin(), work.begin() + bodies.owned(), 0.0);
    const double imbalance = world().max(own) * world().size() / world().sum(own);
    // The lower half of the bodies has 2700 pairs, the upper one none: 1.84 if each were a rank.
    BOOST_TEST(imbalance < (world().size() <= 4 ? 1.1 : 1.25), partitioner.name << ": " << imbalance);
  }
}

BOOST_AUTO_TEST_CASE(contacts_are_those_of_brute_force) {
  const Bed bed = random_bed(4, 300, Sizes::mixed);
  for (const Placement placement : placements) {
    Bodies bodies = owned_part(bed, placement);
    const Neighbourhood found = search(world(), bodies, walls, {reach, reach}, {});
    PairList touching;
    for (const auto& contact : find_contacts(bodies, walls, found.pairs, 0.05, 0.0).contacts) {
      touching.pairs.push_back({contact.a, contact.b});
      touching.impulses.push_back(Vec3::Zero());
      BOOST_TEST(std::abs(contact.gap - gap_of(bed, id_of(bodies, touching.pairs.back()))) <= 1e-14);
    }
    check_pairs(all_pairs(bodies, touching), brute_force(bed, 0.05));
  }
}

namespace {

/// Where body `id` goes in one round. A third of the bodies fly together through the others, from rank to rank; all
/// tremble a little.
Vec3 displacement(std::int64_t id, int round) {
  std::mt19937 random(static_cast<unsigned>(1000 * id + round));
  std::uniform_real_distribution<double> tremble(-0.01, 0.01);
  const Vec3 little(tremble(random), tremble(random), tremble(random));
  return little + (id % 3 == 0 ? Vec3(round % 2 == 0 ? 2.5 : -4.0, 0.8, 0.3) : Vec3(Vec3::Zero()));
}

void move(Bed& bed, Bodies& bodies, int round) {
  for (Body& body : bed) Eigen::Map<Vec3>(body.position) += displacement(body.id, round);
  for (int k = 0; k < bodies.owned(); ++k) bodies.position[k] += displacement(bodies.id[k], round);
}

/// An impulse that only the contact decides, never zero.
Vec3 impulse_of(const Id& id) {
  return {1.0 + static_cast<double>(id.first), 0.5 * static_cast<double>(id.second), -0.1};
}

void set_impulses(const Bodies& bodies, PairList& list) {
  list.impulses.clear();
  for (const Pair& pair : list.pairs) list.impulses.push_back(impulse_of(id_of(bodies, pair)));
}

std::map<Id, int> owners_of(const std::vector<OwnedPair>& pairs) {
  std::map<Id, int> result;
  for (const OwnedPair& pair : pairs) result[{pair.first, pair.second}] = pair.rank;
  return result;
}

/// Pairs that were there before have their impulse, wherever they are now, and new ones none. Returns how many of the
/// old ones another rank owns now.
int check_memory(const std::vector<OwnedPair>& pairs, const std::map<Id, int>& before) {
  int moved = 0, kept = 0;
  for (const OwnedPair& pair : pairs) {
    const Id id(pair.first, pair.second);
    const auto old = before.find(id);
    const Vec3 expected = old == before.end() ? Vec3(Vec3::Zero()) : impulse_of(id);
    BOOST_TEST((Vec3(pair.impulse) == expected), "contact " << id.first << ", " << id.second);
    kept += old != before.end() ? 1 : 0;
    moved += old != before.end() && old->second != pair.rank ? 1 : 0;
  }
  BOOST_TEST(kept > 50);
  return moved;
}

}  // namespace

BOOST_AUTO_TEST_CASE(bodies_fly_across_ranks_and_contacts_keep_their_impulses) {
  for (const Sizes sizes : {Sizes::uniform, Sizes::mixed})
    for (const Placement placement : placements) {
      Bed bed = random_bed(5, 300, sizes);
      Bodies bodies = owned_part(bed, placement);
      Neighbourhood found = search_and_check(bed, bodies, {});
      for (int round = 0; round < 6; ++round) {
        set_impulses(bodies, found.pairs);
        const auto before = owners_of(all_pairs(bodies, found.pairs));
        move(bed, bodies, round);
        found = search_and_check(bed, bodies, found.pairs);
        (void)check_memory(all_pairs(bodies, found.pairs), before);
      }
    }
}

namespace {

int everybody_goes_to = 0;

/// Leaves all ranks but one without bodies.
const Partitioner all_to_one{"all to one", "", false,
                             [](const Comm&, const WeightedPoints& points, const Graph&, Movement) {
                               return std::vector<int>(points.size(), everybody_goes_to);
                             }};

/// Spreads the bodies anew by works that change from round to round and checks that nothing is lost. Returns how many
/// contacts another rank owns now.
int redistribute_and_check(const Bed& bed, Bodies& bodies, Neighbourhood& found, const Partitioner& partitioner,
                           int round) {
  set_impulses(bodies, found.pairs);
  const auto before = owners_of(all_pairs(bodies, found.pairs));
  std::vector<double> work;
  for (int k = 0; k < bodies.owned(); ++k)
    work.push_back(1.0 + std::mt19937(static_cast<unsigned>(bodies.id[k] / 50 + 97 * round))() % 8);
  auto memories = scree::dynamics::recall(bodies, found.pairs);
  redistribute(world(), bodies, work, reach, partitioner, memories);
  BOOST_TEST(bodies.ghosts() == 0);
  BOOST_TEST(same_bed(collect(bodies), bed));
  found = search(world(), bodies, walls, {reach, reach}, std::move(memories));
  const auto after = all_pairs(bodies, found.pairs);
  check_pairs(after, brute_force(bed, reach));
  BOOST_TEST(after.size() == before.size());  // no contact is new, so none may be without its impulse
  return check_memory(after, before);
}

}  // namespace

BOOST_AUTO_TEST_CASE(impulses_survive_when_bodies_are_spread_anew) {
  for (const Partitioner& partitioner : scree::parallel::partitioners())
    for (const Placement placement : placements) {
      const Bed bed = random_bed(6, 400, Sizes::uniform);
      Bodies bodies = owned_part(bed, placement);
      Neighbourhood found = search_and_check(bed, bodies, {});
      int moved = 0;
      for (int round = 0; round < 4; ++round) {
        moved += redistribute_and_check(bed, bodies, found, partitioner, round);
        const auto largest = world().max(static_cast<std::int64_t>(bodies.owned()));
        BOOST_TEST(largest < 1 + 800 / world().size(), partitioner.name);
      }
      if (world().size() > 1) BOOST_TEST(moved > 20, partitioner.name);
    }
}

BOOST_AUTO_TEST_CASE(ranks_become_empty_and_fill_again) {
  for (const Partitioner& partitioner : scree::parallel::partitioners()) {
    const Bed bed = random_bed(7, 300, Sizes::mixed);
    Bodies bodies = owned_part(bed, Placement::slabs);
    Neighbourhood found = search_and_check(bed, bodies, {});
    for (everybody_goes_to = 0; everybody_goes_to < world().size(); ++everybody_goes_to) {
      redistribute_and_check(bed, bodies, found, all_to_one, 0);
      BOOST_TEST(bodies.owned() == (world().rank() == everybody_goes_to ? 300 : 0));
      redistribute_and_check(bed, bodies, found, partitioner, 1);
      BOOST_TEST(bodies.owned() > 0);
    }
  }
}
