#pragma once

#include <string>

#include "scree/problem/contact_problem.hpp"
#include "scree/solvers/monitor.hpp"

namespace scree::solvers {

struct ProximalOptions {
  int sweeps = 5;                  ///< of Gauss-Seidel to begin with: more cost more than the Newton steps they save
  double alpha = 1e-2;             ///< first weight of the proximal term, relative to the diagonal of N, 1e-9 to 10
  int newton_steps = 15;           ///< per proximal step, at most
  int patience = 200;              ///< proximal steps without a better iterate after which it gives up
  std::string subsystem = "auto";  ///< where Newton's linear systems are solved: contacts, bodies (SubsystemOptions)
  std::string linear = "schwarz";  ///< and how, in the space of bodies
};

/// Proximal points: a series of problems with N + alpha m, r - alpha m x_k (m: the mean diagonal of each block), each
/// solved by a semismooth Newton method on the projection equation, Alart and Curnier's for Coulomb's law, with factors
/// of the whole matrix. The weight alpha falls while Newton's method converges and grows when it does not. For accurate
/// solutions of every law, redundant contacts and unsymmetric N included.
void proximal(const problem::ContactProblem& problem, Vec x, Monitor& monitor, const ProximalOptions& options);

}  // namespace scree::solvers
