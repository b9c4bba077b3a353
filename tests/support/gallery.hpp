#pragma once

#include <vector>

#include "support/frozen.hpp"
#include "support/sparse_forms.hpp"

// Contact problems that methods are known to differ on, in matrices: bodies of six degrees of freedom on which gravity
// has pulled for one step.

namespace scree::test {

/// Builds a problem body by body, contact by contact.
class ProblemBuilder {
 public:
  static constexpr double step = 5e-3;  // s

  /// A body with its mass (kg) and moments of inertia (kg m^2); `push` is a force beside its weight (N).
  int add_body(double mass, const model::Vec3& inertia, const model::Vec3& push = model::Vec3::Zero()) {
    bodies_.push_back({mass, inertia, push});
    return static_cast<int>(bodies_.size()) - 1;
  }
  /// A contact where `normal` pushes the body `upper` away from `lower` (-1: the ground); arms from the centres (m).
  void add_contact(int upper, const model::Vec3& arm, int lower, const model::Vec3& lower_arm,
                   const model::Vec3& normal) {
    contacts_.push_back({upper, lower, arm, lower_arm, normal});
  }

  [[nodiscard]] DenseGlobal build(double friction) const;

 private:
  struct Body {
    double mass;
    model::Vec3 inertia, push;
  };
  struct Contact {
    int upper, lower;
    model::Vec3 arm, lower_arm, normal;
  };

  std::vector<Body> bodies_;
  std::vector<Contact> contacts_;
};

/// Spheres of these masses (kg) on top of each other, of radius 0.5 m, with a wind of a tenth of their weight.
DenseGlobal stack_of_spheres(const std::vector<double>& masses, double friction);

/// Spheres of 1 kg and radius 0.5 m that lie in a row, the first `links` contacts being those that hold each to the one
/// before it, the first to the world; then those with the floor. A wind lifts the last and presses it sideways.
DenseGlobal chain_of_spheres(int links, double friction);

/// Boxes of 1 kg and 1 m on top of each other, each on four feet at its corners: of twelve impulses a box only six are
/// determined. A wind of a tenth of the weight blows.
DenseGlobal tower_of_boxes(int height, double friction = 0.5);

/// A wall of bricks of 0.4 x 0.2 x 0.2 m and 2 kg, rows of two and of three by turns (seed 001 section 5), each brick
/// on the corners of what it shares with those below. The uppermost row is pushed along the wall.
DenseGlobal brick_wall(int rows, double friction);

}  // namespace scree::test
