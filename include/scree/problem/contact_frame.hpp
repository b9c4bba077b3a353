#pragma once

#include <cmath>

#include "scree/model/geometry.hpp"

namespace scree::problem {

/// The directions (n, t, o) of a contact, right-handed: n x t = o. They follow from n alone, so only n is stored. A
/// Real is a number or a vector of numbers, for several contacts.
template <typename Real>
struct FrameOf {
  Real n[3];
  Real t[3];
  Real o[3];

  /// An orthonormal basis without branches or square roots, continuous on either half of the sphere of directions;
  /// `sign` is that of n_z.
  FrameOf(const Real& x, const Real& y, const Real& z, const Real& sign) : n{x, y, z} {
    const Real a = -1.0 / (sign + z);
    const Real b = x * y * a;
    t[0] = 1.0 + sign * x * x * a;
    t[1] = sign * b;
    t[2] = -sign * x;
    o[0] = b;
    o[1] = sign + y * y * a;
    o[2] = -y;
  }
};

struct ContactFrame : FrameOf<double> {
  explicit ContactFrame(const double* normal)
      : FrameOf(normal[0], normal[1], normal[2], std::copysign(1.0, normal[2])) {}

  /// From components (x_n, x_t, x_o) to the world frame and back.
  [[nodiscard]] model::Vec3 to_world(const double* x) const {
    return {x[0] * n[0] + x[1] * t[0] + x[2] * o[0], x[0] * n[1] + x[1] * t[1] + x[2] * o[1],
            x[0] * n[2] + x[1] * t[2] + x[2] * o[2]};
  }
  [[nodiscard]] model::Vec3 to_contact(const model::Vec3& p) const {
    return {n[0] * p.x() + n[1] * p.y() + n[2] * p.z(), t[0] * p.x() + t[1] * p.y() + t[2] * p.z(),
            o[0] * p.x() + o[1] * p.y() + o[2] * p.z()};
  }
};

}  // namespace scree::problem
