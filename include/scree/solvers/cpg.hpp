#pragma once

#include "scree/problem/contact_problem.hpp"
#include "scree/solvers/monitor.hpp"

namespace scree::solvers {

/// Conjugate projected gradients (seed 000 algorithm 2, with the projected residual in line 5): the direction of `pgd`
/// made conjugate to the last one, which is projected on the tangent cone too. Two products an iteration.
///
/// For bounds and discs that do not grow with x_n. On polygons and cones, to which the paper does not extend it either,
/// its iterates jam or cycle: the unconstrained step and the projection that follows undo each other. `cpg1` is for
/// these.
void cpg(const problem::ContactProblem& problem, Vec x, Monitor& monitor);

}  // namespace scree::solvers
