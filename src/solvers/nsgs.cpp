#include "scree/solvers/nsgs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "outer_loop.hpp"
#include "scree/parallel/error.hpp"
#include "scree/problem/local_solvers.hpp"
#include "sweeping.hpp"

namespace scree::solvers {

using problem::Law;
using problem::LocalSolverInfo;

namespace {

const LocalSolverInfo& find_local_solver(const std::string& name, Law law) {
  const auto& all = problem::local_solvers();
  const auto found = std::ranges::find(all, name, &LocalSolverInfo::name);
  if (found != all.end() && found->takes(law)) return *found;
  std::string able;
  for (const LocalSolverInfo& info : all)
    if (info.takes(law)) able += (able.empty() ? "" : ", ") + std::string(info.name);
  throw InputError(fmt::format("option 'local' of solver 'nsgs': '{}' cannot take the law '{}'; those that can are: {}",
                               name, name_of(law), able));
}

void sweep_until_done(const problem::ContactProblem& problem, Vec x, Monitor& monitor, const LocalSolverInfo& local) {
  problem.K.project(x);
  problem::Motion motion = problem.N->motion_at_rest();
  problem.N->set_motion(x, motion);
  const auto fill_w = [&](Vec w, Monitor::From from) { find_velocity(problem, x, motion, from, w); };
  while (monitor.wants_more(x, fill_w)) problem.N->sweep(problem.r, problem.K, x, motion, {local.solve});
  monitor.finish(x);
}

}  // namespace

void nsgs(const problem::ContactProblem& problem, Vec x, Monitor& monitor, const NsgsOptions& options) {
  if (problem.K.law != Law::coulomb || options.bounds == "continuous")
    return sweep_until_done(problem, x, monitor, find_local_solver(options.local, problem.K.law));
  const LocalSolverInfo& local = find_local_solver(options.local, Law::cylinder);
  iterate_bounds(problem, x, monitor, options.inner_iterations,
                 [&](const problem::ContactProblem& fixed, Vec inner_x, Monitor& inner_monitor) {
                   sweep_until_done(fixed, inner_x, inner_monitor, local);
                 });
}

}  // namespace scree::solvers
