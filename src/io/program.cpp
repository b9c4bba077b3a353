#include "scree/io/program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <petscsys.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <exception>

#include "scree/parallel/arrival.hpp"
#include "scree/parallel/error.hpp"
#include "scree/parallel/memory.hpp"
#include "scree/problem/body_operator.hpp"
#include "scree/problem/constraint_set.hpp"
#include "scree/problem/error_measure.hpp"
#include "scree/solvers/registry.hpp"

namespace scree::io {

namespace {

struct Failure {
  int code;
  std::string message;
};

std::string on_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

// Errors that users can cause reach all ranks alike. One that did not (memory ran out on one rank, say) would leave the
// others waiting: whoever is alone after a while ends the whole program.
void report(const std::string& name, const Failure& failure) {
  constexpr double patience = 10.0;  // s
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (!parallel::all_arrive(MPI_COMM_WORLD, patience)) {
    fmt::print(stderr, "{}: error: rank {}: {}\n", name, rank, on_one_line(failure.message));
    MPI_Abort(MPI_COMM_WORLD, failure.code);
  }
  if (rank == 0) fmt::print(stderr, "{}: error: {}\n", name, on_one_line(failure.message));
}

Failure describe(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const InputError& e) {
    return {2, e.what()};
  } catch (const StateError& e) {
    return {4, e.what()};
  } catch (const std::bad_alloc&) {
    return {1, "out of memory: use more ranks or a smaller scene"};
  } catch (const std::exception& e) {
    return {1, e.what()};
  } catch (...) {
    return {1, "unknown error"};
  }
}

std::string describe(const solvers::SolverInfo& solver) {
  std::vector<std::string_view> laws;
  for (const problem::Law law : solver.laws) laws.push_back(problem::name_of(law));
  std::string text =
      fmt::format("  {:<16} {}\n{:19}laws: {}\n", solver.name, solver.description, "", fmt::join(laws, ", "));
  for (const solvers::OptionInfo& option : solver.options) {
    const std::string range = option.choices.empty() ? fmt::format("{} to {}", option.lowest, option.highest)
                                                     : fmt::format("{}", fmt::join(option.choices, ", "));
    text += fmt::format("{:19}{} = {} [{}{}]: {}\n", "", option.name, option.default_value.shown(),
                        option.whole ? "whole, " : "", range, option.meaning);
  }
  return text;
}

}  // namespace

int run_program(const std::string& name, int argc, char** argv,
                const std::function<int(const parallel::Comm&, const Arguments&)>& work) {
  char** const separator =
      std::find_if(argv + 1, argv + argc, [](const char* word) { return std::string(word) == "--"; });
  const Arguments arguments(argv + 1, separator);
  // PETSc gets the name of the program and what follows the separator, and must not look at the rest.
  std::vector<char*> petsc_words{argv[0]};
  if (separator != argv + argc) petsc_words.insert(petsc_words.end(), separator + 1, argv + argc);
  int petsc_count = static_cast<int>(petsc_words.size());
  petsc_words.push_back(nullptr);
  char** petsc_arguments = petsc_words.data();
  parallel::copy_short_messages();
  if (PetscInitialize(&petsc_count, &petsc_arguments, nullptr, nullptr) != 0) return 1;
  parallel::return_large_arrays();

  // A file that would become larger than the shell allows is an error like a full disk, and no reason to die.
  std::signal(SIGXFSZ, SIG_IGN);

  int code = 0;
  try {
    const parallel::Comm comm(MPI_COMM_WORLD);
    code = work(comm, arguments);
  } catch (...) {
    const Failure failure = describe(std::current_exception());
    report(name, failure);
    code = failure.code;
  }
  if (PetscFinalize() != 0 && code == 0) code = 1;
  return code;
}

std::string catalogue() {
  std::string text = "solvers:   (option = default [values]: meaning; numbers have no unit unless one stands there)\n";
  for (const solvers::SolverInfo& solver : solvers::registry()) text += describe(solver);
  text += "laws:\n";
  for (const problem::LawInfo& law : problem::laws()) text += fmt::format("  {:<16} {}\n", law.name, law.description);
  text += "couplings of sweeps across ranks:\n";
  for (const auto& coupling : problem::couplings())
    text += fmt::format("  {:<20} {}\n", coupling.name, coupling.description);
  text += "measures:\n";
  for (const auto& measure : problem::measures())
    text += fmt::format("  {:<20} {}\n", measure.name, measure.description);
  return text;
}

}  // namespace scree::io
