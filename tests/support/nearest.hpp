#pragma once

#include <vector>

#include "scree/problem/constraint_set.hpp"

// Admissible sets described by their corners and edges, apart from the library: the nearest point by brute force, and
// the conditions by which a point is a solution.

namespace scree::test {

/// The laws under which every bed has a solution: if all its contacts were bilateral, there would be more conditions
/// than velocities.
std::vector<problem::LawInfo> laws_of_beds();

/// The corners of a contact's section at radius 1; none for a disc.
std::vector<Eigen::Vector2d> section_corners(const problem::ConstraintSet& set, int k);

bool is_cone_shaped(problem::Law law);

bool is_bilateral(const problem::ConstraintSet& set, int k);

/// The nearest point of the friction cone: the point itself, or the nearest on the generator in its plane.
model::Vec3 nearest_in_cone(const model::Vec3& x, double mu);

/// The nearest point of block k's admissible set, written independently of the library, in the metric diag(metric);
/// round sets: with equal tangential entries only.
model::Vec3 nearest_admissible(const problem::ConstraintSet& set, int k, const model::Vec3& x,
                               const model::Vec3& metric = model::Vec3::Ones());

/// By how much p violates the worst of the bounds of block k; 0 inside.
double excess(const problem::ConstraintSet& set, int k, const model::Vec3& p);

/// How well p solves "g points nowhere into K from p", g.(y - p) <= 0 for all y in K, which makes p the solution of a
/// convex problem whose descent direction at p is g: the projection of x for g = x - p, a contact problem for g = -w.
struct Optimality {
  double outside;  ///< distance of p from the set
  double descent;  ///< largest gain g.(y - p) over y in K within the distance |p| + size of p, in units of |g|
};

Optimality optimality(const problem::ConstraintSet& set, int k, const model::Vec3& p, const model::Vec3& g);

}  // namespace scree::test
