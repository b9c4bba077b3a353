#pragma once

#include "scree/model/bodies.hpp"

namespace scree::problem {

/// The scale between a body's spin omega (rad/s) and the speed u (m/s) that stands for it in a motion:
/// u = radius (I / I_ref)^(1/2) omega with the inertia tensor I in the world frame and I_ref = its first principal
/// moment. The energy of rotation is then I_ref |u|^2 / (2 radius^2) whatever the body's form, so its mass in the
/// problem is one number. For a ball u is the speed of its surface.
class SpinScale {
 public:
  SpinScale(const model::Bodies& bodies, int index) : radius_(bodies.radius[static_cast<std::size_t>(index)]) {
    if (bodies.is_ball(index)) return;
    const auto k = static_cast<std::size_t>(index);
    const model::Mat3 turn = bodies.attitude[k].toRotationMatrix();
    const model::Vec3 stretch = (bodies.inertia[k] / bodies.inertia[k].x()).cwiseSqrt();
    is_ball_ = false;
    stretch_ = turn * stretch.asDiagonal() * turn.transpose();
    shrink_ = turn * stretch.cwiseInverse().asDiagonal() * turn.transpose();
  }

  [[nodiscard]] model::Vec3 speed_of(const model::Vec3& spin) const {
    return is_ball_ ? model::Vec3(radius_ * spin) : model::Vec3(radius_ * (stretch_ * spin));
  }
  [[nodiscard]] model::Vec3 spin_of(const model::Vec3& speed) const {
    return is_ball_ ? model::Vec3(speed / radius_) : model::Vec3(shrink_ * speed / radius_);
  }
  /// Rows that act on the spin as rows that act on u.
  [[nodiscard]] model::Mat3 rows_on_speed(const model::Mat3& rows) const {
    return is_ball_ ? model::Mat3(rows / radius_) : model::Mat3(rows * shrink_ / radius_);
  }

 private:
  double radius_;
  bool is_ball_ = true;
  model::Mat3 stretch_, shrink_;
};

}  // namespace scree::problem
