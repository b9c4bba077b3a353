#include "scree/solvers/gpminres_p.hpp"

#include <petscksp.h>

#include <utility>
#include <vector>

#include "gradient_projection.hpp"
#include "linear_system.hpp"
#include "scree/parallel/matrix.hpp"

namespace scree::solvers {

using parallel::BorrowingVector;
using parallel::Matrix;
using parallel::petsc;
using parallel::ReadArray;
using parallel::WriteArray;

namespace {

/// Owns a PETSc PC.
class Factorisation {
 public:
  Factorisation() = default;
  /// Collective: of a symmetric matrix.
  Factorisation(Mat A, const std::string& kind) {
    petsc(PCCreate(PetscObjectComm(reinterpret_cast<PetscObject>(A)), &pc_));
    petsc(PCSetOperators(pc_, A, A));
    if (kind == "cholesky") {
      petsc(PCSetType(pc_, PCCHOLESKY));
      petsc(PCFactorSetMatSolverType(pc_, MATSOLVERMUMPS));
    } else {
      petsc(PCSetType(pc_, kind.c_str()));
    }
    petsc(PCSetUp(pc_));
    if (kind == "bjacobi") use_incomplete_cholesky();
  }
  ~Factorisation() { PCDestroy(&pc_); }
  Factorisation(const Factorisation&) = delete;
  Factorisation& operator=(Factorisation&& other) noexcept {
    std::swap(pc_, other.pc_);
    return *this;
  }

  void solve(Vec b, Vec x) const { petsc(PCApply(pc_, b, x)); }

 private:
  void use_incomplete_cholesky() {
    KSP* solvers = nullptr;
    PetscInt count = 0;
    petsc(PCBJacobiGetSubKSP(pc_, &count, nullptr, &solvers));
    for (PetscInt k = 0; k < count; ++k) {
      PC block = nullptr;
      petsc(KSPSetType(solvers[k], KSPPREONLY));
      petsc(KSPGetPC(solvers[k], &block));
      petsc(PCSetType(block, PCICC));
      petsc(PCFactorSetShiftType(block, MAT_SHIFT_POSITIVE_DEFINITE));
    }
  }

  PC pc_ = nullptr;
};

/// M = A_k + shift, factorised: A_k is cut out of N.
class FactorisedFreeBlock : public FreePreconditioner {
 public:
  FactorisedFreeBlock(const problem::ContactProblem& problem, const GpminresPOptions& options)
      : options_(options), N_(problem.N->assemble()) {}

  void update(Vec free) override {
    PetscInt first = 0;
    petsc(MatGetOwnershipRange(N_, &first, nullptr));
    rows_.clear();
    {
      const ReadArray mask(free);
      for (int k = 0; k < mask.size(); ++k)
        if (mask[k] != 0.0) rows_.push_back(first + k);
    }
    block_ = cut_out(N_, rows_);
    for (PetscInt& row : rows_) row -= first;
    petsc(MatGetSize(block_, &size_, nullptr));
    if (size_ == 0) return;
    regularise();
    petsc(MatSetOption(block_, MAT_SPD, PETSC_TRUE));
    factors_ = Factorisation(block_, options_.preconditioner);
  }

  void apply(Vec res, Vec z) override {
    petsc(VecSet(z, 0.0));
    if (size_ == 0) return;
    std::vector<double> in(rows_.size()), out(rows_.size());
    const ReadArray from(res);
    const WriteArray to(z);
    for (std::size_t k = 0; k < rows_.size(); ++k) in[k] = from[rows_[k]];
    const BorrowingVector b(block_), x(block_);
    b.with(in.data(), [&](Vec lent_b) { x.with(out.data(), [&](Vec lent_x) { factors_.solve(lent_b, lent_x); }); });
    for (std::size_t k = 0; k < rows_.size(); ++k) to[rows_[k]] = out[k];
  }

 private:
  void regularise() {
    Vec diagonal = nullptr;
    double largest = 0.0;
    petsc(MatCreateVecs(block_, &diagonal, nullptr));
    petsc(MatGetDiagonal(block_, diagonal));
    petsc(VecMax(diagonal, nullptr, &largest));
    petsc(VecDestroy(&diagonal));
    petsc(MatShift(block_, options_.shift * largest));
  }

  const GpminresPOptions& options_;
  Matrix N_, block_;
  PetscInt size_ = 0;           ///< of the free set, on all ranks
  std::vector<PetscInt> rows_;  ///< the free components of this rank
  Factorisation factors_;
};

}  // namespace

void gpminres_p(const problem::ContactProblem& problem, Vec x, Monitor& monitor, const GpminresPOptions& options) {
  FactorisedFreeBlock preconditioner(problem, options);
  project_gradients(problem, x, monitor, options, &preconditioner);
}

}  // namespace scree::solvers
