#pragma once

#include <string>

#include "scree/problem/contact_problem.hpp"
#include "scree/solvers/monitor.hpp"

namespace scree::solvers {

struct DeSaxceOptions {
  std::string inner = "npgs";  ///< solves the convex problems
  int inner_iterations = 50;   ///< at most, per iteration
};

/// Coulomb's law by De Saxce's shift: with s = mu |w_T| fixed, w + s n in the dual cone is the convex problem on cones
/// with r + s n in place of r. Its solution gives the next shift.
void de_saxce(const problem::ContactProblem& problem, Vec x, Monitor& monitor, const DeSaxceOptions& options);

}  // namespace scree::solvers
