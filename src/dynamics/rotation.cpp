#include "scree/dynamics/rotation.hpp"

#include <Eigen/LU>

namespace scree::dynamics {

using model::Quat;
using model::Vec3;

namespace {

Eigen::Matrix3d cross_matrix(const Vec3& v) {
  Eigen::Matrix3d m;
  m << 0.0, -v.z(), v.y(), v.z(), 0.0, -v.x(), -v.y(), v.x(), 0.0;
  return m;
}

}  // namespace

Vec3 free_spin(const Vec3& spin, const Vec3& inertia, double h) {
  // Newton's method for I (w - w_0) + h m x I m = 0 with the mid value m = (w_0 + w) / 2.
  constexpr int newton_steps = 8;
  const Eigen::Matrix3d I = inertia.asDiagonal();
  Vec3 w = spin;
  for (int step = 0; step < newton_steps; ++step) {
    const Vec3 m = 0.5 * (spin + w);
    const Vec3 residual = I * (w - spin) + h * m.cross(I * m);
    if (residual.norm() <= 1e-15 * (I * spin).norm()) break;
    const Eigen::Matrix3d jacobian = I + 0.5 * h * (cross_matrix(m) * I - cross_matrix(I * m));
    w -= jacobian.partialPivLu().solve(residual);
  }
  return w;
}

Quat turned(const Quat& attitude, const Vec3& spin, double h) {
  const double angle = h * spin.norm();
  if (angle == 0.0) return attitude;
  return (Quat(Eigen::AngleAxisd(angle, spin.normalized())) * attitude).normalized();
}

}  // namespace scree::dynamics
