#include "scree/solvers/gpminres_p.hpp"

#include <petscksp.h>

#include <Eigen/Eigenvalues>
#include <utility>
#include <vector>

#include "coarse_level.hpp"
#include "gradient_projection.hpp"
#include "scree/parallel/matrix.hpp"

namespace scree::solvers {

using model::Vec3;
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
    petsc(PCCreate(parallel::comm_of(A), &pc_));
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

/// M = Z^T N Z + shift, factorised. What the rims of discs add to A_k is left out: N's part is what is ill-conditioned.
class FactorisedFreeBlock : public FreePreconditioner {
 public:
  FactorisedFreeBlock(const problem::ContactProblem& problem, const GpminresPOptions& options)
      : comm_(problem.N->comm()), options_(options), N_(problem.N->assemble()) {}

  void update(const Faces& faces) override {
    find_directions(faces);
    const Matrix Z = matrix_of_directions();
    Mat block = nullptr;
    petsc(MatPtAP(N_, Z, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &block));
    block_ = Matrix(block);
    petsc(MatGetSize(block_, &size_, nullptr));
    if (size_ == 0) return;
    regularise();
    petsc(MatSetOption(block_, MAT_SPD, PETSC_TRUE));
    factors_ = Factorisation(block_, options_.preconditioner);
  }

  void apply(Vec res, Vec z) override {
    petsc(VecSet(z, 0.0));
    if (size_ == 0) return;
    std::vector<double> in, out(directions_.size());
    const ReadArray from(res);
    const WriteArray to(z);
    for (const auto& [block, along] : directions_) in.push_back(along.dot(Vec3(from.data() + 3 * block)));
    const BorrowingVector b(block_), x(block_);
    b.with(in.data(), [&](Vec lent_b) { x.with(out.data(), [&](Vec lent_x) { factors_.solve(lent_b, lent_x); }); });
    for (std::size_t k = 0; k < directions_.size(); ++k)
      Eigen::Map<Vec3>(to.data() + 3 * directions_[k].block) += out[k] * directions_[k].along;
  }

 private:
  /// A column of Z: a unit vector along the face of a block.
  struct Direction {
    int block;
    Vec3 along;
  };

  void find_directions(const Faces& faces) {
    directions_.clear();
    for (int block = 0; block < faces.size(); ++block) {
      Eigen::SelfAdjointEigenSolver<model::Mat3> axes;
      axes.computeDirect(faces.along(block));  // a projection: its eigenvalues are 0 and 1
      for (int c = 0; c < 3; ++c)
        if (axes.eigenvalues()[c] > 0.5) directions_.push_back({block, axes.eigenvectors().col(c)});
    }
  }

  [[nodiscard]] Matrix matrix_of_directions() const {
    PetscInt first = 0, rows = 0;
    petsc(MatGetOwnershipRange(N_, &first, nullptr));
    petsc(MatGetLocalSize(N_, &rows, nullptr));
    const auto columns = static_cast<std::int64_t>(directions_.size());
    std::int64_t column = comm_.sum_below(columns);
    std::vector<SparseEntry> entries;
    for (const auto& [block, along] : directions_) {
      for (int c = 0; c < 3; ++c)
        if (along[c] != 0.0) entries.push_back({first + 3 * block + c, column, along[c]});
      ++column;
    }
    return matrix_of(comm_, static_cast<int>(rows), static_cast<int>(columns), entries);
  }

  void regularise() {
    Vec diagonal = nullptr;
    double largest = 0.0;
    petsc(MatCreateVecs(block_, &diagonal, nullptr));
    petsc(MatGetDiagonal(block_, diagonal));
    petsc(VecMax(diagonal, nullptr, &largest));
    petsc(VecDestroy(&diagonal));
    petsc(MatShift(block_, options_.shift * largest));
  }

  const parallel::Comm& comm_;
  const GpminresPOptions& options_;
  Matrix N_, block_;
  PetscInt size_ = 0;                  ///< of the free set, on all ranks
  std::vector<Direction> directions_;  ///< of this rank
  Factorisation factors_;
};

}  // namespace

void gpminres_p(const problem::ContactProblem& problem, Vec x, Monitor& monitor, const GpminresPOptions& options) {
  FactorisedFreeBlock preconditioner(problem, options);
  project_gradients(problem, x, monitor, options, &preconditioner);
}

}  // namespace scree::solvers
