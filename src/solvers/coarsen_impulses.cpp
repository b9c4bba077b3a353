#include <petscmatcoarsen.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "capacity.hpp"
#include "coarse_level.hpp"
#include "scree/parallel/even_split.hpp"

namespace scree::solvers {

using parallel::Comm;
using parallel::Matrix;
using parallel::petsc;

namespace {

PetscInt first_row(Mat matrix) {
  PetscInt first = 0;
  petsc(MatGetOwnershipRange(matrix, &first, nullptr));
  return first;
}

/// Collective: D^-1/2 N D^-1/2 with 0 in rows and columns that are not usable.
Matrix scaled(Mat N, const std::vector<char>& usable) {
  Mat copy = nullptr;
  Vec diagonal = nullptr;
  petsc(MatDuplicate(N, MAT_COPY_VALUES, &copy));
  Matrix result(copy);
  petsc(MatCreateVecs(N, &diagonal, nullptr));
  petsc(MatGetDiagonal(N, diagonal));
  {
    const parallel::WriteArray d(diagonal);
    for (int k = 0; k < d.size(); ++k)
      d[k] = usable[static_cast<std::size_t>(k)] != 0 && d[k] > 0.0 ? 1.0 / std::sqrt(d[k]) : 0.0;
  }
  petsc(MatDiagonalScale(copy, diagonal, diagonal));
  petsc(VecDestroy(&diagonal));
  return result;
}

/// The entries of N by which a row depends strongly on another one of its kind, the normal or one of the tangential
/// components: these are coarsened apart (seed 000 section 3.4).
std::vector<SparseEntry> strong_entries(Mat N, const std::vector<char>& usable, double strength) {
  const std::vector<SparseEntry> values = entries_of(N), relative = entries_of(scaled(N, usable));
  std::vector<SparseEntry> strong;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto& [row, column, value] = values[k];
    if (row != column && row % 3 == column % 3 && std::abs(relative[k].value) >= strength)
      strong.push_back({row, column, value});
  }
  return strong;
}

/// Collective: which of this rank's rows are C rows: a maximal set without strong dependence on each other. Rows
/// without any are left to the smoother.
std::vector<char> choose_coarse_rows(const Comm& comm, int own, PetscInt first,
                                     const std::vector<SparseEntry>& strong) {
  std::vector<SparseEntry> graph;
  for (const auto& [row, column, value] : strong) graph.push_back({row, column, 1.0});
  for (int k = 0; k < own; ++k) graph.push_back({first + k, first + k, 1.0});
  const Matrix adjacency = matrix_of(comm, own, own, graph);
  MatCoarsen coarsen = nullptr;
  PetscCoarsenData* aggregates = nullptr;
  petsc(MatCoarsenCreate(comm.handle(), &coarsen));
  petsc(MatCoarsenSetType(coarsen, MATCOARSENMIS));
  petsc(MatCoarsenSetAdjacency(coarsen, adjacency));
  petsc(MatCoarsenSetStrictAggs(coarsen, PETSC_TRUE));
  petsc(MatCoarsenApply(coarsen));
  petsc(MatCoarsenGetData(coarsen, &aggregates));
  std::vector<char> depends(static_cast<std::size_t>(own), 0), coarse(depends);
  for (const auto& entry : strong) depends[static_cast<std::size_t>(entry.row - first)] = 1;
  for (int k = 0; k < own; ++k) {
    PetscBool empty = PETSC_TRUE;
    petsc(PetscCDEmptyAt(aggregates, k, &empty));
    coarse[static_cast<std::size_t>(k)] = empty == PETSC_FALSE && depends[static_cast<std::size_t>(k)] != 0 ? 1 : 0;
  }
  petsc(PetscCDDestroy(aggregates));
  petsc(MatCoarsenDestroy(&coarsen));
  return coarse;
}

/// Numbers of C rows on the coarse level, -1 for F rows: block k has the k-th normal, t and o row of its rank.
struct Numbering {
  std::vector<std::int64_t> number;
  std::int64_t rows;  ///< of all ranks
};
Numbering number_rows(const Comm& comm, const std::vector<char>& coarse) {
  std::int64_t count[3] = {};
  for (std::size_t k = 0; k < coarse.size(); ++k) count[k % 3] += coarse[k];
  const std::int64_t blocks = *std::ranges::max_element(count), below = comm.sum_below(blocks);
  Numbering result{std::vector<std::int64_t>(coarse.size(), -1), 3 * comm.sum(blocks)};
  std::int64_t next[3] = {};
  for (std::size_t k = 0; k < coarse.size(); ++k)
    if (coarse[k] != 0) result.number[k] = 3 * (below + next[k % 3]++) + static_cast<std::int64_t>(k % 3);
  return result;
}

/// Collective: P = I_C + W I_C, where I_C has a 1 for each C row and W the weights of F rows, -n_ij / sum of the |n_ik|
/// of their C rows (22): a mean, with signs since couplings have both.
Matrix interpolation(const Comm& comm, Mat inject, const std::vector<char>& coarse, PetscInt first,
                     std::vector<SparseEntry> strong) {
  const int own = static_cast<int>(coarse.size());
  std::erase_if(strong, [&](const SparseEntry& e) { return coarse[static_cast<std::size_t>(e.row - first)] != 0; });
  Mat transposed = nullptr, product = nullptr;
  petsc(MatTranspose(inject, MAT_INITIAL_MATRIX, &transposed));
  const Matrix identity(transposed), weights = matrix_of(comm, own, own, strong);
  petsc(MatMatMult(weights, identity, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &product));
  Matrix P(product);
  Vec sums = nullptr;
  petsc(MatCreateVecs(P, nullptr, &sums));
  {
    const parallel::WriteArray scale(sums);
    std::fill_n(scale.data(), scale.size(), 0.0);
    for (const auto& [row, column, value] : entries_of(P)) scale[static_cast<int>(row - first)] -= std::abs(value);
    for (int k = 0; k < scale.size(); ++k)
      if (scale[k] != 0.0) scale[k] = 1.0 / scale[k];
  }
  petsc(MatDiagonalScale(P, sums, nullptr));
  petsc(VecDestroy(&sums));
  petsc(MatAXPY(P, 1.0, identity, DIFFERENT_NONZERO_PATTERN));
  return P;
}

/// Rows that N has something in.
std::vector<char> rows_in_use(Mat N) {
  PetscInt own = 0;
  petsc(MatGetLocalSize(N, &own, nullptr));
  std::vector<char> used(static_cast<std::size_t>(own), 0);
  for (const auto& [row, column, value] : entries_of(N))
    if (row == column && value > 0.0) used[static_cast<std::size_t>(row - first_row(N))] = 1;
  return used;
}

}  // namespace

