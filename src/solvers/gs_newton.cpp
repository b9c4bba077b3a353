#include "newton_steps.hpp"
#include "scree/solvers/npgs.hpp"

namespace scree::solvers {

using parallel::petsc;

void gs_newton(const problem::ContactProblem& problem, Vec x, Monitor& monitor, const GsNewtonOptions& options) {
  NewtonSteps steps(problem, options);
  problem.K.project(x);
  steps.start_from(x);
  int sweeps = options.sweeps, steps_left = 0;
  double merit_swept = steps.merit();  // of x, to which sweeps return unless Newton's steps have led to less
  while (monitor.wants_more(steps.x, steps.w)) {
    if (steps_left-- > 0 && steps.fruitless() <= options.patience) {
      steps.iterate();
      continue;
    }
    if (steps.merit() < merit_swept) petsc(VecCopy(steps.x, x));
    StopRule rule = monitor.rule();
    rule.max_iterations = sweeps;
    rule.keep_history = rule.all_measures = false;
    Monitor inner(problem, rule);
    npgs(problem, x, inner, {});
    steps.start_from(x);
    merit_swept = steps.merit();
    sweeps *= 2;
    steps_left = options.newton_steps;
  }
  petsc(VecCopy(steps.x, x));
  monitor.finish(x);
}

}  // namespace scree::solvers
