#pragma once

#include <string>

#include "scree/problem/contact_problem.hpp"
#include "scree/solvers/monitor.hpp"

namespace scree::solvers {

struct NpgsOptions {
  int refresh_every = 300;        ///< sweeps after which velocities are recomputed from impulses, against rounding
  std::string sweep = "forward";  ///< or "symmetric": forward and backward as one step, for redundant contacts
};

/// Projected Gauss-Seidel sweeps inside Nesterov's recursion, restarted when the step turns against the last one and
/// when the objective rises.
void npgs(const problem::ContactProblem& problem, Vec x, Monitor& monitor, const NpgsOptions& options);

}  // namespace scree::solvers
