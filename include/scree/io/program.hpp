#pragma once

#include <functional>
#include <string>
#include <vector>

#include "scree/parallel/comm.hpp"

namespace scree::io {

/// The command line up to `--`; what follows belongs to PETSc.
using Arguments = std::vector<std::string>;

/// Wraps a program: starts and ends MPI and PETSc, and turns errors into one line on stderr from one rank and an exit
/// code: InputError 2, StateError 4, anything else 1. `work` returns the exit code where nothing is wrong.
[[nodiscard]] int run_program(const std::string& name, int argc, char** argv,
                              const std::function<int(const parallel::Comm&, const Arguments&)>& work);

/// The exit code of a run that had to stop before its end and left a checkpoint to go on from.
inline constexpr int interrupted = 5;

/// What `--list` prints: solvers with their laws and options, laws, measures.
[[nodiscard]] std::string catalogue();

}  // namespace scree::io
