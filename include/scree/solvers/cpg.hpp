#pragma once

#include "scree/problem/contact_problem.hpp"
#include "scree/solvers/monitor.hpp"

namespace scree::solvers {

/// Conjugate projected gradients (seed 000 algorithm 2, with the projected residual in line 5): the direction of `pgd`
/// made conjugate to the last one, which is projected on the tangent cone too. Two products an iteration.
///
/// For bounds and discs that do not grow with x_n. With K's own projections of polygons and cones in place of the
/// paper's boxes that follow x_n, iterates jam or cycle: the unconstrained step and the projection that follows undo
/// each other. `cpg1` is for these.
void cpg(const problem::ContactProblem& problem, Vec x, Monitor& monitor);

}  // namespace scree::solvers
