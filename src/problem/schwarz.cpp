#include "scree/problem/schwarz.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "scree/problem/newton_system.hpp"

namespace scree::problem {

using model::Mat3;
using parallel::petsc;
using parallel::WriteArray;

Schwarz::Schwarz(const parallel::Comm& comm, Mat K, int overlap) : comm_(comm) {
  PetscInt first = 0, end = 0, size = 0;
  petsc(MatGetOwnershipRange(K, &first, &end));
  petsc(ISCreateStride(PETSC_COMM_SELF, end - first, first, 1, &rows_));
  if (comm.size() > 1) petsc(MatIncreaseOverlap(K, 1, &rows_, overlap));
  petsc(ISSort(rows_));
  petsc(ISGetLocalSize(rows_, &size));
  const PetscInt* numbers = nullptr;
  petsc(ISGetIndices(rows_, &numbers));
  first_own_ = static_cast<int>(std::lower_bound(numbers, numbers + size, first) - numbers);
  petsc(ISRestoreIndices(rows_, &numbers));
  petsc(VecCreateSeq(PETSC_COMM_SELF, size, &local_));
  Vec whole = nullptr;
  petsc(MatCreateVecs(K, &whole, nullptr));
  petsc(VecScatterCreate(whole, rows_, local_, nullptr, &pick_));
  petsc(VecDestroy(&whole));
  const auto blocks = static_cast<std::size_t>((size + 2) / 3);
  zero_.assign(blocks, Mat3::Zero());
  identity_.assign(blocks, Mat3::Identity());
  b_.assign(3 * blocks, 0.0);
  d_.assign(3 * blocks, 0.0);
}

Schwarz::~Schwarz() {
  if (parts_ != nullptr) MatDestroySubMatrices(1, &parts_);
  VecScatterDestroy(&pick_);
  VecDestroy(&local_);
  ISDestroy(&rows_);
}

void Schwarz::take_blocks(Mat part) {
  const auto rows = static_cast<PetscInt>(b_.size());
  PetscInt size = 0;
  petsc(MatGetSize(part, &size, nullptr));
  blocks_ = {};
  std::map<PetscInt, Mat3> row_blocks;
  for (PetscInt first = 0; first < rows; first += 3) {
    row_blocks.clear();
    Mat3& diagonal = row_blocks[first / 3] = Mat3::Zero();
    for (PetscInt c = 0; c < 3; ++c) {
      if (first + c >= size) {
        diagonal(c, c) = 1.0;
        continue;
      }
      PetscInt count = 0;
      const PetscInt* columns = nullptr;
      const PetscScalar* values = nullptr;
      petsc(MatGetRow(part, first + c, &count, &columns, &values));
      for (PetscInt k = 0; k < count; ++k)
        if (values[k] != 0.0)  // contacts that are open couple nothing
          row_blocks.try_emplace(columns[k] / 3, Mat3::Zero()).first->second(c, columns[k] % 3) = values[k];
      petsc(MatRestoreRow(part, first + c, &count, &columns, &values));
    }
    for (const auto& [column, value] : row_blocks) {
      blocks_.column.push_back(static_cast<int>(column));
      blocks_.value.push_back(value);
    }
    blocks_.first.push_back(static_cast<int>(blocks_.column.size()));
  }
}

FactorCost Schwarz::analyse(Mat K) {
  petsc(MatCreateSubMatrices(K, 1, &rows_, &rows_, parts_ == nullptr ? MAT_INITIAL_MATRIX : MAT_REUSE_MATRIX, &parts_));
  FrontStorage storage = lu_ ? lu_->take_storage() : FrontStorage{};
  lu_.reset();
  take_blocks(parts_[0]);
  lu_ = std::make_unique<BlockLu>(blocks_, std::move(storage));
  require_memory(comm_, lu_->bytes_to_come(), comm_.sum(std::int64_t{blocks_.size()}));
  return lu_->cost();
}

bool Schwarz::factorise(Mat K) {
  analyse(K);
  return !comm_.any(!lu_->factorise(zero_, identity_));
}

void Schwarz::apply(Vec in, Vec out, bool symmetric) {
  petsc(VecScatterBegin(pick_, in, local_, INSERT_VALUES, SCATTER_FORWARD));
  petsc(VecScatterEnd(pick_, in, local_, INSERT_VALUES, SCATTER_FORWARD));
  {
    const WriteArray part(local_);
    std::copy_n(part.data(), part.size(), b_.begin());
    lu_->substitute(identity_, b_, d_);
    std::copy_n(d_.begin(), part.size(), part.data());
  }
  if (symmetric) {
    petsc(VecSet(out, 0.0));
    petsc(VecScatterBegin(pick_, local_, out, ADD_VALUES, SCATTER_REVERSE));
    petsc(VecScatterEnd(pick_, local_, out, ADD_VALUES, SCATTER_REVERSE));
  } else {
    const WriteArray own(out);
    std::copy_n(d_.begin() + first_own_, own.size(), own.data());
  }
}

}  // namespace scree::problem
