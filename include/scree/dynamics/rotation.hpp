#pragma once

#include "scree/model/geometry.hpp"

namespace scree::dynamics {

/// The angular velocity (body frame) after a free time h: Euler's equations by the implicit midpoint rule, which keeps
/// kinetic energy and the length of the angular momentum, so fast spinning bodies of any inertia stay stable.
[[nodiscard]] model::Vec3 free_spin(const model::Vec3& spin, const model::Vec3& inertia, double h);

/// The attitude after turning with the angular velocity `spin` (world frame) for a time h; of unit length.
[[nodiscard]] model::Quat turned(const model::Quat& attitude, const model::Vec3& spin, double h);

}  // namespace scree::dynamics
