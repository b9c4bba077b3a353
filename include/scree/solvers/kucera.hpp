#pragma once

#include "scree/problem/contact_problem.hpp"
#include "scree/solvers/monitor.hpp"

namespace scree::solvers {

struct KuceraOptions {
  double gamma = 1.0;   ///< Gamma: how much larger the free part of the gradient must be before bounds are released
  double step = 1.9;    ///< alpha~ |N|, 0 to 2 (seed 003 uses 1)
  int norm_steps = 15;  ///< Lanczos steps that estimate |N|, each a product
};

/// Kucera's method (seed 003 eq. 25-29): conjugate gradients among the free components, projected where they meet
/// bounds; projected gradient steps where that does not help and where bounds are released. For bounds, and for
/// sections that do not grow with x_n: the two tangential components of a disc or polygon are free or bound together.
void kucera(const problem::ContactProblem& problem, Vec x, Monitor& monitor, const KuceraOptions& options);

}  // namespace scree::solvers
