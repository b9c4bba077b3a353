#include "scree/solvers/adaptive_bounds.hpp"

#include "outer_loop.hpp"

namespace scree::solvers {

void adaptive_bounds(const problem::ContactProblem& problem, Vec x, Monitor& monitor,
                     const AdaptiveBoundsOptions& options) {
  problem.K.project(x);
  problem::Motion motion = problem.N->motion_at_rest();
  problem.N->set_motion(x, motion);
  problem::ConstraintSet fixed = problem.K;
  fixed.law = problem::Law::cylinder;

  // The last bounds may be a little wider than mu x_n: what is judged and returned lies in the cone.
  const parallel::Vector inside = problem.make_vector();
  const auto admissible = [&] {
    parallel::petsc(VecCopy(x, inside));
    problem.K.project(inside);
    return inside.get();
  };
  const auto fill_w = [&](Vec w, Monitor::From) { find_velocity(problem, inside, w); };
  while (monitor.wants_more(admissible(), fill_w)) {
    set_bounds(x, fixed);
    for (int sweep = 0; sweep < options.sweeps_per_update; ++sweep) problem.N->sweep(problem.r, fixed, x, motion);
  }
  parallel::petsc(VecCopy(inside, x));
  monitor.finish(x);
}

}  // namespace scree::solvers
