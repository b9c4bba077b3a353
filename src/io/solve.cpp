#include "scree/io/solve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string_view>

#include "scree/parallel/petsc.hpp"
#include "scree/solvers/diagnosis.hpp"

namespace scree::io {

using parallel::petsc;
using parallel::Vector;
using problem::ContactProblem;

namespace {

/// Those that scripts rely on.
constexpr std::string_view told_measures[] = {"natural", "natural_q",          "fischer_burmeister",
                                              "energy",  "projected_gradient", "complementarity"};

std::int64_t work_of(const ContactProblem& problem) { return problem.N->applications() + problem.N->sweeps(); }

/// What is known before a solve.
SolveReport heading(const FclibProblem& problem, const SolveRequest& request) {
  return {.problem = problem.name,
          .solver = request.solver,
          .law = std::string(problem::name_of(request.law)),
          .ranks = problem.problem().N->comm().size(),
          .contacts = problem.contacts,
          .bodies = problem.bodies,
          .reason = {},
          .notes = {},
          .errors = {},
          .history = {}};
}

/// Collective: judges x by a product of its own.
void judge(const ContactProblem& problem, Vec x, SolveReport& report) {
  const Vector w = problem.make_vector();
  problem.N->apply(x, w);
  double quadratic = 0.0, linear = 0.0;
  petsc(VecDot(x, w, &quadratic));
  petsc(VecDot(x, problem.r, &linear));
  petsc(VecAXPY(w, 1.0, problem.r));
  report.objective = 0.5 * quadratic + linear;
  report.errors = measure_errors(problem, x, w);
}

}  // namespace

void set_law(ContactProblem& problem, problem::Law law) {
  if (problem::has_fixed_bounds(law)) {
    problem.K.law = problem::Law::frictionless;
    const Vector x = problem.make_vector();
    solvers::Monitor monitor(problem, {.tolerance = 1e-8, .max_iterations = 10000});
    solvers::make_solver("npgs", {}, problem.K.law)(problem, x, monitor);
    const parallel::ReadArray impulse(x);
    problem.K.bound.resize(problem.K.friction.size());
    for (std::size_t k = 0; k < problem.K.bound.size(); ++k)
      problem.K.bound[k] = problem.K.friction[k] * impulse[3 * static_cast<int>(k)];
  }
  problem.K.law = law;
}

SolveReport refused(const FclibProblem& problem, const SolveRequest& request, const std::string& reason) {
  SolveReport report = heading(problem, request);
  report.reason = reason;
  return report;
}

SolveReport solve(const FclibProblem& problem, const SolveRequest& request, Vec x, Vec reference) {
  const ContactProblem& task = problem.problem();
  const parallel::Comm& comm = task.N->comm();
  const solvers::SolveFunction solver = solvers::make_solver(request.solver, request.options, request.law);
  SolveReport report = heading(problem, request);
  const std::int64_t work_before = work_of(task);
  const auto start = std::chrono::steady_clock::now();
  solvers::StopRule rule = request.stop;
  rule.all_measures = rule.keep_history;  // the answer is judged by all of them below
  solvers::Monitor monitor(task, rule);
  if (reference != nullptr) monitor.compare_with(reference);
  if (rule.max_iterations > 0) solver(task, x, monitor);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  report.notes = monitor.notes();
  report.iterations = monitor.iterations();
  report.operator_applications = work_of(task) - work_before;
  report.seconds = comm.max(elapsed.count());
  report.history = monitor.history();
  judge(task, x, report);
  report.converged = value_of(report.errors, request.stop.measure) <= request.stop.tolerance;
  if (rule.max_iterations == 0)
    report.reason = report.converged ? "converged" : "not solved, only judged";
  else if (report.converged || !monitor.converged())
    report.reason = diagnose(monitor).reason;
  else
    report.reason =
        "the error computed anew is above the tolerance that the solver says it reached: ask for less, for rounding in "
        "its "
        "velocities is as large as the error";
  return report;
}

void add_solve(JsonWriter& json, const SolveReport& report) {
  json.begin_object();
  json.field("problem", report.problem);
  json.field("solver", report.solver);
  json.field("law", report.law);
  json.field("ranks", report.ranks);
  json.field("contacts", report.contacts);
  json.field("bodies", report.bodies);
  json.field("converged", report.converged);
  json.field("reason", report.reason);
  json.field("iterations", report.iterations);
  json.field("operator_applications", report.operator_applications);
  json.field("seconds", report.seconds);
  json.field("objective", report.objective);
  json.key("error");
  json.begin_object();
  for (const auto& measure : problem::measures())
    if (std::ranges::count(told_measures, measure.name) > 0)
      json.field(measure.name, value_of(report.errors, measure.measure));
  json.end_object();
  json.end_object();
}

std::string history_csv(const std::vector<solvers::HistoryEntry>& history) {
  const bool compared = !history.empty() && !std::isnan(history.front().velocity_error);
  std::string text = "iteration,products,seconds";
  for (const auto& measure : problem::measures()) text += fmt::format(",{}", measure.name);
  text += fmt::format(",objective,active,active_changes{}\n", compared ? ",velocity_error" : "");
  for (const solvers::HistoryEntry& entry : history) {
    text += fmt::format("{},{},{:.6g}", entry.iteration, entry.operator_applications, entry.seconds);
    for (const auto& measure : problem::measures())
      text += fmt::format(",{:.9g}", value_of(entry.errors, measure.measure));
    text += fmt::format(",{:.12g},{},{}", entry.objective, entry.active, entry.active_changes);
    text += compared ? fmt::format(",{:.9g}\n", entry.velocity_error) : "\n";
  }
  return text;
}

}  // namespace scree::io
