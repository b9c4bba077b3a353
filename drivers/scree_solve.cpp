// scree-solve: solves the contact problem of an FCLIB file.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>

#include "command_line.hpp"
#include "scree/io/atomic_file.hpp"
#include "scree/io/fclib_reader.hpp"
#include "scree/io/fclib_solution.hpp"
#include "scree/io/program.hpp"
#include "scree/io/solve.hpp"
#include "solve_options.hpp"

namespace {

using namespace scree;

struct Options {
  std::string problem;
  std::string start;
  std::string reference;
  std::string history;
  std::string solution;
  std::string json;
  io::SolveRequest request;
};

/// Nothing: all is done already (help, version, list).
std::optional<Options> parse(const parallel::Comm& comm, const io::Arguments& arguments) {
  Options options;
  SolveOptions solving;
  std::string solver = options.request.solver;
  CLI::App app("Solves a contact problem. What follows -- goes to PETSc.", "scree-solve");
  const auto* problem = app.add_option("PROBLEM", options.problem, "FCLIB file, local or global (see docs/fclib.md)");
  app.add_option("--solver", solver, "solver (see --list)")->capture_default_str();
  solving.add_to(app);
  app.add_option("--start", options.start, "HDF5 file with a solution, whose impulses are the first iterate [zero]");
  app.add_option("--reference", options.reference, "HDF5 file with a solution, from which the history tells distances");
  app.add_option("--check-every", options.request.stop.check_every,
                 "iterations between judgements of methods that do not have velocities at hand")
      ->capture_default_str();
  app.add_option("--history", options.history, "CSV file for the errors of the iterates");
  app.add_option("--solution", options.solution, "HDF5 file for impulses and velocities");
  app.add_option("--json", options.json, "file for the numbers of the solve");
  if (!parse_command_line(comm, app, arguments)) return std::nullopt;
  if (problem->empty()) throw InputError("PROBLEM is required: see scree-solve --help");
  const int check_every = options.request.stop.check_every;
  if (check_every < 1) throw InputError(fmt::format("--check-every {}: must be at least 1", check_every));
  if (!options.reference.empty() && options.history.empty())
    throw InputError(fmt::format("--reference {}: it is for the history: add --history FILE", options.reference));
  options.request = solving.request(options.start.empty() ? 1 : 0);
  options.request.stop.check_every = check_every;
  options.request.solver = solver;
  options.request.stop.keep_history = !options.history.empty();
  return options;
}

void print(const io::FclibProblem& problem, const io::SolveReport& report) {
  fmt::print("problem     {}: {}, {} contacts", report.problem, problem.global ? "global" : "local", report.contacts);
  if (problem.global) fmt::print(", {} degrees of freedom", problem.dofs);
  fmt::print("\nsolver      {}, law {}, {} {}\n", report.solver, report.law, report.ranks,
             report.ranks == 1 ? "rank" : "ranks");
  for (const std::string& note : report.notes) fmt::print("            {}\n", note);
  fmt::print("{} {} iterations, {} products, {:.3g} s\n", report.converged ? "converged  " : "not solved ",
             report.iterations, report.operator_applications, report.seconds);
  if (!report.converged) fmt::print("reason      {}\n", report.reason);
  for (const auto& measure : problem::measures())
    fmt::print("{:<20} {:.3e}\n", measure.name, value_of(report.errors, measure.measure));
  fmt::print("{:<20} {:.6e}\n", "objective", report.objective);
}

int run(const parallel::Comm& comm, const io::Arguments& arguments) {
  const auto options = parse(comm, arguments);
  if (!options) return 0;
  const io::SolveRequest& request = options->request;
  (void)solvers::make_solver(request.solver, request.options, request.law);  // complain before the work begins
  for (const std::string& file : {options->history, options->solution, options->json})
    if (!file.empty()) io::require_writable_file(comm, file);

  io::FclibProblem problem = io::read_problem(comm, options->problem);
  if (comm.is_root() && !problem.warning.empty()) fmt::print(stderr, "scree-solve: warning: {}\n", problem.warning);
  io::set_law(problem.problem(), request.law);
  const auto impulses = [&](const std::string& file) { return io::read_impulses(comm, file, problem); };
  const parallel::Vector x = options->start.empty() ? problem.problem().make_vector() : impulses(options->start);
  const parallel::Vector reference = options->reference.empty() ? parallel::Vector() : impulses(options->reference);
  const io::SolveReport report = io::solve(problem, request, x, reference);

  if (comm.is_root()) print(problem, report);
  if (!options->history.empty()) io::write_file(comm, options->history, io::history_csv(report.history));
  if (!options->solution.empty()) {
    io::make_directory(comm, std::filesystem::absolute(options->solution).parent_path());
    io::write_solution(comm, options->solution, problem, x);
  }
  if (!options->json.empty()) {
    io::JsonWriter json;
    io::add_solve(json, report);
    io::write_file(comm, options->json, json.text());
  }
  constexpr int not_converged = 3;
  return report.converged ? 0 : not_converged;
}

}  // namespace

int main(int argc, char** argv) { return scree::io::run_program("scree-solve", argc, argv, run); }
