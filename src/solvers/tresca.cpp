#include "scree/solvers/tresca.hpp"

#include "outer_loop.hpp"
#include "scree/solvers/registry.hpp"

namespace scree::solvers {

void tresca(const problem::ContactProblem& problem, Vec x, Monitor& monitor, const TrescaOptions& options) {
  const SolveFunction inner = make_solver(options.inner, {}, problem::Law::cylinder);
  problem::ContactProblem fixed = with_law(problem, problem::Law::cylinder);
  const parallel::Vector w = problem.make_vector();
  problem.K.project(x);
  find_velocity(problem, x, w);
  while (monitor.wants_more(x, w)) {
    set_bounds(x, fixed.K);
    Monitor inner_monitor(fixed, inner_rule(monitor, options.inner_iterations));
    inner(fixed, x, inner_monitor);
    problem.K.project(x);  // x_n moved, and the cylinder is no longer inside the cone
    find_velocity(problem, x, w);
  }
  monitor.finish(x);
}

}  // namespace scree::solvers
