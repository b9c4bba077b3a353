#pragma once

#include "scree/problem/contact_problem.hpp"
#include "scree/solvers/monitor.hpp"

namespace scree::solvers {

struct JacobiOptions {
  double omega = 0.3;   ///< step length, 0 to 1 (seed 003 eq. 12)
  double lambda = 1.0;  ///< damping: share of the new iterate, 0 to 1
};

/// Projected Jacobi iteration (seed 003 eq. 12, with the minus before omega that is missing there).
void jacobi(const problem::ContactProblem& problem, Vec x, Monitor& monitor, const JacobiOptions& options);

}  // namespace scree::solvers
