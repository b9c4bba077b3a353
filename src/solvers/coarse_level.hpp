#pragma once

#include <petscmat.h>

#include <cstdint>
#include <vector>

#include "scree/parallel/matrix.hpp"
#include "scree/problem/contact_problem.hpp"
#include "scree/problem/sparse_matrix.hpp"
#include "scree/solvers/multigrid.hpp"

// The coarse problems of multigrid.

namespace scree::solvers {

/// A problem for corrections of the next finer level's impulses. Rows that are left over in blocks of three have
/// nothing in N.
struct CoarseLevel {
  problem::ContactProblem problem;  ///< r and bounds change with each cycle
  parallel::Matrix prolong;         ///< P: finer rows from coarse ones
  parallel::Matrix inject;          ///< coarse rows from the one finer row that each stands for
};

/// A x = b of rows that each rank numbers for itself, for matrices of any layout.
void multiply(Mat A, Vec x, Vec y);
void multiply_transposed(Mat A, Vec x, Vec y);

/// A place in a matrix that the ranks fill together, by the numbers of the whole.
using problem::SparseEntry;

/// Collective: an empty matrix of `own_rows` and `own_columns` on this rank, and the one of these entries.
[[nodiscard]] parallel::Matrix matrix_of(const parallel::Comm& comm, int own_rows, int own_columns,
                                         const std::vector<SparseEntry>& entries);

/// This rank's entries of a matrix.
[[nodiscard]] std::vector<SparseEntry> entries_of(Mat matrix);

/// Collective: a problem with N = A S for `rows` impulses and `dofs` of a motion, all bounds 0. Entries may be on any
/// rank.
[[nodiscard]] problem::ContactProblem coarse_problem(const parallel::Comm& comm, std::int64_t rows, std::int64_t dofs,
                                                     const std::vector<SparseEntry>& A,
                                                     const std::vector<SparseEntry>& S);

/// Collective: the levels below a problem, the finest first; `free` is 1 for rows that are not at a bound. None if the
/// problem is small already.
[[nodiscard]] std::vector<CoarseLevel> coarsen_impulses(const problem::ContactProblem& problem, Vec free,
                                                        const MultigridOptions& options);
/// The same; throws InputError if the operator does not know where its bodies are.
[[nodiscard]] std::vector<CoarseLevel> coarsen_velocities(const problem::ContactProblem& problem, Vec free,
                                                          const MultigridOptions& options);

}  // namespace scree::solvers
