#include "scree/solvers/nsgs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "outer_loop.hpp"
#include "scree/parallel/error.hpp"
#include "scree/problem/local_solvers.hpp"

namespace scree::solvers {

using problem::Law;
using problem::LawSet;
using problem::LocalSolverInfo;

namespace {

const LocalSolverInfo& find_local_solver(const std::string& name, LawSet laws) {
  const auto& all = problem::local_solvers();
  const auto takes_all = [&](const LocalSolverInfo& info) { return std::ranges::all_of(laws.listed(), info.takes); };
  const auto found = std::ranges::find(all, name, &LocalSolverInfo::name);
  if (found != all.end() && takes_all(*found)) return *found;
  std::vector<std::string_view> able, asked;
  for (const LocalSolverInfo& info : all)
    if (takes_all(info)) able.push_back(info.name);
  for (const Law law : laws.listed()) asked.push_back(name_of(law));
  throw InputError(fmt::format("option 'local' of solver 'nsgs': '{}' cannot take the law '{}'; those that can are: {}",
                               name, fmt::join(asked, " + "), fmt::join(able, ", ")));
}

void sweep_until_done(const problem::ContactProblem& problem, Vec x, Monitor& monitor, const LocalSolverInfo& local) {
  problem.K.project(x);
  problem::Motion motion = problem.N->motion_at_rest();
  problem.N->set_motion(x, motion);
  while (monitor.wants_more(x, motion)) problem.N->sweep(problem.r, problem.K, x, motion, {local.solve});
  monitor.finish(x);
}

}  // namespace

void nsgs(const problem::ContactProblem& problem, Vec x, Monitor& monitor, const NsgsOptions& options) {
  if (is_convex(problem.K.all_laws()) || options.bounds == "continuous")
    return sweep_until_done(problem, x, monitor, find_local_solver(options.local, problem.K.all_laws()));
  LawSet inner_laws = problem.K.exceptions;
  inner_laws.insert(Law::cylinder);
  const LocalSolverInfo& local = find_local_solver(options.local, inner_laws);
  iterate_bounds(problem, x, monitor, options.inner_iterations,
                 [&](const problem::ContactProblem& fixed, Vec inner_x, Monitor& inner_monitor) {
                   sweep_until_done(fixed, inner_x, inner_monitor, local);
                 });
}

}  // namespace scree::solvers
