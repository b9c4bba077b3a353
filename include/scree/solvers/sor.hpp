#pragma once

#include "scree/problem/contact_problem.hpp"
#include "scree/solvers/monitor.hpp"

namespace scree::solvers {

struct SorOptions {
  double omega = 1.0;  ///< over-relaxation, 0 to 2; 1: Gauss-Seidel (seed 004 eq. 6)
};

/// Projected successive over-relaxation, component by component (seed 002 algorithms 2.1 and 2.2, seed 004 algorithm
/// 4.1), contacts and joints alike.
void sor(const problem::ContactProblem& problem, Vec x, Monitor& monitor, const SorOptions& options);

}  // namespace scree::solvers
