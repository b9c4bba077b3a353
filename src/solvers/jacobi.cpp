#include "scree/solvers/jacobi.hpp"

#include "gradient.hpp"

namespace scree::solvers {

using parallel::petsc;
using parallel::Vector;

void jacobi(const problem::ContactProblem& problem, Vec x, Monitor& monitor, const JacobiOptions& options) {
  const Vector B = diagonal_scaling(problem, "averaged");
  petsc(VecReciprocal(B));
  const Vector w = problem.make_vector();
  const Vector step = problem.make_vector();
  problem.K.project(x);
  find_velocity(problem, x, w);
  while (monitor.wants_more(x, w)) {
    petsc(VecPointwiseMult(step, B, w));
    petsc(VecAYPX(step, -options.omega, x));  // x~ = x - omega B (N x + r)
    problem.K.project(step);                  // x^ = P_K(x~)
    petsc(VecAXPBY(x, options.lambda, 1.0 - options.lambda, step));
    find_velocity(problem, x, w);
  }
  monitor.finish(x);
}

}  // namespace scree::solvers
