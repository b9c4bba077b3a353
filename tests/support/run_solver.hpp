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

/// Collective.
inline SolverRun run_solver(const problem::ContactProblem& problem, const std::string& name,
                            const solvers::StopRule& rule, const solvers::OptionValues& options = {}) {
  solvers::Monitor monitor(problem, rule);
  const parallel::Vector x = problem.make_vector();
  const std::int64_t before = problem.N->applications();
  solvers::make_solver(name, options, problem.K.law)(problem, x, monitor);
  const std::int64_t products = problem.N->applications() - before;
  return {judge(problem, x), monitor.iterations(), monitor.converged(), products, monitor.history()};
}

}  // namespace scree::test
