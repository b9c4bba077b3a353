#pragma once

#include <cstdint>
#include <vector>

#include "scree/collision/pairs.hpp"
#include "scree/collision/shape_contacts.hpp"
#include "scree/parallel/memory.hpp"

namespace scree::collision {

/// The contacts that this rank owns: pure data.
struct ContactSet {
  struct Contact {
    int a;               ///< local body index
    int b;               ///< local body index, or -1 - k for wall k
    std::int32_t pair;   ///< index into the pairs it came from
    std::int32_t point;  ///< index into `points`, or -1: a contact of spheres, whose point follows from the normal
    double gap;          ///< m, negative when the bodies overlap
    model::Vec3 normal;  ///< unit vector from a to b
  };
  parallel::LargeArray<Contact> contacts;  ///< in each stage those of spheres first
  /// Half-way between the surfaces, of a ball and a wall on the ball, in the order of their contacts.
  std::vector<model::Vec3> points;
  std::array<int, stage_count> stage_end{};  ///< as in the pairs

  [[nodiscard]] int size() const { return static_cast<int>(contacts.size()); }
};

[[nodiscard]] ContactId id_of(const model::Bodies& bodies, int a, int b);

/// Where the contact lies: half-way between the two surfaces.
[[nodiscard]] model::Vec3 point_of(const model::Bodies& bodies, const ContactSet& set,
                                   const ContactSet::Contact& contact);

/// How much nearer a wall comes to the body of a contact that stands still, if it moves from `now` to `after` (m).
[[nodiscard]] double approach_of_wall(const model::Bodies& bodies, const ContactSet& set,
                                      const ContactSet::Contact& contact, const model::Wall& now,
                                      const model::Wall& after);

/// Narrow phase: the points of pairs whose gap is at most `margin`, or will be after a time `step` (s) of free flight,
/// at the end of which walls are where `walls_after` says. `shapes` may be null if all bodies are spheres
/// and touch all walls in one point.
[[nodiscard]] ContactSet find_contacts(const model::Bodies& bodies, const std::vector<model::Wall>& walls,
                                       const PairList& pairs, double margin, double step,
                                       const std::vector<model::Wall>& walls_after, ShapeContacts* shapes = nullptr);

/// The same where walls stand still.
[[nodiscard]] inline ContactSet find_contacts(const model::Bodies& bodies, const std::vector<model::Wall>& walls,
                                              const PairList& pairs, double margin, double step,
                                              ShapeContacts* shapes = nullptr) {
  return find_contacts(bodies, walls, pairs, margin, step, walls, shapes);
}

}  // namespace scree::collision
