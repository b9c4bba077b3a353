#include "scree/solvers/pgs.hpp"

#include "sweeping.hpp"

namespace scree::solvers {

void pgs(const problem::ContactProblem& problem, Vec x, Monitor& monitor) {
  problem.K.project(x);
  problem::Motion motion = problem.N->motion_at_rest();
  problem.N->set_motion(x, motion);
  const auto fill_w = [&](Vec w, Monitor::From from) { find_velocity(problem, x, motion, from, w); };

  while (monitor.wants_more(x, fill_w)) problem.N->sweep(problem.r, problem.K, x, motion);
  monitor.finish(x);
}

}  // namespace scree::solvers
