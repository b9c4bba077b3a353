#pragma once

#include <vector>

#include "scree/dynamics/joint_partners.hpp"
#include "scree/dynamics/stabilisation.hpp"
#include "scree/model/bodies.hpp"
#include "scree/problem/admissible_set.hpp"
#include "scree/problem/body_operator.hpp"

namespace scree::dynamics {

/// What the joints of this rank add to the problem of a step: blocks of three rows. Rows that stop turns are scaled by
/// the radius of the joint's first body, so that all speeds are m/s and all impulses N s.
struct JointRows {
  std::vector<problem::RowBlock> blocks;
  std::vector<problem::RowBounds> bounds;  ///< of each block
  std::vector<double> offset;              ///< s of each row, to be added to D^T v* (m/s)
  std::vector<double> compliance;          ///< C of each row (1/kg)
  std::vector<int> first_row = {0};        ///< of each joint, and one past the last
};

/// The rows of the joints for bodies at v*, in their order; angles of hinges are brought up to date.
///
/// Their errors are fed back as `how` says. Except with spook, a row also gets its curvature: what its error gains in
/// the step beyond the linear G v*, measured at the places that free flight leads to. With gap the step then ends where
/// the constraint holds, up to O(h^3): v* + M^-1 D x is the half-step velocity of the SHAKE scheme, which is
/// symplectic, so pendulums keep their energy for long.
[[nodiscard]] JointRows build_joint_rows(const model::Bodies& bodies, std::vector<PlacedJoint>& joints,
                                         const Stabilisation& how, double step, const model::Vec3& gravity);

/// How far the joint is from what it should hold: the distance that parts its anchors (m), across the axis for sliders.
[[nodiscard]] double gap_of(const model::Bodies& bodies, const PlacedJoint& placed);

}  // namespace scree::dynamics
