#pragma once

#include "scree/problem/contact_problem.hpp"
#include "scree/solvers/monitor.hpp"

namespace scree::solvers {

struct AdaptiveBoundsOptions {
  int sweeps_per_update = 1;  ///< sweeps after which the bounds follow x_n
};

/// Coulomb's law by sweeps with friction bounds that follow the iterate, instead of an outer loop around converged
/// solves (seed 000 section 3.1, seed 002 eq. 36).
void adaptive_bounds(const problem::ContactProblem& problem, Vec x, Monitor& monitor,
                     const AdaptiveBoundsOptions& options);

}  // namespace scree::solvers
