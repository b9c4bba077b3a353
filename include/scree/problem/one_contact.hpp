#pragma once

#include "scree/model/geometry.hpp"
#include "scree/problem/constraint_set.hpp"

namespace scree::problem {

/// The exact solution of one block's own problem: x in the set of the block with the law between x and w = N x + q.
/// N is a positive semidefinite 3x3 block, symmetric or nearly so; `start` is a guess, such as the last impulse. If
/// there is no solution (N singular and q not in its range, or friction so strong that the law has none) the best point
/// found.
[[nodiscard]] model::Vec3 solve_block(const ConstraintSet& set, int block, const model::Mat3& N, const model::Vec3& q,
                                      const model::Vec3& start);

/// The same for a set by itself and its convex law.
[[nodiscard]] model::Vec3 solve_convex(const AdmissibleSet& set, const model::Mat3& N, const model::Vec3& q,
                                       const model::Vec3& start);

/// The same for Coulomb's law on the cone of opening mu.
[[nodiscard]] model::Vec3 solve_coulomb(double mu, const model::Mat3& N, const model::Vec3& q,
                                        const model::Vec3& start);

/// The nearest admissible point in the metric diag(metric): the convex problem with a diagonal matrix.
[[nodiscard]] model::Vec3 project_in_metric(const AdmissibleSet& set, const model::Vec3& x, const model::Vec3& metric);

/// How far x is from solving the problem of solve_block: |x - P(x - rho w~)| with rho = 1 / largest diagonal of N.
[[nodiscard]] double block_residual(const ConstraintSet& set, int block, const model::Mat3& N, const model::Vec3& q,
                                    const model::Vec3& x);

}  // namespace scree::problem
