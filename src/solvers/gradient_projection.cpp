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
  faces_.find(problem_.K, x_, g);
  for (int step = 0; step < options_.gradient_steps; ++step) {
    if (alpha_ == 0.0) alpha_ = minimum_along_projected_gradient();
    if (alpha_ == 0.0) return;
    petsc(VecCopy(g, d_));
    petsc(VecScale(d_, -1.0));
    const double gain = projected_search(d_, alpha_);
    const auto [length, curvature] = dots({{s_, s_}, {s_, Ns_}});
    alpha_ = gain > 0.0 && curvature > 0.0 ? length / curvature : 0.0;
    const bool same = !moves_to_other_faces();
    if (same || gain <= options_.eta1 * best_gain) return;
    best_gain = std::max(best_gain, gain);
  }
}

/// alpha* of seed 003 below eq. 16, at the price of a product. After the first step the minimum along the one before,
/// which is known, takes its place.
double GradientProjection::minimum_along_projected_gradient() {
  problem_.K.project_gradient(x_, g, s_);
  problem_.N->apply(s_, Ns_);
  const auto [length, curvature] = dots({{s_, s_}, {s_, Ns_}});
  return curvature > 0.0 ? length / curvature : 0.0;
}

/// The steps are taken in the form of conjugate residuals, which gives MINRES's iterates for a semidefinite A_k and
/// keeps the residual vector: with it q_k(w) = -1/2 w.(res - r_k) costs no product. With a preconditioner they minimise
/// the residual in the norm of M^-1, at one product and one M^-1 a step.
void GradientProjection::begin_krylov() {
  faces_.find(problem_.K, x_, g);
  if (preconditioner_ != nullptr) preconditioner_->update(faces_);
  petsc(VecCopy(g, res_));
  petsc(VecScale(res_, -1.0));
  faces_.keep_free(res_);  // res = -r_k - A_k w
  precondition(res_, z_);  // z = M^-1 res
  petsc(VecCopy(z_, p_));
  apply_free(z_, Az_);
  petsc(VecCopy(Az_, Ap_));
  z_A_z_ = dot(z_, Az_);
}

KrylovEnd GradientProjection::krylov_phase(double eta2) {
  petsc(VecSet(w_, 0.0));
  petsc(VecCopy(res_, rhs_));
  double q = 0.0, best_gain = 0.0;
  for (int step = 0; step < options_.krylov_steps && z_A_z_ > 0.0; ++step) {
    precondition(Ap_, MAp_);
    const double alpha = z_A_z_ / dot(Ap_, MAp_);
    petsc(VecAXPY(w_, alpha, p_));
    petsc(VecAXPY(res_, -alpha, Ap_));
    petsc(VecAXPY(z_, -alpha, MAp_));
    apply_free(z_, Az_);
    const auto [w_res, w_rhs, next] = dots({{w_, res_}, {w_, rhs_}, {z_, Az_}});
    petsc(VecAYPX(p_, next / z_A_z_, z_));
    petsc(VecAYPX(Ap_, next / z_A_z_, Az_));
    z_A_z_ = next;

    const double q_new = -0.5 * (w_res + w_rhs), gain = q - q_new;
    q = q_new;
    if (gain <= eta2 * best_gain) break;
    best_gain = std::max(best_gain, gain);
  }
  constexpr double next_to_nothing = 1e-3;  // of the fall -q that the steps promise
  if (projected_search(w_, 1.0) <= -next_to_nothing * q) return KrylovEnd::stuck;
  petsc(VecWAXPY(d_, -1.0, s_, w_));
  const auto [missed, aimed_at] = dots({{d_, d_}, {w_, w_}});
  constexpr double rounding = 1e-20;
  return !moves_to_other_faces() && missed <= rounding * aimed_at ? KrylovEnd::arrived : KrylovEnd::moved;
}

bool GradientProjection::active_is_binding() {
  problem_.K.project_gradient(x_, g, d_);
  petsc(VecCopy(g, s_));
  faces_.keep_free(s_);
  petsc(VecAXPY(s_, -1.0, d_));  // projected gradient of the active components
  const auto [active, all] = dots({{s_, s_}, {g, g}});
  constexpr double rounding = 1e-28;
  return active <= rounding * all;
}

bool GradientProjection::moves_to_other_faces() { return problem_.N->comm().any(!faces_.find(problem_.K, x_, g)); }

/// A_k = Z^T N Z and the bends of rims, padded with zeros.
void GradientProjection::apply_free(Vec in, Vec out) {
  problem_.N->apply(in, out);
  faces_.restrict_product(in, out);
}

void GradientProjection::precondition(Vec in, Vec out) {
  preconditioner_ != nullptr ? preconditioner_->apply(in, out) : petsc(VecCopy(in, out));
}

/// Halves alpha until x_new = P_K(x + alpha d) falls enough (16), and moves there: s = x_new - x. A second step that
/// falls, but not enough, is cut off at the minimum along s, which costs no product. Returns the gain.
double GradientProjection::projected_search(Vec d, double alpha) {
  constexpr int max_halvings = 6, cut_off_from = 1;
  for (int halving = 0; halving < max_halvings; ++halving, alpha *= 0.5) {
    petsc(VecWAXPY(s_, alpha, d, x_));
    problem_.K.project(s_);
    petsc(VecAXPY(s_, -1.0, x_));
    problem_.N->apply(s_, Ns_);
    const auto [slope, curvature] = dots({{g, s_}, {s_, Ns_}});
    if (slope >= 0.0) continue;
    double change = slope + 0.5 * curvature;  // q(x_new) - q(x)
    if (change > options_.armijo * slope) {
      if (halving < cut_off_from) continue;
      const double share = -slope / curvature;
      petsc(VecScale(s_, share));
      petsc(VecScale(Ns_, share));
      change = 0.5 * share * slope;
    }
    petsc(VecAXPY(x_, 1.0, s_));
    problem_.K.project(x_);  // x + s may miss its bound by rounding
    petsc(VecAXPY(g, 1.0, Ns_));
    return -change;
  }
  return 0.0;
}

void project_gradients(const ContactProblem& problem, Vec x, Monitor& monitor, const GpminresOptions& options,
                       FreePreconditioner* preconditioner) {
  GradientProjection state(problem, x, options, preconditioner);
  double eta2 = options.eta2;
  KrylovEnd end = KrylovEnd::stuck;
  bool binding = false;  // while active = binding, the Krylov phase goes on with a smaller eta2
  while (monitor.wants_more(x, state.g)) {
    if (!binding || end == KrylovEnd::stuck) state.gradient_phase();
    if (!binding || end != KrylovEnd::arrived) state.begin_krylov();
    end = state.krylov_phase(eta2);
    binding = state.active_is_binding();
    eta2 = binding ? 0.1 * eta2 : options.eta2;
  }
  monitor.finish(x);
}

}  // namespace scree::solvers
