#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scree/solvers/registry.hpp"
#include "support/frozen.hpp"

// One solve from zero by a solver of the registry, with what it cost.

namespace scree::test {

struct SolverRun {
  Judged judged;
  int iterations;
  bool converged;
  std::int64_t products;
  std::vector<solvers::HistoryEntry> history;  ///< if the rule keeps it
};

/// Collective: a method, from zero.
template <typename Method>
SolverRun run_method(const problem::ContactProblem& problem, const solvers::StopRule& rule, Method&& method) {
  solvers::Monitor monitor(problem, rule);
  const parallel::Vector x = problem.make_vector();
  const std::int64_t before = problem.N->applications();
  method(problem, x, monitor);
  const std::int64_t products = problem.N->applications() - before;
  return {judge(problem, x), monitor.iterations(), monitor.converged(), products, monitor.history()};
}

/// Collective: a solver of the registry, from zero.
inline SolverRun run_solver(const problem::ContactProblem& problem, const std::string& name,
                            const solvers::StopRule& rule, const solvers::OptionValues& options = {}) {
  return run_method(problem, rule, solvers::make_solver(name, options, problem.K.law));
}

}  // namespace scree::test
