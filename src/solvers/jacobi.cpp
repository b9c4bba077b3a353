#include "scree/solvers/jacobi.hpp"

namespace scree::solvers {

using parallel::petsc;
using parallel::Vector;

namespace {

/// B = diag(eta): per contact 1 / N_nn without friction, else the inverse mean of the diagonal of its block, so that a
/// contact's three components are scaled alike and the projection stays a projection. The rows of joints have bounds of
/// their own, so each has its own step; an absent row has none to take.
Vector step_lengths(const problem::ContactProblem& problem) {
  Vector b = problem.make_vector();
  problem.N->diagonal(b);
  const parallel::WriteArray eta(b);
  for (int k = 0; k < eta.size(); k += 3) {
    if (problem.K.is_joint(k / 3)) {
      for (int c = 0; c < 3; ++c) eta[k + c] = eta[k + c] > 0.0 ? 1.0 / eta[k + c] : 0.0;
      continue;
    }
    const bool frictionless = problem.K.law == problem::Law::frictionless;
    const double mean = frictionless ? eta[k] : (eta[k] + eta[k + 1] + eta[k + 2]) / 3.0;
    for (int c = 0; c < 3; ++c) eta[k + c] = 1.0 / mean;
  }
  return b;
}

}  // namespace

void jacobi(const problem::ContactProblem& problem, Vec x, Monitor& monitor, const JacobiOptions& options) {
  const Vector B = step_lengths(problem);
  const Vector w = problem.make_vector();
  const Vector step = problem.make_vector();
  const auto update_w = [&] {
    problem.N->apply(x, w);
    petsc(VecAXPY(w, 1.0, problem.r));
  };

  problem.K.project(x);
  update_w();
  while (monitor.wants_more(x, w)) {
    petsc(VecPointwiseMult(step, B, w));
    petsc(VecAYPX(step, -options.omega, x));  // x~ = x - omega B (N x + r)
    problem.K.project(step);                  // x^ = P_K(x~)
    petsc(VecAXPBY(x, options.lambda, 1.0 - options.lambda, step));
    update_w();
  }
  monitor.finish(x);
}

}  // namespace scree::solvers
