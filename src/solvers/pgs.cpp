#include "scree/solvers/pgs.hpp"

namespace scree::solvers {

void pgs(const problem::ContactProblem& problem, Vec x, Monitor& monitor) {
  problem.K.project(x);
  problem::Motion motion = problem.N->motion_at_rest();
  problem.N->set_motion(x, motion);

  while (monitor.wants_more(x, motion)) problem.N->sweep(problem.r, problem.K, x, motion);
  monitor.finish(x);
}

}  // namespace scree::solvers
