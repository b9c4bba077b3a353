#pragma once

#include <petscvec.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "scree/parallel/comm.hpp"
#include "scree/parallel/memory.hpp"

namespace scree::parallel {

/// Turns PETSc's error codes into exceptions.
inline void petsc(PetscErrorCode code) {
  if (code != 0) throw std::runtime_error("PETSc error " + std::to_string(static_cast<int>(code)));
}

/// Owns a PETSc Vec and its entries.
class Vector {
 public:
  Vector() = default;
  /// Collective: a distributed vector of which this rank holds `blocks` blocks of three, all zero.
  Vector(const Comm& comm, int blocks);
  /// Collective: a vector laid out as `other`, all zero.
  [[nodiscard]] static Vector like(Vec other);
  /// Collective: the same with numbers that are not set.
  [[nodiscard]] static Vector unset(const Comm& comm, int blocks);
  [[nodiscard]] static Vector unset_like(Vec other);
  ~Vector() { VecDestroy(&vec_); }
  Vector(Vector&& other) noexcept : entries_(std::move(other.entries_)), vec_(std::exchange(other.vec_, nullptr)) {}
  Vector& operator=(Vector&& other) noexcept {
    std::swap(entries_, other.entries_);
    std::swap(vec_, other.vec_);
    return *this;
  }

  [[nodiscard]] Vec get() const { return vec_; }
  operator Vec() const { return vec_; }  // NOLINT: stands for the Vec in all PETSc calls

 private:
  struct Numbers;
  Vector(MPI_Comm comm, const Numbers& numbers);

  LargeArray<double> entries_;
  Vec vec_ = nullptr;
};

/// The local entries of a Vec, for reading.
class ReadArray {
 public:
  explicit ReadArray(Vec vec) : vec_(vec) {
    petsc(VecGetArrayRead(vec_, &data_));
    petsc(VecGetLocalSize(vec_, &size_));
  }
  ~ReadArray() { VecRestoreArrayRead(vec_, &data_); }
  ReadArray(const ReadArray&) = delete;
  ReadArray& operator=(const ReadArray&) = delete;
  [[nodiscard]] const double* data() const { return data_; }
  [[nodiscard]] int size() const { return static_cast<int>(size_); }
  double operator[](int k) const { return data_[k]; }

 private:
  Vec vec_;
  const PetscScalar* data_ = nullptr;
  PetscInt size_ = 0;
};

/// The local entries of a Vec, for reading and writing.
class WriteArray {
 public:
  explicit WriteArray(Vec vec) : vec_(vec) {
    petsc(VecGetArray(vec_, &data_));
    petsc(VecGetLocalSize(vec_, &size_));
  }
  ~WriteArray() { VecRestoreArray(vec_, &data_); }
  WriteArray(const WriteArray&) = delete;
  WriteArray& operator=(const WriteArray&) = delete;
  [[nodiscard]] double* data() const { return data_; }
  [[nodiscard]] int size() const { return static_cast<int>(size_); }
  double& operator[](int k) const { return data_[k]; }

 private:
  Vec vec_;
  PetscScalar* data_ = nullptr;
  PetscInt size_ = 0;
};

}  // namespace scree::parallel
