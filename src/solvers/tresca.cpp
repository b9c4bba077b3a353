#include "scree/solvers/tresca.hpp"

#include "outer_loop.hpp"
#include "scree/solvers/registry.hpp"

namespace scree::solvers {

void tresca(const problem::ContactProblem& problem, Vec x, Monitor& monitor, const TrescaOptions& options) {
  iterate_bounds(problem, x, monitor, options.inner_iterations, make_solver(options.inner, {}, problem::Law::cylinder));
}

}  // namespace scree::solvers
