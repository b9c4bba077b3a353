#pragma once

#include <string>

#include "scree/solvers/gpminres.hpp"

namespace scree::solvers {

struct GpminresPOptions : GpminresOptions {
  /// Of the free block: "bjacobi" (per rank an incomplete Cholesky factorisation), "gamg" (algebraic multigrid) or
  /// "cholesky" (complete, by MUMPS)
  std::string preconditioner = "bjacobi";
  double shift = 1e-6;  ///< what makes a singular free block regular, relative to its largest diagonal entry
};

/// GPMINRES whose Krylov steps are preconditioned by a factorisation of the free block, which is perturbed where it is
/// singular (seed 003, GPMINRES-P). N is assembled.
void gpminres_p(const problem::ContactProblem& problem, Vec x, Monitor& monitor, const GpminresPOptions& options);

}  // namespace scree::solvers
