#pragma once

#include "scree/problem/contact_problem.hpp"
#include "scree/solvers/monitor.hpp"

namespace scree::solvers {

struct GpminresOptions {
  double eta1 = 0.1;        ///< gradient steps end when one gains less than this share of the best (seed 003 eq. 18)
  double eta2 = 0.1;        ///< Krylov steps end likewise (eq. 20)
  double armijo = 0.1;      ///< mu of the sufficient-decrease test (eq. 16), 0 to 1/2
  int gradient_steps = 10;  ///< at most, per iteration
  int krylov_steps = 10;    ///< M_max: at most, per iteration
};

/// Gradient projection alternating with minimum-residual Krylov steps along the faces of K that x lies in (seed 003,
/// algorithm GPMINRES, for any convex law).
void gpminres(const problem::ContactProblem& problem, Vec x, Monitor& monitor, const GpminresOptions& options);

}  // namespace scree::solvers
