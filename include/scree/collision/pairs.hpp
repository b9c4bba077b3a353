#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <vector>

#include "scree/model/bodies.hpp"
#include "scree/model/wall.hpp"
#include "scree/parallel/memory.hpp"

namespace scree::collision {

/// Names a contact for as long as it lasts, on any rank. Bodies count from 0; wall k is partner -1 - k.
struct ContactId {
  std::int64_t first;   ///< the smaller body id, or the body of a body-wall contact
  std::int64_t second;  ///< the larger body id, or the wall

  friend bool operator==(const ContactId&, const ContactId&) = default;
  friend auto operator<=>(const ContactId&, const ContactId&) = default;
};

struct ContactIdHash {
  std::size_t operator()(const ContactId& id) const {
    const auto mix = static_cast<std::uint64_t>(id.first) * 0x9E3779B97F4A7C15ULL;
    return static_cast<std::size_t>((mix ^ (mix >> 29)) +
                                    static_cast<std::uint64_t>(id.second) * 0xBF58476D1CE4E5B9ULL);
  }
};

/// Two bodies, or a body and a wall, that may touch before the next search.
struct Pair {
  int a;  ///< local body index; the body named `first` in the contact id
  int b;  ///< local body index, or -1 - k for wall k
};

/// What is remembered of a contact wherever its bodies go.
struct ContactMemory {
  ContactId contact;
  std::int64_t place;  ///< of a point on bodies that may touch in several, see PointMemory; 0: a pair touches in one
  double impulse[3];   ///< as in PairList
};

/// The stages of a sweep, in their order. Contacts of one stage stand side by side.
enum class Stage : int {
  shared,     ///< both bodies owned here, at least one of them has a ghost elsewhere
  interior,   ///< no other rank knows the bodies
  interface,  ///< one of the bodies is a ghost
};
inline constexpr int stage_count = 3;

/// The pairs whose contacts this rank owns, stage by stage.
struct PairList {
  std::vector<Pair> pairs;
  /// Of each pair in the last step, in the world frame, acting on b (N s): the memory for warm starts. Not there while
  /// a step is being solved.
  parallel::LargeArray<model::Vec3> impulses;
  std::vector<ContactMemory> points;         ///< the memories of pairs that touch in several points, by contact id
  std::array<int, stage_count> stage_end{};  ///< index one past the last pair of each stage
};

/// All pairs among the bodies of this rank (owned and ghosts, at least one of them owned) whose surfaces are nearer
/// than `reach`. A hierarchy of grids, one per octave of radii: linear in the number of bodies for any mix of sizes.
[[nodiscard]] std::vector<Pair> find_near_pairs(const model::Bodies& bodies, double reach);

/// All owned bodies whose surface is nearer than `reach` to a wall, as pairs (body, wall).
[[nodiscard]] std::vector<Pair> find_near_walls(const model::Bodies& bodies, const std::vector<model::Wall>& walls,
                                                double reach);

}  // namespace scree::collision
