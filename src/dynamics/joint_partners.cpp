#include "scree/dynamics/joint_partners.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "scree/collision/contacts.hpp"
#include "scree/model/decomposition.hpp"
#include "scree/parallel/error.hpp"
#include "scree/parallel/exchange.hpp"

namespace scree::dynamics {

using collision::PairList;
using model::Bodies;
using model::Joint;
using parallel::append;
using parallel::Comm;
using parallel::Halo;
using parallel::Mail;

namespace {

using IndexById = std::unordered_map<std::int64_t, int>;
constexpr std::int64_t none_lost = std::numeric_limits<std::int64_t>::max();

/// A joint that looks for its bodies.
struct Traveller {
  Joint joint;
  std::int64_t first_rank = -1;
  std::int64_t second_rank = -1;  ///< equal to first_rank for the world
};

std::vector<Traveller> travellers_in(const Mail& mail) {
  std::vector<Traveller> all;
  for (const auto& [rank, bytes] : mail) {
    const auto some = parallel::records<Traveller>(bytes);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

/// Each body id has a home rank, computed from it, that knows where the body is: a joint asks there, first for its
/// first body, then for its second one, and goes on to its owner.
class Registry {
 public:
  /// Collective.
  Registry(const Comm& comm, const Bodies& bodies) : comm_(comm) {
    Mail whereabouts;
    for (std::size_t k = 0; k < static_cast<std::size_t>(bodies.owned()); ++k)
      append(whereabouts[home_of(bodies.id[k])], bodies.id[k]);
    for (const auto& [rank, bytes] : deliver(comm, whereabouts))
      for (const auto id : parallel::records<std::int64_t>(bytes)) rank_of_.emplace(id, rank);
  }

  /// Collective: brings joints to their owners.
  [[nodiscard]] std::vector<Traveller> guide(const std::vector<Joint>& joints) {
    std::int64_t lost = none_lost;
    Mail to_first, to_second, to_owner;
    for (const Joint& joint : joints) append(to_first[home_of(joint.first)], Traveller{joint});
    for (Traveller& traveller : travellers_in(deliver(comm_, to_first))) {
      traveller.first_rank = find(traveller.joint.first);
      if (traveller.first_rank < 0) {
        lost = std::min(lost, traveller.joint.id);
      } else if (traveller.joint.second == model::world_id) {
        traveller.second_rank = traveller.first_rank;
        append(to_owner[static_cast<int>(traveller.first_rank)], traveller);
      } else {
        append(to_second[home_of(traveller.joint.second)], traveller);
      }
    }
    for (Traveller& traveller : travellers_in(deliver(comm_, to_second))) {
      traveller.second_rank = find(traveller.joint.second);
      if (traveller.second_rank < 0) {
        lost = std::min(lost, traveller.joint.id);
        continue;
      }
      const int owner =
          model::contact_owner(static_cast<int>(traveller.first_rank), static_cast<int>(traveller.second_rank));
      append(to_owner[owner], traveller);
    }
    std::vector<Traveller> arrived = travellers_in(deliver(comm_, to_owner));
    lost = comm_.min(lost);
    if (lost != none_lost) throw StateError(fmt::format("joint {}: one of its bodies is on no rank", lost));
    std::ranges::sort(arrived, {}, [](const Traveller& traveller) { return traveller.joint.id; });
    return arrived;
  }

 private:
  [[nodiscard]] int home_of(std::int64_t id) const { return static_cast<int>(id % comm_.size()); }
  [[nodiscard]] std::int64_t find(std::int64_t id) const {
    const auto found = rank_of_.find(id);
    return found == rank_of_.end() ? -1 : found->second;
  }

  const Comm& comm_;
  std::unordered_map<std::int64_t, int> rank_of_;
};

IndexById index_bodies(const Bodies& bodies) {
  IndexById index;
  index.reserve(static_cast<std::size_t>(bodies.size()));
  for (int k = 0; k < bodies.size(); ++k) index.emplace(bodies.id[static_cast<std::size_t>(k)], k);
  return index;
}

/// Collective: mirrors the bodies of joints that are not known here yet, and puts them into the plan.
Halo mirror_partners(const Comm& comm, Bodies& bodies, const Halo& halo, const std::vector<Traveller>& joints,
                     IndexById& index) {
  std::map<int, std::vector<std::int64_t>> missing;
  std::unordered_set<std::int64_t> asked;
  const auto need = [&](std::int64_t id, std::int64_t rank) {
    if (id != model::world_id && !index.contains(id) && asked.insert(id).second)
      missing[static_cast<int>(rank)].push_back(id);
  };
  for (const Traveller& traveller : joints) {
    need(traveller.joint.first, traveller.first_rank);
    need(traveller.joint.second, traveller.second_rank);
  }
  Mail requests, answers;
  for (const auto& [rank, ids] : missing)
    for (const std::int64_t id : ids) append(requests[rank], id);

  std::map<int, Halo::Neighbour> plan;
  const auto neighbour = [&](int rank) -> Halo::Neighbour& {
    return plan.try_emplace(rank, Halo::Neighbour{rank, {}, {}}).first->second;
  };
  for (const Halo::Neighbour& known : halo.neighbours()) plan.emplace(known.rank, known);
  for (const auto& [rank, bytes] : deliver(comm, requests))
    for (const auto id : parallel::records<std::int64_t>(bytes)) {
      const int item = index.at(id);
      neighbour(rank).sent.push_back(item);
      append(answers[rank], bodies.get(item));
    }
  for (const auto& [rank, bytes] : deliver(comm, answers))
    for (const model::Body& body : parallel::records<model::Body>(bytes)) {
      index.emplace(body.id, bodies.size());
      neighbour(rank).ghosts.push_back(bodies.size());
      bodies.add_ghost(body);
    }
  std::vector<Halo::Neighbour> neighbours;
  for (auto& [rank, with] : plan) neighbours.push_back(std::move(with));
  return {comm, std::move(neighbours)};
}

/// Drops the pairs that joints keep from touching. A pair has the same owner as a joint of the same bodies.
void drop_joined_pairs(const Bodies& bodies, const std::vector<PlacedJoint>& joints, PairList& list) {
  std::unordered_set<collision::ContactId, collision::ContactIdHash> joined;
  for (const PlacedJoint& placed : joints) {
    const auto [low, high] = std::minmax(placed.joint.first, placed.joint.second);
    if (placed.b >= 0 && placed.joint.collides == 0) joined.insert({low, high});
  }
  if (joined.empty()) return;
  PairList kept;
  kept.points = std::move(list.points);
  std::size_t k = 0;
  for (std::size_t stage = 0; stage < collision::stage_count; ++stage) {
    for (; k < static_cast<std::size_t>(list.stage_end[stage]); ++k)
      if (!joined.contains(collision::id_of(bodies, list.pairs[k].a, list.pairs[k].b))) {
        kept.pairs.push_back(list.pairs[k]);
        kept.impulses.push_back(list.impulses[k]);
      }
    kept.stage_end[stage] = static_cast<int>(kept.pairs.size());
  }
  list = std::move(kept);
}

/// Bodies that are mirrored for joints only: the pairs among them are no longer interior.
void restage_pairs(const Bodies& bodies, const Halo& halo, PairList& list) {
  std::vector<char> mirrored(static_cast<std::size_t>(bodies.size()), 0);
  for (const auto& neighbour : halo.neighbours())
    for (const int item : neighbour.sent) mirrored[static_cast<std::size_t>(item)] = 1;
  const auto is_mirrored = [&](int body) { return body >= 0 && mirrored[static_cast<std::size_t>(body)] != 0; };
  int& shared_end = list.stage_end[static_cast<std::size_t>(collision::Stage::shared)];
  const auto first = static_cast<std::size_t>(shared_end);
  const auto last = static_cast<std::size_t>(list.stage_end[static_cast<std::size_t>(collision::Stage::interior)]);
  std::vector<std::pair<collision::Pair, model::Vec3>> interior;
  for (std::size_t k = first; k < last; ++k) interior.emplace_back(list.pairs[k], list.impulses[k]);
  const auto middle = std::ranges::stable_partition(
      interior, [&](const auto& entry) { return is_mirrored(entry.first.a) || is_mirrored(entry.first.b); });
  shared_end += static_cast<int>(middle.begin() - interior.begin());
  for (std::size_t k = first; k < last; ++k) std::tie(list.pairs[k], list.impulses[k]) = interior[k - first];
}

}  // namespace

std::vector<PlacedJoint> place_joints(const Comm& comm, Bodies& bodies, Neighbourhood& neighbourhood,
                                      const std::vector<Joint>& joints) {
  const std::vector<Traveller> arrived = Registry(comm, bodies).guide(joints);
  IndexById index = index_bodies(bodies);
  neighbourhood.halo = mirror_partners(comm, bodies, neighbourhood.halo, arrived, index);
  std::vector<PlacedJoint> placed;
  placed.reserve(arrived.size());
  for (const Traveller& traveller : arrived) {
    const Joint& joint = traveller.joint;
    placed.push_back({joint, index.at(joint.first), joint.second == model::world_id ? -1 : index.at(joint.second)});
  }
  drop_joined_pairs(bodies, placed, neighbourhood.pairs);
  restage_pairs(bodies, neighbourhood.halo, neighbourhood.pairs);
  return placed;
}

std::vector<Joint> records_of(const std::vector<PlacedJoint>& joints) {
  std::vector<Joint> records;
  records.reserve(joints.size());
  for (const PlacedJoint& placed : joints) records.push_back(placed.joint);
  return records;
}

}  // namespace scree::dynamics
