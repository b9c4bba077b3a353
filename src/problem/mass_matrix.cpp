#include "scree/problem/mass_matrix.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <map>

#include "scree/parallel/error.hpp"
#include "scree/parallel/local_numbering.hpp"
#include "scree/parallel/petsc.hpp"

namespace scree::problem {

using parallel::Comm;
using parallel::EvenSplit;
using parallel::petsc;

namespace {

/// Collective: for each row of this rank the smallest row that it is connected with. Nothing if there are rows that are
/// connected by more than `largest_mass_block` steps.
std::optional<std::vector<double>> smallest_connected_rows(const Comm& comm, const EvenSplit& rows,
                                                           const std::vector<SparseEntry>& own) {
  std::vector<std::int64_t> used;
  for (const SparseEntry& entry : own) used.push_back(entry.column);
  const parallel::LocalNumbering numbering(comm, rows, used);
  const std::int64_t first = rows.first(comm.rank());
  constexpr parallel::Halo::Layout one_double{1, 1};

  std::vector<double> label(static_cast<std::size_t>(numbering.size()));
  for (std::size_t k = 0; k < static_cast<std::size_t>(numbering.own()); ++k)
    label[k] = static_cast<double>(first + static_cast<std::int64_t>(k));
  for (int round = 0; round <= largest_mass_block; ++round) {
    numbering.halo().forward(label.data(), one_double);
    bool changed = false;
    for (const SparseEntry& entry : own) {
      double& mine = label[static_cast<std::size_t>(numbering.slot(entry.row))];
      const double theirs = label[static_cast<std::size_t>(numbering.slot(entry.column))];
      changed |= theirs < mine;
      mine = std::min(mine, theirs);
    }
    if (comm.any(changed)) continue;
    label.resize(static_cast<std::size_t>(numbering.own()));
    return label;
  }
  return std::nullopt;
}

/// Entries of both triangles at each row: the sparsity need not be symmetric, connections are.
std::vector<SparseEntry> with_mirrored(const std::vector<SparseEntry>& entries) {
  std::vector<SparseEntry> all = entries;
  for (const SparseEntry& entry : entries)
    if (entry.row != entry.column) all.push_back({entry.column, entry.row, 0.0});
  return all;
}

struct BlockEntry {
  std::int64_t block;  ///< its smallest row
  SparseEntry entry;
};

/// The inverse of one block, given its entries.
std::vector<SparseEntry> inverse(std::int64_t smallest, const std::vector<SparseEntry>& entries,
                                 const std::vector<std::int64_t>& rows) {
  const auto place = [&](std::int64_t row) { return std::ranges::lower_bound(rows, row) - rows.begin(); };
  const Eigen::Index size = std::ssize(rows);
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(size, size);
  for (const SparseEntry& entry : entries) M(place(entry.row), place(entry.column)) += entry.value;
  const Eigen::FullPivLU<Eigen::MatrixXd> factor(M);
  if (!factor.isInvertible())
    throw InputError(fmt::format("the mass matrix M is singular: look at the block of its row {}", smallest));
  const Eigen::MatrixXd inverse = factor.inverse();
  std::vector<SparseEntry> result;
  for (Eigen::Index i = 0; i < size; ++i)
    for (Eigen::Index j = 0; j < size; ++j)
      if (inverse(i, j) != 0.0)
        result.push_back({rows[static_cast<std::size_t>(i)], rows[static_cast<std::size_t>(j)], inverse(i, j)});
  return result;
}

}  // namespace

std::optional<std::vector<SparseEntry>> inverse_of_blocks(const Comm& comm, const EvenSplit& rows,
                                                          const SparseMatrix& M) {
  const auto own = rows_of_rank(comm, rows, with_mirrored(M.entries));
  const auto label = smallest_connected_rows(comm, rows, own);
  if (!label) return std::nullopt;

  // Each block meets at the rank of its smallest row. A row without entries still stands for itself.
  const std::int64_t first = rows.first(comm.rank());
  std::vector<BlockEntry> outgoing;
  const auto block_of = [&](std::int64_t row) {
    return static_cast<std::int64_t>((*label)[static_cast<std::size_t>(row - first)]);
  };
  for (const SparseEntry& entry : own) outgoing.push_back({block_of(entry.row), entry});
  for (std::int64_t row = first; row < rows.first(comm.rank() + 1); ++row)
    outgoing.push_back({block_of(row), {row, row, 0.0}});
  std::map<std::int64_t, std::vector<SparseEntry>> blocks;
  for (const auto& [block, entry] : route(comm, outgoing, [&](const auto& e) { return rows.part_of(e.block); }))
    blocks[block].push_back(entry);

  bool too_large = false;
  std::vector<SparseEntry> inverses;
  parallel::all_or_none(comm, [&] {
    for (const auto& [smallest, entries] : blocks) {
      std::vector<std::int64_t> members;
      for (const SparseEntry& entry : entries)
        if (entry.row == entry.column) members.push_back(entry.row);
      std::ranges::sort(members);
      const auto repeats = std::ranges::unique(members);
      members.erase(repeats.begin(), repeats.end());
      too_large |= std::ssize(members) > largest_mass_block;
      if (too_large) return;
      const auto part = inverse(smallest, entries, members);
      inverses.insert(inverses.end(), part.begin(), part.end());
    }
  });
  if (comm.any(too_large)) return std::nullopt;
  return columns_of_rank(comm, rows, inverses);
}

MassFactor::MassFactor(const Comm& comm, const EvenSplit& rows, const SparseMatrix& M) : comm_(comm) {
  const auto own = rows_of_rank(comm, rows, M.entries);
  const auto local = static_cast<PetscInt>(rows.count(comm.rank()));
  petsc(MatCreate(comm.handle(), &matrix_));
  petsc(MatSetSizes(matrix_, local, local, PETSC_DETERMINE, PETSC_DETERMINE));
  petsc(MatSetType(matrix_, MATMPIAIJ));
  petsc(MatSetUp(matrix_));
  petsc(MatSetOption(matrix_, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  for (const SparseEntry& entry : own)
    petsc(MatSetValue(matrix_, static_cast<PetscInt>(entry.row), static_cast<PetscInt>(entry.column), entry.value,
                      ADD_VALUES));
  petsc(MatAssemblyBegin(matrix_, MAT_FINAL_ASSEMBLY));
  petsc(MatAssemblyEnd(matrix_, MAT_FINAL_ASSEMBLY));

  MatFactorInfo info;
  petsc(MatFactorInfoInitialize(&info));
  petsc(MatGetFactor(matrix_, MATSOLVERMUMPS, MAT_FACTOR_LU, &factor_));
  petsc(MatLUFactorSymbolic(factor_, matrix_, nullptr, nullptr, &info));
  petsc(MatLUFactorNumeric(factor_, matrix_, &info));
  MatFactorError error = MAT_FACTOR_NOERROR;
  petsc(MatFactorGetError(factor_, &error));
  if (comm.any(error != MAT_FACTOR_NOERROR)) {
    destroy();
    throw InputError("the mass matrix M is singular: it cannot be factorised");
  }
}

MassFactor::~MassFactor() { destroy(); }

void MassFactor::destroy() {
  MatDestroy(&factor_);
  MatDestroy(&matrix_);
}

std::vector<double> MassFactor::solve(std::vector<double> B, int columns) const {
  std::vector<double> X(B.size());
  PetscInt local = 0, total = 0;
  petsc(MatGetLocalSize(matrix_, &local, nullptr));
  petsc(MatGetSize(matrix_, &total, nullptr));
  Mat right = nullptr, solution = nullptr;
  petsc(MatCreateDense(comm_.handle(), local, PETSC_DECIDE, total, columns, B.data(), &right));
  petsc(MatCreateDense(comm_.handle(), local, PETSC_DECIDE, total, columns, X.data(), &solution));
  petsc(MatMatSolve(factor_, right, solution));
  petsc(MatDestroy(&right));
  petsc(MatDestroy(&solution));
  return X;
}

}  // namespace scree::problem
