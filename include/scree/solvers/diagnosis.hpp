#pragma once

#include <string>

#include "scree/solvers/monitor.hpp"

namespace scree::solvers {

/// How a solve ended.
enum class Ending {
  converged,
  falling,     ///< out of iterations while the error still fell
  stalled,     ///< out of iterations, and the error had not fallen for a while
  diverged,    ///< the error grew
  gave_up,     ///< the method itself found that it cannot go on
  not_finite,  ///< numbers were infinite or none
};

struct Diagnosis {
  Ending ending;
  /// One line: what happened and what to try; "converged" if there is nothing to try.
  std::string reason;
};

/// Iterations that are still needed if the error goes on to fall as it did in the second half of those made; infinite
/// if it does not fall.
[[nodiscard]] double iterations_to_go(const Monitor& monitor);

/// Why a solve ended as it did, judged by the errors on its way. The same on all ranks.
[[nodiscard]] Diagnosis diagnose(const Monitor& monitor);

}  // namespace scree::solvers
