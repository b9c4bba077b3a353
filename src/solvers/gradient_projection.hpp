#pragma once

#include "faces.hpp"
#include "scree/problem/contact_problem.hpp"
#include "scree/solvers/gpminres.hpp"
#include "scree/solvers/monitor.hpp"

// Gradient projection with Krylov steps on the free components (seed 003): what gpminres and gpminres-p share.

namespace scree::solvers {

/// M^-1, symmetric and positive definite, for the Krylov steps of gpminres-p.
class FreePreconditioner {
 public:
  virtual ~FreePreconditioner() = default;
  /// Collective: the faces that hold the iterate changed.
  virtual void update(const Faces& faces) = 0;
  /// Collective: z <- M^-1 res, along the faces.
  virtual void apply(Vec res, Vec z) = 0;
};

/// Where Krylov steps led: next to nowhere, for a bound lies in the way of one component and holds up all others, so
/// that the face must change first; somewhere; or to what they aimed at in the same face, so that they can go on there.
enum class KrylovEnd { stuck, moved, arrived };

/// The state of one solve: x in K, its gradient g = N x + r, and work vectors.
class GradientProjection {
  using Vector = parallel::Vector;
  const problem::ContactProblem& problem_;  // first: the vectors are made from it
  const GpminresOptions& options_;
  Vec x_;
  FreePreconditioner* preconditioner_;

 public:
  Vector g{problem_.make_vector()};

  /// Collective. Without a preconditioner M = I.
  GradientProjection(const problem::ContactProblem& problem, Vec x, const GpminresOptions& options,
                     FreePreconditioner* preconditioner);

  /// Projected gradient steps until the active set rests (17) or the objective hardly falls (18).
  void gradient_phase();

  /// Begins minimum-residual steps for A_k w = -r_k along the faces that x lies in.
  void begin_krylov();

  /// Makes such steps until (20) ends them; then x moves along the result.
  KrylovEnd krylov_phase(double eta2);

  /// Whether all active components are binding: the gradient holds each of them at its bound.
  [[nodiscard]] bool active_is_binding();

 private:
  double minimum_along_projected_gradient();
  bool moves_to_other_faces();
  void apply_free(Vec in, Vec out);
  void precondition(Vec in, Vec out);
  double projected_search(Vec d, double alpha);

  Faces faces_;
  double alpha_ = 0.0;  ///< of the next gradient step (kg); 0: not known
  double z_A_z_ = 0.0;
  Vector d_{problem_.make_vector()}, s_{problem_.make_vector()}, Ns_{problem_.make_vector()};
  Vector w_{problem_.make_vector()}, res_{problem_.make_vector()}, rhs_{problem_.make_vector()};
  Vector p_{problem_.make_vector()}, Ap_{problem_.make_vector()};
  Vector z_{problem_.make_vector()}, Az_{problem_.make_vector()}, MAp_{problem_.make_vector()};
};

/// Algorithm GPMINRES, and GPMINRES-P with a preconditioner. Collective.
void project_gradients(const problem::ContactProblem& problem, Vec x, Monitor& monitor, const GpminresOptions& options,
                       FreePreconditioner* preconditioner);

}  // namespace scree::solvers
