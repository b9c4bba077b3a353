#pragma once

#include <petscksp.h>

#include <memory>
#include <string>
#include <vector>

#include "scree/parallel/matrix.hpp"
#include "scree/problem/factors.hpp"
#include "scree/problem/newton_system.hpp"
#include "scree/problem/schwarz.hpp"

namespace scree::problem {

/// Collective: whether the motion is that of bodies, whose masses are known.
[[nodiscard]] bool knows_masses(const parallel::Comm& comm, const Factors& factors);

/// Newton's systems in the space of bodies, distributed. With N = D^T M^-1 D + C, G = (P + Q C)^-1 Q and the motion
/// s = M^-1 D d,
///
///     (M + D G D^T) s = D (P + Q C)^-1 b,     d = (P + Q C)^-1 (b - Q D^T s).
///
/// The matrix has as many rows as bodies have degrees of freedom, is like that of elasticity, symmetric if all G are,
/// and regular however many contacts bear the same load. What is left over of the first equation, in N s, is left over
/// of (P + Q N) d = b in about the same size: so a Krylov method stops at a small share of |b|.
///
/// A preconditioner is kept while hardly a contact changes.
class BodySystem final : public NewtonSystem {
 public:
  /// Collective. Throws InputError if masses are not known.
  BodySystem(const ContactProblem& problem, Factors factors, const SubsystemOptions& options);
  ~BodySystem() override;

  [[nodiscard]] bool factorise(const std::vector<model::Mat3>& P, const std::vector<model::Mat3>& Q) override;
  [[nodiscard]] bool solve(Vec b, Vec d) override;
  [[nodiscard]] bool laboured() const override { return laboured_; }
  [[nodiscard]] double operations() const override { return operations_; }

  /// Krylov iterations and preconditioners made so far.
  [[nodiscard]] int iterations() const { return iterations_; }
  [[nodiscard]] int refreshed() const { return refreshed_; }

 private:
  void plan_matrix(const Factors& factors);
  void fill_matrix();
  void make_solver(const Factors& factors);
  void add_rigid_motions(const Factors& factors);
  [[nodiscard]] bool refresh();
  [[nodiscard]] bool is_worn_out() const;
  [[nodiscard]] bool run(double goal, int most);
  static PetscErrorCode precondition(PC pc, Vec in, Vec out);

  const parallel::Comm& comm_;
  SubsystemOptions options_;
  std::vector<int> first_touch_;  ///< of each block
  std::vector<Touch> touches_;    ///< D, without rows that cannot move
  std::vector<double> compliance_, mass_;
  parallel::Matrix DT_;  ///< rows by impulses, columns by the motion
  parallel::Matrix K_;
  std::vector<double> values_;  ///< of K, contact by contact, then those of M
  std::vector<model::Mat3> inverse_, Q_, G_;
  std::vector<model::Mat3> old_G_;  ///< of the matrix that the preconditioner is of
  bool symmetric_ = true;           ///< all G, and M
  bool symmetric_mass_ = true;
  KSP ksp_ = nullptr;
  std::unique_ptr<Schwarz> schwarz_;
  Vec right_ = nullptr, s_ = nullptr, impulse_ = nullptr;
  bool usable_ = false;  ///< there is a preconditioner
  bool stale_ = true;    ///< it is not of this matrix
  int usual_ = 0;        ///< iterations that it needed on its own matrix
  bool laboured_ = false;
  int iterations_ = 0, refreshed_ = 0;
  double operations_ = 0.0;
};

}  // namespace scree::problem
