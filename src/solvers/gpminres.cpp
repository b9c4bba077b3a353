#include "scree/solvers/gpminres.hpp"

#include <algorithm>

#include "gradient.hpp"

namespace scree::solvers {

using parallel::petsc;
using parallel::Vector;
using problem::ContactProblem;

namespace {

/// The state of one solve: x in K, its gradient g = N x + r, and work vectors.
class Gpminres {
  const ContactProblem& problem_;  // first: the vectors are made from it
  const GpminresOptions& options_;
  Vec x_;

 public:
  Vector g{problem_.make_vector()};

  Gpminres(const ContactProblem& problem, Vec x, const GpminresOptions& options)
      : problem_(problem), options_(options), x_(x) {
    problem_.K.project(x_);
    find_velocity(problem_, x_, g);
  }

  /// Projected gradient steps until the active set rests (17) or the objective hardly falls (18).
  void gradient_phase() {
    double best_gain = 0.0;
    problem_.K.mark_free(x_, free_);
    for (int step = 0; step < options_.gradient_steps; ++step) {
      problem_.K.project_gradient(x_, g, d_);
      petsc(VecScale(d_, -1.0));
      problem_.N->apply(d_, Nd_);
      const double curvature = dot(d_, Nd_);
      if (curvature <= 0.0) return;
      const double gain = projected_search(dot(d_, d_) / curvature);  // from alpha*, the minimum along d
      petsc(VecCopy(free_, free_before_));
      problem_.K.mark_free(x_, free_);
      PetscBool same = PETSC_FALSE;
      petsc(VecEqual(free_, free_before_, &same));
      if (same || gain <= options_.eta1 * best_gain) return;
      best_gain = std::max(best_gain, gain);
    }
  }

  /// Minimum-residual steps for A_k w = -r_k on the free components, ended by (20); then x moves along the result.
  /// They are taken in the form of conjugate residuals, which gives MINRES's iterates for a semidefinite A_k and keeps
  /// the residual vector: with it q_k(w) = -1/2 w.(res - r_k) costs no product.
  void krylov_phase(double eta2) {
    problem_.K.mark_free(x_, free_);
    petsc(VecSet(w_, 0.0));
    petsc(VecPointwiseMult(res_, free_, g));
    petsc(VecScale(res_, -1.0));  // res = -r_k - A_k w
    petsc(VecCopy(res_, rhs_));
    petsc(VecCopy(res_, p_));
    apply_free(res_, Ares_);
    petsc(VecCopy(Ares_, Ap_));
    double res_A_res = dot(res_, Ares_);
    double q = 0.0, best_gain = 0.0;
    for (int step = 0; step < options_.krylov_steps && res_A_res > 0.0; ++step) {
      const double alpha = res_A_res / dot(Ap_, Ap_);
      petsc(VecAXPY(w_, alpha, p_));
      petsc(VecAXPY(res_, -alpha, Ap_));
      const double q_new = -0.5 * (dot(w_, res_) + dot(w_, rhs_));
      const double gain = q - q_new;
      q = q_new;
      if (gain <= eta2 * best_gain) break;
      best_gain = std::max(best_gain, gain);

      apply_free(res_, Ares_);
      const double next = dot(res_, Ares_);
      petsc(VecAYPX(p_, next / res_A_res, res_));
      petsc(VecAYPX(Ap_, next / res_A_res, Ares_));
      res_A_res = next;
    }
    petsc(VecCopy(w_, d_));
    projected_search(1.0);
  }

  /// Whether all active components are binding: the gradient holds each of them at its bound.
  [[nodiscard]] bool active_is_binding() {
    problem_.K.mark_free(x_, free_);
    problem_.K.project_gradient(x_, g, d_);
    petsc(VecPointwiseMult(trial_, free_, d_));
    petsc(VecAXPY(d_, -1.0, trial_));  // projected gradient of the active components
    double norm = 0.0;
    petsc(VecNorm(d_, NORM_INFINITY, &norm));
    return norm == 0.0;
  }

 private:
  /// A_k = Z^T N Z, padded with zeros.
  void apply_free(Vec in, Vec out) {
    petsc(VecPointwiseMult(trial_, free_, in));
    problem_.N->apply(trial_, out);
    petsc(VecPointwiseMult(out, free_, out));
  }

  /// Halves alpha until x_new = P_K(x + alpha d) falls enough (16), and moves there. Returns the gain.
  double projected_search(double alpha) {
    constexpr int max_halvings = 30;
    for (int halving = 0; halving < max_halvings; ++halving, alpha *= 0.5) {
      petsc(VecWAXPY(trial_, alpha, d_, x_));
      problem_.K.project(trial_);
      petsc(VecAXPY(trial_, -1.0, x_));  // s = x_new - x
      problem_.N->apply(trial_, Nd_);
      const double slope = dot(g, trial_);
      const double change = slope + 0.5 * dot(trial_, Nd_);  // q(x_new) - q(x)
      if (slope >= 0.0 || change > options_.armijo * slope) continue;
      petsc(VecAXPY(x_, 1.0, trial_));
      problem_.K.project(x_);  // x + s may miss its bound by rounding
      petsc(VecAXPY(g, 1.0, Nd_));
      return -change;
    }
    return 0.0;
  }

  Vector free_{problem_.make_vector()}, free_before_{problem_.make_vector()};
  Vector d_{problem_.make_vector()}, Nd_{problem_.make_vector()}, trial_{problem_.make_vector()};
  Vector w_{problem_.make_vector()}, res_{problem_.make_vector()}, rhs_{problem_.make_vector()};
  Vector p_{problem_.make_vector()}, Ap_{problem_.make_vector()}, Ares_{problem_.make_vector()};
};

}  // namespace

void gpminres(const ContactProblem& problem, Vec x, Monitor& monitor, const GpminresOptions& options) {
  Gpminres state(problem, x, options);
  double eta2 = options.eta2;
  bool krylov_only = false;  // while active = binding, the Krylov phase goes on with a smaller eta2
  while (monitor.wants_more(x, state.g)) {
    if (!krylov_only) state.gradient_phase();
    state.krylov_phase(eta2);
    krylov_only = state.active_is_binding();
    eta2 = krylov_only ? 0.1 * eta2 : options.eta2;
  }
  monitor.finish(x);
}

}  // namespace scree::solvers
