#include "coarse_level.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "scree/parallel/even_split.hpp"
#include "scree/problem/sparse_operator.hpp"

namespace scree::solvers {

using parallel::Comm;
using parallel::EvenSplit;
using parallel::Matrix;
using parallel::petsc;
using parallel::ReadArray;
using parallel::WriteArray;

namespace {

/// y <- product of x, through vectors of the matrix's own layout.
template <typename Product>
void through_own_vectors(Mat A, Vec x, Vec y, bool transposed, Product&& product) {
  Vec right = nullptr, left = nullptr;
  petsc(MatCreateVecs(A, transposed ? &left : &right, transposed ? &right : &left));
  {
    const ReadArray in(x);
    const WriteArray out(right);
    std::copy_n(in.data(), in.size(), out.data());
  }
  petsc(product(A, right, left));
  {
    const ReadArray in(left);
    const WriteArray out(y);
    std::copy_n(in.data(), in.size(), out.data());
  }
  petsc(VecDestroy(&right));
  petsc(VecDestroy(&left));
}

}  // namespace

void multiply(Mat A, Vec x, Vec y) { through_own_vectors(A, x, y, false, MatMult); }
void multiply_transposed(Mat A, Vec x, Vec y) { through_own_vectors(A, x, y, true, MatMultTranspose); }

Matrix matrix_of(const Comm& comm, int own_rows, int own_columns, const std::vector<SparseEntry>& entries) {
  Mat mat = nullptr;
  petsc(MatCreateAIJ(comm.handle(), own_rows, own_columns, PETSC_DETERMINE, PETSC_DETERMINE, 8, nullptr, 8, nullptr,
                     &mat));
  Matrix result(mat);
  petsc(MatSetOption(mat, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  for (const auto& [row, column, value] : entries)
    petsc(MatSetValue(mat, static_cast<PetscInt>(row), static_cast<PetscInt>(column), value, INSERT_VALUES));
  petsc(MatAssemblyBegin(mat, MAT_FINAL_ASSEMBLY));
  petsc(MatAssemblyEnd(mat, MAT_FINAL_ASSEMBLY));
  return result;
}

std::vector<SparseEntry> entries_of(Mat matrix) {
  PetscInt first = 0, last = 0;
  petsc(MatGetOwnershipRange(matrix, &first, &last));
  std::vector<SparseEntry> entries;
  for (PetscInt row = first; row < last; ++row) {
    PetscInt count = 0;
    const PetscInt* columns = nullptr;
    const PetscScalar* values = nullptr;
    petsc(MatGetRow(matrix, row, &count, &columns, &values));
    for (PetscInt k = 0; k < count; ++k) entries.push_back({row, columns[k], values[k]});
    petsc(MatRestoreRow(matrix, row, &count, &columns, &values));
  }
  return entries;
}

problem::ContactProblem coarse_problem(const Comm& comm, std::int64_t rows, std::int64_t dofs,
                                       const std::vector<SparseEntry>& A, const std::vector<SparseEntry>& S) {
  const EvenSplit row_split{rows, comm.size(), 3}, dof_split{dofs, comm.size()};
  auto N = std::make_unique<problem::SparseOperator>(comm, row_split, dof_split, rows_of_rank(comm, row_split, A),
                                                     columns_of_rank(comm, row_split, S));
  const int blocks = N->block_count();
  problem::ConstraintSet K;
  K.joints.resize(static_cast<std::size_t>(blocks), {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}});
  return {std::move(N), parallel::Vector(comm, blocks), std::move(K)};
}

}  // namespace scree::solvers
