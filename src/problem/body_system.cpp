#include "scree/problem/body_system.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "scree/parallel/error.hpp"

namespace scree::problem {

using model::Mat3;
using model::Vec3;
using parallel::petsc;
using parallel::ReadArray;
using parallel::WriteArray;

namespace {

constexpr int most_iterations = 400;  // of a Krylov method
constexpr int much_work = 100;        // iterations after which a harder matrix is not tried
constexpr int worth_refreshing = 12;  // iterations that new factors cost less than
constexpr int few_changes = 4;        // of contacts, which cost about as many iterations as they have directions

/// D, without rows of blocks that cannot move, such as those of friction where there is none.
std::vector<Touch> moving_touches(const ConstraintSet& K, std::vector<Factors::Entry> reads) {
  std::erase_if(reads, [&](const Factors::Entry& entry) {
    const AdmissibleSet set = K[entry.row / 3];
    const int c = entry.row % 3;
    return set.shape() == AdmissibleSet::Shape::rows && set.rows().lower[c] == set.rows().upper[c];
  });
  return join_entries(std::move(reads));
}

/// Whether the rows of M that a rank has are symmetric by themselves; false if M couples ranks.
bool is_symmetric(const std::vector<Factors::Entry>& mass, std::int64_t first_dof) {
  std::map<std::pair<std::int64_t, std::int64_t>, double> entries;
  for (const auto& [row, dof, value] : mass)
    if (first_dof + row != dof) entries[{first_dof + row, dof}] += value;
  constexpr double rounding = 1e-12;
  return std::ranges::all_of(entries, [&](const auto& entry) {
    const auto other = entries.find({entry.first.second, entry.first.first});
    const double value = other != entries.end() ? other->second : 0.0;
    return std::abs(entry.second - value) <= rounding * (std::abs(entry.second) + std::abs(value));
  });
}

}  // namespace

bool knows_masses(const parallel::Comm& comm, const Factors& factors) {
  return !comm.any(factors.mass.empty() && factors.dofs > 0);
}

BodySystem::BodySystem(const ContactProblem& problem, Factors factors, const SubsystemOptions& options)
    : comm_(problem.N->comm()), options_(options), compliance_(std::move(factors.compliance)) {
  if (!knows_masses(comm_, factors))
    throw InputError("the problem does not tell the masses of bodies: take subsystem contacts, or solver npgs");
  DT_ = reads_of(comm_, factors);
  touches_ = moving_touches(problem.K, std::move(factors.reads));
  const auto blocks = static_cast<std::size_t>(problem.N->block_count());
  inverse_.resize(blocks), Q_.resize(blocks);
  G_.assign(blocks, Mat3::Identity());
  plan_matrix(factors);
  fill_matrix();
  make_solver(factors);
  if (schwarz_) operations_ = schwarz_->analyse(K_).operations;
}

BodySystem::~BodySystem() {
  KSPDestroy(&ksp_);
  VecDestroy(&right_);
  VecDestroy(&s_);
  VecDestroy(&impulse_);
}

/// The places of all entries, contact by contact: PETSc sorts out once where they go.
void BodySystem::plan_matrix(const Factors& factors) {
  const auto first_dof = comm_.sum_below(factors.dofs);
  first_touch_.assign(static_cast<std::size_t>(factors.rows / 3) + 1, 0);
  for (const Touch& touch : touches_) ++first_touch_[static_cast<std::size_t>(touch.block) + 1];
  for (std::size_t k = 1; k < first_touch_.size(); ++k) first_touch_[k] += first_touch_[k - 1];
  double entries = static_cast<double>(factors.mass.size());
  for (std::size_t k = 0; k + 1 < first_touch_.size(); ++k)
    entries += std::pow(first_touch_[k + 1] - first_touch_[k], 2);
  constexpr double bytes_per_entry = 50.0;  // its value and place, PETSc's plan, its share of K
  require_memory(comm_, bytes_per_entry * entries, comm_.sum(std::int64_t{factors.rows / 3}));
  std::vector<PetscInt> rows, columns;
  for (std::size_t k = 0; k + 1 < first_touch_.size(); ++k)
    for (int i = first_touch_[k]; i < first_touch_[k + 1]; ++i)
      for (int j = first_touch_[k]; j < first_touch_[k + 1]; ++j) {
        rows.push_back(static_cast<PetscInt>(touches_.data()[i].dof));
        columns.push_back(static_cast<PetscInt>(touches_.data()[j].dof));
      }
  for (const auto& [row, dof, value] : factors.mass) {
    rows.push_back(static_cast<PetscInt>(first_dof + row));
    columns.push_back(static_cast<PetscInt>(dof));
    mass_.push_back(value);
  }
  symmetric_mass_ = !comm_.any(!is_symmetric(factors.mass, first_dof));
  Mat mat = nullptr;
  petsc(MatCreate(comm_.handle(), &mat));
  K_ = parallel::Matrix(mat);
  petsc(MatSetSizes(mat, factors.dofs, factors.dofs, PETSC_DETERMINE, PETSC_DETERMINE));
  petsc(MatSetType(mat, MATAIJ));
  petsc(MatSetPreallocationCOO(mat, static_cast<PetscCount>(rows.size()), rows.data(), columns.data()));
  values_.resize(rows.size());
  petsc(MatCreateVecs(mat, &s_, &right_));
  petsc(MatCreateVecs(DT_, nullptr, &impulse_));
}

void BodySystem::fill_matrix() {
  double* value = values_.data();
  for (std::size_t k = 0; k < G_.size(); ++k)
    for (int i = first_touch_[k]; i < first_touch_[k + 1]; ++i) {
      const Vec3 row = G_[k].transpose() * touches_.data()[i].value;
      for (int j = first_touch_[k]; j < first_touch_[k + 1]; ++j) *value++ = row.dot(touches_.data()[j].value);
    }
  std::ranges::copy(mass_, value);
  petsc(MatSetValuesCOO(K_, values_.data(), INSERT_VALUES));
}

void BodySystem::make_solver(const Factors& factors) {
  petsc(KSPCreate(comm_.handle(), &ksp_));
  petsc(KSPSetOptionsPrefix(ksp_, "subsystem_"));
  petsc(KSPSetOperators(ksp_, K_, K_));
  PC pc = nullptr;
  petsc(KSPGetPC(ksp_, &pc));
  if (options_.linear == "schwarz") {
    petsc(PCSetType(pc, PCSHELL));
    petsc(PCShellSetContext(pc, this));
    petsc(PCShellSetApply(pc, precondition));
    constexpr int overlap = 1;
    schwarz_ = std::make_unique<Schwarz>(comm_, K_, overlap);
  } else if (options_.linear == "gamg") {
    petsc(PCSetType(pc, PCGAMG));
    add_rigid_motions(factors);
  } else {
    petsc(PCSetType(pc, PCLU));
    petsc(PCFactorSetMatSolverType(pc, MATSOLVERMUMPS));
  }
}

/// Bodies that move together as one: what multigrid must carry to coarse levels.
void BodySystem::add_rigid_motions(const Factors& factors) {
  if (comm_.any(factors.bodies.empty() && factors.dofs > 0)) return;
  constexpr PetscInt motions = 6;
  Vec modes[motions];
  for (PetscInt k = 0; k < motions; ++k) {
    petsc(VecDuplicate(s_, &modes[k]));
    const WriteArray mode(modes[k]);
    const Vec3 v = k < 3 ? Vec3(Vec3::Unit(k)) : Vec3(Vec3::Zero()),
               spin = k < 3 ? Vec3(Vec3::Zero()) : Vec3(Vec3::Unit(k - 3));
    for (std::size_t b = 0; b < factors.bodies.size(); ++b) {
      Vec3::Map(mode.data() + 6 * b) = v + spin.cross(factors.bodies[b].centre);
      Vec3::Map(mode.data() + 6 * b + 3) = factors.bodies[b].length * spin;
    }
  }
  for (PetscInt k = 0; k < motions; ++k) {
    for (PetscInt j = 0; j < k; ++j) {
      double product = 0.0;
      petsc(VecDot(modes[k], modes[j], &product));
      petsc(VecAXPY(modes[k], -product, modes[j]));
    }
    petsc(VecNormalize(modes[k], nullptr));
  }
  MatNullSpace space = nullptr;
  petsc(MatNullSpaceCreate(comm_.handle(), PETSC_FALSE, motions, modes, &space));
  petsc(MatSetBlockSize(K_, 6));
  petsc(MatSetNearNullSpace(K_, space));
  petsc(MatNullSpaceDestroy(&space));
  for (Vec& mode : modes) petsc(VecDestroy(&mode));
}

PetscErrorCode BodySystem::precondition(PC pc, Vec in, Vec out) {
  void* context = nullptr;
  petsc(PCShellGetContext(pc, &context));
  auto& self = *static_cast<BodySystem*>(context);
  self.schwarz_->apply(in, out, self.symmetric_);
  return 0;
}

bool BodySystem::factorise(const std::vector<Mat3>& P, const std::vector<Mat3>& Q) {
  bool regular = true;
  double asymmetry = 0.0;
  for (std::size_t k = 0; k < Q.size(); ++k) {
    Mat3 own = P[k];
    if (!compliance_.empty()) own += Q[k] * Vec3::Map(compliance_.data() + 3 * k).asDiagonal();
    inverse_[k] = own.inverse();
    Q_[k] = Q[k];
    G_[k] = inverse_[k] * Q[k];
    regular = regular && G_[k].allFinite();
    asymmetry = std::max(asymmetry, (G_[k] - G_[k].transpose()).norm() / std::max(G_[k].norm(), 1e-300));
  }
  double findings[2] = {regular ? 0.0 : 1.0, asymmetry};
  comm_.max(findings);
  if (findings[0] > 0.0) return false;
  constexpr double rounding = 1e-10;
  symmetric_ = symmetric_mass_ && findings[1] <= rounding;
  fill_matrix();
  const bool conjugate = symmetric_ && options_.linear != "gamg";  // multigrid may turn out indefinite
  petsc(KSPSetType(ksp_, conjugate ? KSPCG : KSPGMRES));
  petsc(KSPSetPCSide(ksp_, conjugate ? PC_LEFT : PC_RIGHT));
  if (!conjugate) petsc(KSPGMRESSetRestart(ksp_, much_work));
  petsc(KSPSetNormType(ksp_, KSP_NORM_UNPRECONDITIONED));
  petsc(KSPSetFromOptions(ksp_));
  stale_ = true;
  return !is_worn_out() || refresh();
}

/// Collective: whether there is no preconditioner, or more contacts differ from those of its matrix than a Krylov
/// method makes up for in a few iterations: a contact whose stiffness is another is a change of rank three.
bool BodySystem::is_worn_out() const {
  if (!usable_) return true;
  constexpr double alike = 0.5;
  std::int64_t changed = 0;
  for (std::size_t k = 0; k < G_.size(); ++k)
    if ((G_[k] - old_G_[k]).norm() > alike * std::min(G_[k].norm(), old_G_[k].norm())) ++changed;
  return comm_.sum(changed) > few_changes;
}

/// Collective: a preconditioner of the present matrix. False if it is singular.
bool BodySystem::refresh() {
  ++refreshed_;
  stale_ = false;
  old_G_ = G_;
  petsc(KSPSetReusePreconditioner(ksp_, PETSC_FALSE));
  petsc(KSPSetOperators(ksp_, K_, K_));
  usable_ = !schwarz_ || schwarz_->factorise(K_);
  return usable_;
}

/// Collective: s goes on until what is left over is at most `goal`, or for `most` iterations.
bool BodySystem::run(double goal, int most) {
  petsc(KSPSetTolerances(ksp_, std::numeric_limits<double>::epsilon(), goal, PETSC_DEFAULT, most));
  petsc(KSPSetInitialGuessNonzero(ksp_, PETSC_TRUE));
  petsc(KSPSolve(ksp_, right_, s_));
  petsc(KSPSetReusePreconditioner(ksp_, PETSC_TRUE));
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  PetscInt iterations = 0;
  petsc(KSPGetConvergedReason(ksp_, &reason));
  petsc(KSPGetIterationNumber(ksp_, &iterations));
  iterations_ += static_cast<int>(iterations);
  if (!stale_) usual_ = static_cast<int>(iterations);
  laboured_ = iterations > much_work || reason < 0;
  return reason > 0;
}

bool BodySystem::solve(Vec b, Vec d) {
  const ReadArray at(b);
  const auto blocks = static_cast<std::size_t>(at.size()) / 3;
  {
    const WriteArray start(impulse_);
    for (std::size_t k = 0; k < blocks; ++k)
      Vec3::Map(start.data() + 3 * k) = inverse_[k] * Vec3::Map(at.data() + 3 * k);
  }
  petsc(MatMultTranspose(DT_, impulse_, right_));
  double sum = 0.0;
  for (int k = 0; k < at.size(); ++k) sum += at[k] * at[k];
  const double goal = options_.forcing * std::sqrt(comm_.sum(sum));
  petsc(VecSet(s_, 0.0));
  bool solved = run(goal, stale_ ? usual_ + worth_refreshing : most_iterations);
  if (!solved && stale_) solved = refresh() && run(goal, most_iterations);
  petsc(MatMult(DT_, s_, impulse_));
  const ReadArray speed(impulse_);
  const WriteArray out(d);
  for (std::size_t k = 0; k < blocks; ++k)
    Vec3::Map(out.data() + 3 * k) =
        inverse_[k] * (Vec3::Map(at.data() + 3 * k) - Q_[k] * Vec3::Map(speed.data() + 3 * k));
  return solved;
}

}  // namespace scree::problem
