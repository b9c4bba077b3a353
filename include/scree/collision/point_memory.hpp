#pragma once

#include <cstdint>
#include <vector>

#include "scree/collision/contacts.hpp"

namespace scree::collision {

/// Bodies that are no spheres touch in several points, which come, go and wander: a point is known again by its place
/// in the frame of the contact's first body.

/// A place near a body of this radius (m) in 64 bits, to about a millionth of it; never 0.
[[nodiscard]] std::int64_t pack_place(const model::Vec3& place, double radius);
[[nodiscard]] model::Vec3 unpack_place(std::int64_t packed, double radius);

/// The memories of the points of a set, given the impulse of each (N s, world frame, on b), sorted by contact.
[[nodiscard]] std::vector<ContactMemory> remember_points(const model::Bodies& bodies, const ContactSet& set,
                                                         const std::vector<model::Vec3>& impulses);

/// The impulse of each point of a set: that of the nearest remembered point of the same pair, as far as none is taken
/// twice, or zero. `memories` are sorted by contact.
[[nodiscard]] std::vector<model::Vec3> recall_points(const model::Bodies& bodies, const ContactSet& set,
                                                     const std::vector<ContactMemory>& memories);

}  // namespace scree::collision
