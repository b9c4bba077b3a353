#include "scree/solvers/gpminres.hpp"

#include "gradient_projection.hpp"

namespace scree::solvers {

void gpminres(const problem::ContactProblem& problem, Vec x, Monitor& monitor, const GpminresOptions& options) {
  project_gradients(problem, x, monitor, options, nullptr);
}

}  // namespace scree::solvers
