#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "scree/dynamics/simulation.hpp"
#include "scree/model/joint.hpp"
#include "support/motion.hpp"
#include "support/support.hpp"

// Bodies with joints whose motion is known.

namespace scree::test {

/// Bodies and joints, both dealt out to the ranks by turns; each step is solved tightly.
inline dynamics::Setup make_mechanism(const std::vector<model::Body>& bodies, const std::vector<model::Joint>& joints,
                                      std::vector<model::Wall> walls = {}, double friction = 0.0) {
  dynamics::Setup setup = make_setup(world(), bodies, std::move(walls), friction);
  for (const model::Joint& joint : joints)
    if ((joint.id + 1) % world().size() == world().rank()) setup.joints.push_back(joint);
  return setup;
}

/// Collective: all joints in the order of their ids.
inline std::vector<model::Joint> all_joints(const dynamics::Simulation& simulation) {
  std::vector<model::Joint> all = gathered(world(), records_of(simulation.joints()));
  std::ranges::sort(all, {}, &model::Joint::id);
  return all;
}

/// The energy of all bodies half-way between two steps (J): velocities belong to the middle of the step between them.
inline double energy_between(const std::vector<model::Body>& before, const std::vector<model::Body>& after,
                             const model::Vec3& acceleration) {
  double energy = 0.0;
  for (std::size_t k = 0; k < after.size(); ++k) {
    const model::Vec3 place = 0.5 * (position_of(before[k]) + position_of(after[k]));
    energy += 0.5 * after[k].mass * velocity_of(after[k]).squaredNorm() +
              0.5 * after[k].inertia[0] * spin_of(after[k]).squaredNorm() - after[k].mass * acceleration.dot(place);
  }
  return energy;
}

/// A sphere of radius 0.1 m and 1 kg.
inline model::Body small_sphere(std::int64_t id, const model::Vec3& position) {
  model::Body body = model::make_sphere(id, position, 0.1, 1.0, 0);
  body.mass = 1.0;
  std::ranges::fill(body.inertia, 0.4 * 0.01);
  return body;
}

/// A sphere on a rod without mass that swings about the origin, `angle` away from hanging.
inline std::pair<model::Body, model::Joint> pendulum(model::JointKind kind, double length, double angle) {
  const model::Body body = small_sphere(0, {length * std::sin(angle), 0.0, -length * std::cos(angle)});
  if (kind == model::JointKind::distance)
    return {body, model::make_joint(0, kind, body, nullptr, model::JointPlace{position_of(body), model::Vec3::Zero()})};
  return {body, model::make_joint(0, kind, body, nullptr, model::Vec3::Zero(), model::Vec3::UnitY())};
}

inline dynamics::Setup without_gravity(dynamics::Setup setup) {
  setup.step.gravity.setZero();
  return setup;
}

}  // namespace scree::test
