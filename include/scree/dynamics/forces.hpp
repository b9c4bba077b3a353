#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "scree/model/bodies.hpp"
#include "scree/model/geometry.hpp"

namespace scree::dynamics {

/// A constant load on one body, in the world frame.
struct BodyForce {
  std::int64_t id;
  model::Vec3 force = model::Vec3::Zero();   ///< at the centre of mass (N)
  model::Vec3 torque = model::Vec3::Zero();  ///< N m
};

/// The loads of all bodies that have one, known to every rank.
class ForceTable {
 public:
  explicit ForceTable(const std::vector<BodyForce>& forces);

  /// Adds what the load of a body, if there is one, does in a time h (s).
  void apply(model::Bodies& bodies, std::size_t body, double h) const {
    if (!forces_.empty()) add(bodies, body, h);
  }

 private:
  void add(model::Bodies& bodies, std::size_t body, double h) const;

  std::unordered_map<std::int64_t, BodyForce> forces_;
};

/// Drag in proportion to mass and velocity: dv/dt = -linear v, and angular velocities likewise.
struct Drag {
  double linear = 0.0;   ///< 1/s
  double angular = 0.0;  ///< 1/s

  /// A step of h (s), implicit: it slows down and never turns back.
  void apply(model::Bodies& bodies, std::size_t body, double h) const {
    if (linear > 0.0) bodies.velocity[body] /= 1.0 + h * linear;
    if (angular > 0.0) bodies.spin[body] /= 1.0 + h * angular;
  }
};

}  // namespace scree::dynamics
