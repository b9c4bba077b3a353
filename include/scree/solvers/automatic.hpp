#pragma once

#include "scree/problem/contact_problem.hpp"
#include "scree/solvers/monitor.hpp"

namespace scree::solvers {

struct AutomaticOptions {
  double tight = 1e-6;  ///< tolerances up to this are not left to sweeps where Newton steps cost little
};

/// Chooses: `npgs` where it serves, `proximal` where sweeps are too slow and factors cheap enough. Sweeps go on until
/// they have cost about what Newton's method would, and are handed over if they would need as much again. Where
/// `proximal` gets no further, `ipm` takes over. Decisions depend on the problem and on errors alone, never on clocks,
/// and are noted in the monitor.
void automatic(const problem::ContactProblem& problem, Vec x, Monitor& monitor, const AutomaticOptions& options);

}  // namespace scree::solvers
