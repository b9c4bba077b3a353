// scree-compare: runs several solvers on several contact problems.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "command_line.hpp"
#include "scree/io/atomic_file.hpp"
#include "scree/io/convergence_plots.hpp"
#include "scree/io/fclib_reader.hpp"
#include "scree/io/program.hpp"
#include "scree/io/solve.hpp"
#include "solve_options.hpp"

namespace {

using namespace scree;

struct Options {
  std::vector<std::string> problems;
  std::vector<std::string> solvers;
  bool named = false;  ///< solvers that were not asked for by name may refuse a problem
  std::string json;
  std::string plots;
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
  app.add_option("--plots", options.plots, "directory for pictures of the convergence on each problem");
  if (!parse_command_line(comm, app, arguments)) return std::nullopt;
  if (options.problems.empty()) throw InputError("PROBLEM is required: see scree-compare --help");
  options.request = solving.request();
  if (!options.plots.empty()) {
    options.request.stop.keep_history = true;
    options.request.stop.check_every = 1;
  }
  options.named = !solvers.empty();
  options.solvers = solvers.empty() ? able_solvers(options.request.law) : CLI::detail::split(solvers, ',');
  for (const std::string& solver : options.solvers)
    (void)scree::solvers::make_solver(solver, options.request.options, options.request.law);
  return options;
}

/// Those that converged by time, then the others by error, then those that could not begin.
std::vector<io::SolveReport> ranked(std::vector<io::SolveReport> reports, problem::Measure measure) {
  const auto key = [&](const io::SolveReport& report) {
    const double error = value_of(report.errors, measure);
    const int group = report.converged ? 0 : std::isfinite(error) ? 1 : 2;
    return std::pair(group, group == 0 ? report.seconds : group == 1 ? error : 0.0);
  };
  std::ranges::stable_sort(reports, {}, key);
  return reports;
}

/// Runs the solves one after another, prints a line about each and keeps its numbers.
class Comparison {
 public:
  Comparison(const parallel::Comm& comm, const Options& options) : comm_(comm), options_(options) {
    json_.begin_array();
  }

  void run(const std::string& file) {
    try {
      io::FclibProblem problem = io::read_problem(comm_, file);
      if (comm_.is_root() && !problem.warning.empty())
        fmt::print(stderr, "scree-compare: warning: {}\n", problem.warning);
      io::set_law(problem.problem(), options_.request.law);
      std::vector<io::SolveReport> reports;
      for (const std::string& solver : options_.solvers) reports.push_back(run(problem, solver));
      if (comm_.is_root()) print(problem, ranked(reports, options_.request.stop.measure));
      if (!options_.plots.empty()) draw(std::move(reports));
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
  [[nodiscard]] io::SolveReport run(const io::FclibProblem& problem, const std::string& solver) {
    io::SolveRequest request = options_.request;
    request.solver = solver;
    io::SolveReport report;
    try {
      const parallel::Vector x = problem.problem().make_vector();
      report = io::solve(problem, request, x);
    } catch (const InputError& error) {  // the solver does not take this problem
      report = io::refused(problem, request, error.what());
      if (options_.named) note_failure(error.what());
    }
    add_solve(json_, report);
    return report;
  }

  void print(const io::FclibProblem& problem, const std::vector<io::SolveReport>& reports) const {
    const problem::Measure measure = options_.request.stop.measure;
    fmt::print("{}: {} contacts, law {}, {} {}\n", problem.name, problem.contacts, name_of(options_.request.law),
               comm_.size(), comm_.size() == 1 ? "rank" : "ranks");
    fmt::print("  {:>4}  {:<16}{:>12}{:>12}{:>12}{:>12}  {}\n", "", "solver", "iterations", "products", "seconds",
               fmt::format("{}", name_of(measure)), "end");
    for (std::size_t k = 0; k < reports.size(); ++k) {
      const io::SolveReport& report = reports[k];
      fmt::print("  {:>4}  {:<16}{:>12}{:>12}{:>12.3g}{:>12.2e}  {}\n", k + 1, report.solver, report.iterations,
                 report.operator_applications, report.seconds, value_of(report.errors, measure), report.reason);
    }
    std::fflush(stdout);
  }

  void draw(std::vector<io::SolveReport> reports) const {
    std::erase_if(reports, [](const io::SolveReport& report) { return report.history.empty(); });
    if (!write_convergence_plots(comm_, options_.plots, reports, options_.request.stop.measure) && comm_.is_root())
      fmt::print(stderr,
                 "scree-compare: warning: no pictures in {}: gnuplot did not draw them; install it and run it on "
                 "the .gp files there\n",
                 options_.plots);
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
  if (!options->plots.empty()) io::require_writable(comm, options->plots);
  Comparison comparison(comm, *options);
  for (const std::string& file : options->problems) comparison.run(file);
  if (!options->json.empty()) io::write_file(comm, options->json, comparison.finish());
  if (!comparison.first_failure().empty()) throw InputError(comparison.first_failure());
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return scree::io::run_program("scree-compare", argc, argv, run); }
