#include "scree/solvers/de_saxce.hpp"

#include <cmath>

#include "outer_loop.hpp"
#include "scree/solvers/registry.hpp"

namespace scree::solvers {

namespace {

/// shifted <- r + mu |w_T| n on contacts.
void shift_offsets(const problem::ContactProblem& problem, Vec w, Vec shifted) {
  parallel::petsc(VecCopy(problem.r, shifted));
  const parallel::ReadArray velocity(w);
  const parallel::WriteArray out(shifted);
  for (int k = 0; k < problem.K.contact_count(); ++k)
    out[3 * k] +=
        problem.K.friction[static_cast<std::size_t>(k)] * std::hypot(velocity[3 * k + 1], velocity[3 * k + 2]);
}

}  // namespace

void de_saxce(const problem::ContactProblem& problem, Vec x, Monitor& monitor, const DeSaxceOptions& options) {
  const SolveFunction inner = make_solver(options.inner, {}, problem::Law::cone);
  const problem::ContactProblem convex = with_law(problem, problem::Law::cone);
  const parallel::Vector w = problem.make_vector();
  problem.K.project(x);
  find_velocity(problem, x, w);
  while (monitor.wants_more(x, w)) {
    shift_offsets(problem, w, convex.r);
    Monitor inner_monitor(convex, inner_rule(monitor, options.inner_iterations));
    inner(convex, x, inner_monitor);
    find_velocity(problem, x, w);
  }
  monitor.finish(x);
}

}  // namespace scree::solvers
