#pragma once

#include "scree/problem/contact_problem.hpp"
#include "scree/solvers/monitor.hpp"

namespace scree::solvers {

struct ApgdOptions {
  double relaxation =
      0.95;  ///< factor of the curvature bound L after each iteration, 0.5 to 1; L doubles when it fails
};

/// Accelerated projected gradients: Nesterov's recursion in the metric of the diagonal of N, normal and tangential rows
/// apart, with adaptive step and restart. One product an iteration, and one more for each step that was too long.
void apgd(const problem::ContactProblem& problem, Vec x, Monitor& monitor, const ApgdOptions& options);

}  // namespace scree::solvers