std::vector<CoarseLevel> coarsen_impulses(const problem::ContactProblem& problem, Vec free,
                                          const MultigridOptions& options) {
  const Comm& comm = problem.N->comm();
  refuse_beyond(comm, "multigrid", "with transfer 'impulses' assembles N",
                80.0 * count_entries(*problem.N) / comm.size(), options.memory, "transfer 'velocities', npgs or apgd");
  std::vector<CoarseLevel> levels;
  Matrix N = problem.N->assemble();
  std::vector<char> usable;
  {
    const parallel::ReadArray mask(free);
    for (int k = 0; k < mask.size(); ++k) usable.push_back(mask[k] != 0.0 ? 1 : 0);
  }
  std::int64_t rows = 3 * comm.sum(std::int64_t{problem.N->block_count()});
  while (static_cast<int>(levels.size()) + 1 < options.levels && rows > 3 * options.coarsest) {
    const PetscInt first = first_row(N);
    const int own = static_cast<int>(usable.size());
    const std::vector<SparseEntry> strong = strong_entries(N, usable, options.strength);
    const std::vector<char> coarse = choose_coarse_rows(comm, own, first, strong);
    const Numbering numbering = number_rows(comm, coarse);
    constexpr double hardly_less = 0.9;
    if (numbering.rows == 0 || static_cast<double>(numbering.rows) > hardly_less * static_cast<double>(rows)) break;

    const int own_coarse = static_cast<int>(parallel::EvenSplit{numbering.rows, comm.size(), 3}.count(comm.rank()));
    std::vector<SparseEntry> places;
    for (int k = 0; k < own; ++k)
      if (const std::int64_t number = numbering.number[static_cast<std::size_t>(k)]; number >= 0)
        places.push_back({number, first + k, 1.0});
    Matrix inject = matrix_of(comm, own_coarse, own, places);
    Matrix P = interpolation(comm, inject, coarse, first, strong);
    Mat galerkin = nullptr;
    petsc(MatPtAP(N, P, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &galerkin));  // (23)
    N = Matrix(galerkin);
    usable = rows_in_use(N);
    rows = numbering.rows;
    std::vector<SparseEntry> identity;
    for (int k = 0; k < own_coarse; ++k) identity.push_back({first_row(N) + k, first_row(N) + k, 1.0});
    levels.push_back({coarse_problem(comm, rows, rows, identity, entries_of(N)), std::move(P), std::move(inject)});
  }
  return levels;
}

}  // namespace scree::solvers
