#pragma once

#include <petscmat.h>

#include <utility>

#include "scree/parallel/petsc.hpp"

namespace scree::parallel {

/// Owns a PETSc Mat.
class Matrix {
 public:
  Matrix() = default;
  explicit Matrix(Mat mat) : mat_(mat) {}
  ~Matrix() { MatDestroy(&mat_); }
  Matrix(Matrix&& other) noexcept : mat_(std::exchange(other.mat_, nullptr)) {}
  Matrix& operator=(Matrix&& other) noexcept {
    std::swap(mat_, other.mat_);
    return *this;
  }

  [[nodiscard]] Mat get() const { return mat_; }
  operator Mat() const { return mat_; }  // NOLINT: stands for the Mat in all PETSc calls

  /// Collective: y <- A x, for vectors whose layout PETSc's matrices do not know.
  void apply(Vec x, Vec y) const;

 private:
  Mat mat_ = nullptr;
};

/// The communicator of a matrix, for PETSc's objects beside it.
inline MPI_Comm comm_of(Mat matrix) { return PetscObjectComm(reinterpret_cast<PetscObject>(matrix)); }

/// Collective: a vector for what PETSc does with a matrix of square layout. It borrows its entries.
class BorrowingVector {
 public:
  explicit BorrowingVector(Mat layout);
  ~BorrowingVector() { VecDestroy(&vec_); }
  BorrowingVector(const BorrowingVector&) = delete;
  BorrowingVector& operator=(const BorrowingVector&) = delete;

  /// Calls `function` with a Vec that has the local entries at `entries`.
  template <typename Function>
  void with(const double* entries, Function&& function) const {
    petsc(VecPlaceArray(vec_, entries));
    function(vec_);
    petsc(VecResetArray(vec_));
  }

 private:
  Vec vec_ = nullptr;
};

}  // namespace scree::parallel
