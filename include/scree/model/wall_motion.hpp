#pragma once

#include "scree/model/geometry.hpp"

namespace scree::model {

/// How a wall moves: a function of time alone, so that every rank knows it exactly and without a message. The parts add
/// up: a wall may turn about a pivot that travels and shakes.
struct WallMotion {
  Vec3 velocity = Vec3::Zero();   ///< steady travel (m/s)
  Vec3 amplitude = Vec3::Zero();  ///< of a sinusoidal shake (m)
  double frequency = 0.0;         ///< of the shake (Hz)
  double phase = 0.0;             ///< of the shake at time 0 (rad); the wall starts where the scene puts it
  Vec3 spin = Vec3::Zero();       ///< steady rotation about the pivot (rad/s)
  Vec3 pivot = Vec3::Zero();      ///< point of the axis of rotation at time 0 (m)
  Vec3 belt = Vec3::Zero();       ///< the surface runs along itself at this velocity, as a conveyor belt does (m/s)

  [[nodiscard]] bool is_rest() const;
  [[nodiscard]] bool turns() const { return !spin.isZero(0.0); }

  /// How far the pivot has come since time 0 (m).
  [[nodiscard]] Vec3 travel(double time) const;
  /// How far the wall has turned since time 0.
  [[nodiscard]] Quat turn(double time) const;
  /// Velocity of the material of the wall at a point in space (m/s).
  [[nodiscard]] Vec3 velocity_at(const Vec3& point, double time) const;
  /// No part of the wall within this distance of the pivot is ever faster (m/s); a belt does not count.
  [[nodiscard]] double largest_speed(double distance_from_pivot) const;
};

}  // namespace scree::model
