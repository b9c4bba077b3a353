#include "gradient_projection.hpp"

#include <algorithm>

#include "gradient.hpp"

namespace scree::solvers {

using parallel::petsc;
using problem::ContactProblem;

GradientProjection::GradientProjection(const ContactProblem& problem, Vec x, const GpminresOptions& options,
                                       FreePreconditioner* preconditioner)
    : problem_(problem), options_(options), x_(x), preconditioner_(preconditioner) {
  problem_.K.project(x_);
  find_velocity(problem_, x_, g);
}

void GradientProjection::gradient_phase() {
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

/// The steps are taken in the form of conjugate residuals, which gives MINRES's iterates for a semidefinite A_k and
/// keeps the residual vector: with it q_k(w) = -1/2 w.(res - r_k) costs no product. With a preconditioner they minimise
/// the residual in the norm of M^-1, at one product and one M^-1 a step.
void GradientProjection::krylov_phase(double eta2) {
  problem_.K.mark_free(x_, free_);
  if (preconditioner_ != nullptr) preconditioner_->update(free_);
  petsc(VecSet(w_, 0.0));
  petsc(VecPointwiseMult(res_, free_, g));
  petsc(VecScale(res_, -1.0));  // res = -r_k - A_k w
  petsc(VecCopy(res_, rhs_));
  precondition(res_, z_);  // z = M^-1 res
  petsc(VecCopy(z_, p_));
  apply_free(z_, Az_);
  petsc(VecCopy(Az_, Ap_));
  double z_A_z = dot(z_, Az_);
  double q = 0.0, best_gain = 0.0;
  for (int step = 0; step < options_.krylov_steps && z_A_z > 0.0; ++step) {
    precondition(Ap_, MAp_);
    const double alpha = z_A_z / dot(Ap_, MAp_);
    petsc(VecAXPY(w_, alpha, p_));
    petsc(VecAXPY(res_, -alpha, Ap_));
    petsc(VecAXPY(z_, -alpha, MAp_));
    const double q_new = -0.5 * (dot(w_, res_) + dot(w_, rhs_));
    const double gain = q - q_new;
    q = q_new;
    if (gain <= eta2 * best_gain) break;
    best_gain = std::max(best_gain, gain);

    apply_free(z_, Az_);
    const double next = dot(z_, Az_);
    petsc(VecAYPX(p_, next / z_A_z, z_));
    petsc(VecAYPX(Ap_, next / z_A_z, Az_));
    z_A_z = next;
  }
  petsc(VecCopy(w_, d_));
  projected_search(1.0);
}

bool GradientProjection::active_is_binding() {
  problem_.K.mark_free(x_, free_);
  problem_.K.project_gradient(x_, g, d_);
  petsc(VecPointwiseMult(trial_, free_, d_));
  petsc(VecAXPY(d_, -1.0, trial_));  // projected gradient of the active components
  double norm = 0.0;
  petsc(VecNorm(d_, NORM_INFINITY, &norm));
  return norm == 0.0;
}

/// A_k = Z^T N Z, padded with zeros.
void GradientProjection::apply_free(Vec in, Vec out) {
  petsc(VecPointwiseMult(trial_, free_, in));
  problem_.N->apply(trial_, out);
  petsc(VecPointwiseMult(out, free_, out));
}

void GradientProjection::precondition(Vec in, Vec out) {
  preconditioner_ != nullptr ? preconditioner_->apply(in, out) : petsc(VecCopy(in, out));
}

/// Halves alpha until x_new = P_K(x + alpha d) falls enough (16), and moves there. Returns the gain.
double GradientProjection::projected_search(double alpha) {
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

void project_gradients(const ContactProblem& problem, Vec x, Monitor& monitor, const GpminresOptions& options,
                       FreePreconditioner* preconditioner) {
  GradientProjection state(problem, x, options, preconditioner);
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
