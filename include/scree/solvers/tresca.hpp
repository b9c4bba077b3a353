#pragma once

#include <string>

#include "scree/problem/contact_problem.hpp"
#include "scree/solvers/monitor.hpp"

namespace scree::solvers {

struct TrescaOptions {
  std::string inner = "npgs";  ///< solves the problems with fixed bounds
  int inner_iterations = 50;   ///< at most, per iteration
};

/// Coulomb's law by a fixed point of the friction bounds: the convex problem on cylinders of radius mu x_n is solved,
/// its x_n give the next radii (seed 000 section 3.1; the outlook of seed 003).
void tresca(const problem::ContactProblem& problem, Vec x, Monitor& monitor, const TrescaOptions& options);

}  // namespace scree::solvers
