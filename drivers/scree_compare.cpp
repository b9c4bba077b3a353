// scree-compare: runs several solvers on several contact problems.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "scree/io/atomic_file.hpp"
#include "scree/io/fclib_reader.hpp"
#include "scree/io/program.hpp"
#include "scree/io/solve.hpp"
#include "solve_options.hpp"

namespace {

using namespace scree;

struct Options {
  std::vector<std::string> problems;
  std::vector<std::string> solvers;
  std::string json;
  io::SolveRequest request;
};

/// All solvers that can take a law.
std::vector<std::string> able_solvers(problem::Law law) {
  std::vector<std::string> names;
  for (const solvers::SolverInfo& solver : solvers::registry())
    if (std::ranges::count(solver.laws, law) > 0) names.push_back(solver.name);
  return names;
}

/// Nothing: all is done already (help, version, list).
std::optional<Options> parse(const parallel::Comm& comm, const io::Arguments& arguments) {
  Options options;
  SolveOptions solving;
  std::string solvers;
  CLI::App app("Runs solvers on contact problems. What follows -- goes to PETSc.", "scree-compare");
  app.add_option("PROBLEM", options.problems, "FCLIB files, local or global (see docs/fclib.md)");
  app.add_option("--solvers", solvers, "solvers a,b,c [all that take the law]");
  solving.add_to(app);
  app.add_option("--json", options.json, "file for the numbers of all solves");
  if (!parse_command_line(comm, app, arguments)) return std::nullopt;
  if (options.problems.empty()) throw InputError("PROBLEM is required: see scree-compare --help");
  options.request = solving.request();
  options.solvers = solvers.empty() ? able_solvers(options.request.law) : CLI::detail::split(solvers, ',');
  for (const std::string& solver : options.solvers)
    (void)scree::solvers::make_solver(solver, options.request.options, options.request.law);
  return options;
}

/// Runs the solves one after another, prints a line about each and keeps its numbers.
class Comparison {
 public:
  Comparison(const parallel::Comm& comm, const Options& options) : comm_(comm), options_(options) {
    json_.begin_array();
    if (comm.is_root())
      fmt::print("{:<36}{:>10}{:<12}{:>12}{:>12}{:>12}  {}\n", "problem", "contacts", "  solver", "iterations",
                 "seconds", "error", "converged");
  }

  void run(const std::string& file) {
    try {
      io::FclibProblem problem = io::read_problem(comm_, file);
      if (comm_.is_root() && !problem.warning.empty())
        fmt::print(stderr, "scree-compare: warning: {}\n", problem.warning);
      io::set_law(problem.problem(), options_.request.law);
      for (const std::string& solver : options_.solvers) run(problem, solver);
    } catch (const InputError& error) {  // on all ranks alike
      note_failure(error.what());
    }
  }

  /// The JSON text of all solves; nothing can be added any more.
  [[nodiscard]] std::string finish() {
    json_.end_array();
    return json_.text();
  }

  [[nodiscard]] const std::string& first_failure() const { return first_failure_; }

 private:
  void run(const io::FclibProblem& problem, const std::string& solver) {
    io::SolveRequest request = options_.request;
    request.solver = solver;
    const parallel::Vector x = problem.problem().make_vector();
    const io::SolveReport report = io::solve(problem, request, x);
    add_solve(json_, report);
    if (comm_.is_root())
      fmt::print("{:<36}{:>10}  {:<10}{:>12}{:>12.3g}{:>12.2e}  {}\n", report.problem, report.contacts, report.solver,
                 report.iterations, report.seconds, value_of(report.errors, request.stop.measure),
                 report.converged ? "yes" : "no");
  }

  void note_failure(const std::string& message) {
    if (comm_.is_root()) fmt::print("failed: {}\n", message);
    if (first_failure_.empty()) first_failure_ = message;
  }

  const parallel::Comm& comm_;
  const Options& options_;
  io::JsonWriter json_;
  std::string first_failure_;
};

int run(const parallel::Comm& comm, const io::Arguments& arguments) {
  const auto options = parse(comm, arguments);
  if (!options) return 0;
  if (!options->json.empty()) io::require_writable_file(comm, options->json);
  Comparison comparison(comm, *options);
  for (const std::string& file : options->problems) comparison.run(file);
  if (!options->json.empty()) io::write_file(comm, options->json, comparison.finish());
  if (!comparison.first_failure().empty()) throw InputError(comparison.first_failure());
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return scree::io::run_program("scree-compare", argc, argv, run); }
