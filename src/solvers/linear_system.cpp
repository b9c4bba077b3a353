#include "linear_system.hpp"

#include <utility>

namespace scree::solvers {

using parallel::comm_of;
using parallel::Matrix;
using parallel::petsc;

Matrix cut_out(Mat matrix, const std::vector<PetscInt>& rows) {
  IS set = nullptr;
  Mat part = nullptr;
  petsc(ISCreateGeneral(comm_of(matrix), static_cast<PetscInt>(rows.size()), rows.data(), PETSC_COPY_VALUES, &set));
  petsc(MatCreateSubMatrix(matrix, set, set, MAT_INITIAL_MATRIX, &part));
  petsc(ISDestroy(&set));
  return Matrix(part);
}

LinearSystem::LinearSystem(Matrix A, bool symmetric, const LinearOptions& options) : A_(std::move(A)) {
  petsc(MatGetSize(A_, &size_, nullptr));
  if (size_ == 0) return;
  if (symmetric) petsc(MatSetOption(A_, MAT_SPD, PETSC_TRUE));
  petsc(KSPCreate(comm_of(A_), &ksp_));
  petsc(KSPSetOptionsPrefix(ksp_, "subsystem_"));
  petsc(KSPSetOperators(ksp_, A_, A_));
  petsc(KSPSetTolerances(ksp_, options.tolerance, PETSC_DEFAULT, PETSC_DEFAULT, options.max_iterations));
  PC pc = nullptr;
  petsc(KSPGetPC(ksp_, &pc));
  if (options.method == "mumps") {
    petsc(KSPSetType(ksp_, KSPPREONLY));
    factorise(pc, symmetric, MATSOLVERMUMPS);
  } else if (options.method == "cholmod") {
    petsc(KSPSetType(ksp_, KSPPREONLY));
    petsc(PCSetType(pc, PCREDUNDANT));
    KSP everywhere = nullptr;
    PC inner = nullptr;
    petsc(PCRedundantGetKSP(pc, &everywhere));
    petsc(KSPSetType(everywhere, KSPPREONLY));
    petsc(KSPGetPC(everywhere, &inner));
    factorise(inner, symmetric, MATSOLVERCHOLMOD);
  } else {
    petsc(KSPSetType(ksp_, options.method.c_str()));
    petsc(PCSetType(pc, options.method == "gmres" ? PCBJACOBI : PCJACOBI));
  }
  petsc(KSPSetFromOptions(ksp_));
}

void LinearSystem::factorise(PC pc, bool symmetric, const char* package) {
  petsc(PCSetType(pc, symmetric ? PCCHOLESKY : PCLU));
  petsc(PCFactorSetMatSolverType(pc, package));
}

std::vector<double> LinearSystem::solve(const std::vector<double>& b) const {
  std::vector<double> x(b.size(), 0.0);
  if (size_ == 0) return x;
  const parallel::BorrowingVector right(A_), left(A_);
  right.with(b.data(),
             [&](Vec lent_b) { left.with(x.data(), [&](Vec lent_x) { petsc(KSPSolve(ksp_, lent_b, lent_x)); }); });
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  petsc(KSPGetConvergedReason(ksp_, &reason));
  if (reason == KSP_DIVERGED_PC_FAILED || reason == KSP_DIVERGED_NANORINF) return {};
  return x;
}

}  // namespace scree::solvers
