#pragma once

#include <string>

#include "scree/problem/contact_problem.hpp"
#include "scree/solvers/monitor.hpp"

namespace scree::solvers {

struct IpmOptions {
  double step = 0.95;              ///< share of the way to the boundary, 0 to 1
  double least_centring = 0.3;     ///< sigma at least: smaller ones lose problems under Coulomb's law
  int patience = 10;               ///< iterations without a better iterate after which sweeps take over
  std::string subsystem = "auto";  ///< where Newton's linear systems are solved: contacts, bodies (SubsystemOptions)
  std::string linear = "schwarz";  ///< and how, in the space of bodies
};

/// A primal-dual interior point method with Nesterov-Todd scaling and Mehrotra's corrector, for rows with bounds,
/// convex cones and, with De Saxce's shift linearised, Coulomb's law. It moves through the interior from far outside
/// the law: the start is not used, and npgs cleans up what is left when it gets no further.
void ipm(const problem::ContactProblem& problem, Vec x, Monitor& monitor, const IpmOptions& options);

}  // namespace scree::solvers
