#pragma once

#include "scree/problem/contact_problem.hpp"
#include "scree/solvers/monitor.hpp"

namespace scree::solvers {

/// Projected gradient descent (seed 000 algorithm 1): the negative gradient, projected on the tangent cone, gives the
/// length of the step to the minimum along it; then K's projection brings the iterate back. Two products an iteration.
void pgd(const problem::ContactProblem& problem, Vec x, Monitor& monitor);

}  // namespace scree::solvers
