#include "scree/problem/factors.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "scree/parallel/error.hpp"

namespace scree::problem {

using parallel::Comm;
using parallel::Matrix;
using parallel::petsc;

namespace {

/// Collective: the matrix of these entries, rows by impulses and columns by the motion.
Matrix matrix_of(const Comm& comm, const Factors& factors, const std::vector<Factors::Entry>& entries) {
  const std::int64_t first_dof = comm.sum_below(factors.dofs), first_row = comm.sum_below(factors.rows);
  std::vector<PetscInt> own(static_cast<std::size_t>(factors.rows), 0), foreign(own);
  for (const auto& [row, dof, value] : entries)
    ++(dof >= first_dof && dof < first_dof + factors.dofs ? own : foreign)[static_cast<std::size_t>(row)];
  for (PetscInt& count : own) count = std::min(count, static_cast<PetscInt>(factors.dofs));  // some entries add up

  Mat mat = nullptr;
  petsc(MatCreateAIJ(comm.handle(), factors.rows, factors.dofs, PETSC_DETERMINE, PETSC_DETERMINE, 0, own.data(), 0,
                     foreign.data(), &mat));
  Matrix result(mat);
  petsc(MatSetOption(mat, MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE));
  for (const auto& [row, dof, value] : entries)
    petsc(MatSetValue(mat, static_cast<PetscInt>(first_row + row), static_cast<PetscInt>(dof), value, ADD_VALUES));
  petsc(MatAssemblyBegin(mat, MAT_FINAL_ASSEMBLY));
  petsc(MatAssemblyEnd(mat, MAT_FINAL_ASSEMBLY));
  return result;
}

/// Collective: N += C, also where N had no entry.
void add_compliance(const Comm& comm, const Factors& factors, Mat N) {
  const std::int64_t first_row = comm.sum_below(factors.rows);
  petsc(MatSetOption(N, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  for (int row = 0; row < factors.rows; ++row) {
    const auto place = static_cast<PetscInt>(first_row + row);
    const double own = factors.compliance.empty() ? 0.0 : factors.compliance[static_cast<std::size_t>(row)];
    petsc(MatSetValue(N, place, place, own, ADD_VALUES));
  }
  petsc(MatAssemblyBegin(N, MAT_FINAL_ASSEMBLY));
  petsc(MatAssemblyEnd(N, MAT_FINAL_ASSEMBLY));
}

}  // namespace

std::vector<Touch> join_entries(std::vector<Factors::Entry> entries) {
  const auto place = [](const Factors::Entry& entry) { return std::pair(entry.row / 3, entry.dof); };
  if (!std::ranges::is_sorted(entries, {}, place)) std::ranges::stable_sort(entries, {}, place);
  std::vector<Touch> touches;
  touches.reserve(entries.size());
  for (const Factors::Entry& entry : entries) {
    if (touches.empty() || touches.back().block != entry.row / 3 || touches.back().dof != entry.dof)
      touches.push_back({entry.row / 3, entry.dof, model::Vec3::Zero()});
    touches.back().value[entry.row % 3] += entry.value;
  }
  return touches;
}

Matrix reads_of(const Comm& comm, const Factors& factors) { return matrix_of(comm, factors, factors.reads); }

Matrix multiply(const Comm& comm, const Factors& factors) {
  const std::int64_t most = std::max(comm.sum(std::int64_t{factors.rows}), comm.sum(std::int64_t{factors.dofs}));
  if (most > std::numeric_limits<PetscInt>::max())
    throw StateError("the problem has too many rows for a matrix of PETSc's integers");
  const Matrix A = reads_of(comm, factors), writes = matrix_of(comm, factors, factors.writes);
  Mat transposed = nullptr, product = nullptr;
  petsc(MatTranspose(writes, MAT_INITIAL_MATRIX, &transposed));
  const Matrix S(transposed);
  petsc(MatMatMult(A, S, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &product));
  Matrix N(product);
  add_compliance(comm, factors, N);
  return N;
}

}  // namespace scree::problem
