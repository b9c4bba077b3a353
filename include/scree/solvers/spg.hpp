#pragma once

#include <string>

#include "scree/problem/contact_problem.hpp"
#include "scree/solvers/monitor.hpp"

namespace scree::solvers {

struct SpgOptions {
  std::string scaling = "anisotropic";  ///< the preconditioner P: "averaged" (seed 003) or "anisotropic"
  int memory = 10;                      ///< N_GLL: objectives of which the largest bounds the next; 1: monotone
  double armijo = 1e-4;                 ///< xi of line 13, 0 to 1
};

/// Preconditioned spectral projected gradients with fallback (seed 003, algorithm P-SPG-FB), one product an iteration.
///
/// The fallback of lines 24 to 26 is the best iterate that the Monitor keeps: by eq. 24 itself if the measure of the
/// solve is `gradient_step`, else by the measure that was asked for.
void spg(const problem::ContactProblem& problem, Vec x, Monitor& monitor, const SpgOptions& options);

}  // namespace scree::solvers
