#pragma once

#include "scree/problem/contact_problem.hpp"
#include "scree/solvers/monitor.hpp"

namespace scree::solvers {

/// The complementarity problem l <= x <= u by trying every set of rows at their bounds (total enumeration, seed 000
/// section 3.1): 2 for each one-sided row, 3 for each row between two bounds. For problems of a dozen rows, to check
/// other methods with. For bounds: frictionless contacts, boxes, joints.
void enumerate(const problem::ContactProblem& problem, Vec x, Monitor& monitor);

}  // namespace scree::solvers
