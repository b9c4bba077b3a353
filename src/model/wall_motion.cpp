#include "scree/model/wall_motion.hpp"

#include <cmath>
#include <numbers>

namespace scree::model {

namespace {

double angular_frequency(const WallMotion& motion) { return 2.0 * std::numbers::pi * motion.frequency; }

}  // namespace

bool WallMotion::is_rest() const {
  return velocity.isZero(0.0) && amplitude.isZero(0.0) && spin.isZero(0.0) && belt.isZero(0.0);
}

Vec3 WallMotion::travel(double time) const {
  const double swing = std::sin(angular_frequency(*this) * time + phase) - std::sin(phase);
  return time * velocity + swing * amplitude;
}

Quat WallMotion::turn(double time) const {
  const double rate = spin.norm();
  if (rate == 0.0) return Quat::Identity();
  return Quat(Eigen::AngleAxisd(std::remainder(rate * time, 2.0 * std::numbers::pi), spin / rate));
}

Vec3 WallMotion::velocity_at(const Vec3& point, double time) const {
  const double omega = angular_frequency(*this);
  const Vec3 shake = omega * std::cos(omega * time + phase) * amplitude;
  return velocity + shake + spin.cross(point - pivot - travel(time)) + turn(time) * belt;
}

double WallMotion::largest_speed(double distance_from_pivot) const {
  return velocity.norm() + angular_frequency(*this) * amplitude.norm() + spin.norm() * distance_from_pivot;
}

}  // namespace scree::model
