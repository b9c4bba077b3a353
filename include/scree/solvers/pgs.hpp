#pragma once

#include "scree/problem/contact_problem.hpp"
#include "scree/solvers/monitor.hpp"

namespace scree::solvers {

/// Projected Gauss-Seidel: sweeps in which each contact's own problem is solved exactly (seed 000 section 3.2).
void pgs(const problem::ContactProblem& problem, Vec x, Monitor& monitor);

}  // namespace scree::solvers
