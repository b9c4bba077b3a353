#pragma once

#include <petscvec.h>

#include <cstdint>
#include <string>
#include <vector>

#include "scree/io/fclib_reader.hpp"
#include "scree/io/json.hpp"
#include "scree/problem/error_measure.hpp"
#include "scree/solvers/monitor.hpp"
#include "scree/solvers/registry.hpp"

namespace scree::io {

/// What to solve a problem with.
struct SolveRequest {
  std::string solver = "auto";
  solvers::OptionValues options;
  problem::Law law = problem::Law::coulomb;
  solvers::StopRule stop{.tolerance = 1e-4, .max_iterations = 10000, .all_measures = false};
};

/// What came out, equal on all ranks. Errors and objective are computed from the impulses alone, not by the solver.
struct SolveReport {
  std::string problem;
  std::string solver;
  std::string law;
  int ranks = 1;
  std::int64_t contacts = 0;
  std::int64_t bodies = 0;  ///< 0: the problem does not tell
  bool converged = false;
  std::string reason;              ///< "converged", or why not and what to try
  std::vector<std::string> notes;  ///< what the solver decided and why
  int iterations = 0;
  std::int64_t operator_applications = 0;  ///< products and sweeps
  double seconds = 0.0;                    ///< wall clock of the solver, of the slowest rank
  double objective = 0.0;                  ///< 1/2 x.N x + r.x (J)
  problem::ErrorMeasures errors;
  std::vector<solvers::HistoryEntry> history;  ///< if the stop rule asks for it
};

/// Collective: lays down the law of a problem. Laws with fixed bounds get mu x_n, with x_n of a frictionless solve.
void set_law(problem::ContactProblem& problem, problem::Law law);

/// Collective: solves a problem, whose law is set, from x. Throws InputError if the solver cannot. With no
/// iterations at all x is only judged, admissible or not. The history tells
/// how far the velocities are from those of `reference`, impulses that solve the problem, if there are any.
[[nodiscard]] SolveReport solve(const FclibProblem& problem, const SolveRequest& request, Vec x,
                                Vec reference = nullptr);

/// What there is to tell of a problem that the solver did not take.
[[nodiscard]] SolveReport refused(const FclibProblem& problem, const SolveRequest& request, const std::string& reason);

/// Adds the object of a solve to a JSON text.
void add_solve(JsonWriter& json, const SolveReport& report);

/// A line per judged iterate: iteration, products, seconds, each measure, objective, the active set and, where iterates
/// were compared with a reference, the error of their velocities.
[[nodiscard]] std::string history_csv(const std::vector<solvers::HistoryEntry>& history);

}  // namespace scree::io
