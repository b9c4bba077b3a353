#pragma once

#include <string>

#include "scree/problem/contact_problem.hpp"
#include "scree/solvers/monitor.hpp"

namespace scree::solvers {

struct NsgsOptions {
  std::string local = "newton";       ///< solver of a block's own problem, one of problem::local_solvers()
  std::string bounds = "continuous";  ///< Coulomb's friction bounds follow x_n within a sweep, or in an `outer` loop
  int inner_iterations = 50;          ///< sweeps per iteration of the outer loop, at most
};

/// Block Gauss-Seidel with contactwise subproblems (seed 000 section 3.1). `outer` is the fixed point of `tresca`
/// around these sweeps. Throws InputError if the local solver cannot take the law.
void nsgs(const problem::ContactProblem& problem, Vec x, Monitor& monitor, const NsgsOptions& options);

}  // namespace scree::solvers
