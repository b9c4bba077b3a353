#include "scree/solvers/newton.hpp"

#include <fmt/format.h>

#include "newton_steps.hpp"

namespace scree::solvers {

void newton(const problem::ContactProblem& problem, Vec x, Monitor& monitor, const NewtonOptions& options) {
  NewtonSteps steps(problem, options);
  problem.K.project(x);
  steps.start_from(x);
  while (monitor.wants_more(steps.x, steps.w)) {
    if (steps.fruitless() > options.patience) {
      monitor.give_up(
          fmt::format("Newton's line search is exhausted: a local minimum, or a direction that does not descend, at an "
                      "energy error "
                      "of {:.2g} J; start from the impulses of a few sweeps (gs-newton), or take npgs",
                      steps.merit()));
      break;
    }
    steps.iterate();
  }
  parallel::petsc(VecCopy(steps.x, x));
  monitor.finish(x);
}

}  // namespace scree::solvers
