#include "scree/solvers/sor.hpp"

#include "scree/problem/local_solvers.hpp"

namespace scree::solvers {

using model::Mat3;
using model::Vec3;

void sor(const problem::ContactProblem& problem, Vec x, Monitor& monitor, const SorOptions& options) {
  problem.K.project(x);
  problem::Motion motion = problem.N->motion_at_rest();
  problem.N->set_motion(x, motion);  // v = sum of s_i x_i

  // x_i <- f+( x_i - omega / g_i (E_i v - e_i) ), v <- v + s_i (change of x_i), for the rows i of each block in turn.
  const problem::Relaxation by_rows{
      [omega = options.omega](const problem::ConstraintSet& set, int block, const Mat3& N, const Vec3& q,
                              const Vec3& start) { return relax_rows(set, block, N, q, start, omega); }};
  while (monitor.wants_more(x, motion)) problem.N->sweep(problem.r, problem.K, x, motion, by_rows);
  monitor.finish(x);
}

}  // namespace scree::solvers
