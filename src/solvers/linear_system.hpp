#pragma once

#include <petscksp.h>

#include <string>
#include <vector>

#include "scree/parallel/matrix.hpp"

// Linear systems that methods make of parts of N, solved by PETSc.

namespace scree::solvers {

/// Collective: the part of a matrix that belongs to these rows and columns, by their numbers among all; each rank names
/// its own.
[[nodiscard]] parallel::Matrix cut_out(Mat matrix, const std::vector<PetscInt>& rows);

struct LinearOptions {
  /// "cg", "minres", "gmres"; "mumps", a distributed factorisation; "cholmod", one on every rank.
  std::string method = "mumps";
  double tolerance = 1e-9;   ///< of iterative methods: residual, relative to the right-hand side
  int max_iterations = 500;  ///< of iterative methods
};

/// A x = b. Options that begin with -subsystem_ reach PETSc's KSP.
class LinearSystem {
 public:
  /// Collective. cg, minres and cholmod need a symmetric matrix.
  LinearSystem(parallel::Matrix A, bool symmetric, const LinearOptions& options);
  ~LinearSystem() { KSPDestroy(&ksp_); }
  LinearSystem(const LinearSystem&) = delete;
  LinearSystem& operator=(const LinearSystem&) = delete;

  /// Collective: this rank's part of x, from its part of b. Empty if the matrix could not be factorised; where an
  /// iterative method did not converge, what it has.
  [[nodiscard]] std::vector<double> solve(const std::vector<double>& b) const;

 private:
  void factorise(PC pc, bool symmetric, const char* package);

  parallel::Matrix A_;
  KSP ksp_ = nullptr;
  PetscInt size_ = 0;
};

}  // namespace scree::solvers
