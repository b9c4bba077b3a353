#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "scree/parallel/comm.hpp"
#include "scree/problem/sparse_problem.hpp"

namespace scree::io {

/// A contact problem from an FCLIB file, spread over the ranks in the order of the file.
struct FclibProblem {
  std::string name;  ///< of the file, without directory and extension
  problem::SparseProblem form;
  bool global = false;
  std::int64_t contacts = 0;
  std::int64_t dofs = 0;    ///< rows of M; 0 for a local problem
  std::int64_t bodies = 0;  ///< if M couples at most groups of six rows; 0: the file does not tell
  std::string warning;      ///< what is odd about it, but no error; empty: nothing

  [[nodiscard]] problem::ContactProblem& problem() { return form.problem; }
  [[nodiscard]] const problem::ContactProblem& problem() const { return form.problem; }
};

/// Collective: reads a local or global FCLIB problem, each rank its own part. Matrices may be compressed by rows or
/// columns or be triplets. Throws InputError on all ranks, with the file, the data set and what is wrong there, for
/// files that are damaged, of another kind or senseless. The problem keeps a reference to `comm`.
[[nodiscard]] FclibProblem read_problem(const parallel::Comm& comm, const std::filesystem::path& file);

/// Collective: reads the impulses /solution/r of a file that belongs to this problem. Throws as read_problem does.
[[nodiscard]] parallel::Vector read_impulses(const parallel::Comm& comm, const std::filesystem::path& file,
                                             const FclibProblem& problem);

}  // namespace scree::io
