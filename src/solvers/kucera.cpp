#include "scree/solvers/kucera.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "gradient.hpp"

namespace scree::solvers {

using parallel::petsc;
using parallel::ReadArray;
using parallel::Vector;
using parallel::WriteArray;
using problem::ContactProblem;

namespace {

/// movable <- 1 for rows that have room between their bounds, else 0.
void mark_movable(const problem::ConstraintSet& K, Vec movable) {
  const WriteArray mask(movable);
  for (int k = 0; k < mask.size(); ++k) {
    const problem::AdmissibleSet set = K[k / 3];
    const bool fixed =
        set.shape() == problem::AdmissibleSet::Shape::rows && set.rows().lower[k % 3] == set.rows().upper[k % 3];
    mask[k] = fixed ? 0.0 : 1.0;
  }
}

/// |N| on the rows that can move, by Lanczos steps from r: from below, but near. Collective, a product a step.
double estimate_norm(const ContactProblem& problem, int steps) {
  Vector movable = problem.make_vector(), q = problem.make_vector(), last = problem.make_vector();
  const Vector Nq = problem.make_vector();
  mark_movable(problem.K, movable);
  petsc(VecPointwiseMult(q, movable, problem.r));
  Eigen::VectorXd diagonal(steps), off(steps);
  int made = 0;
  double beta = std::sqrt(dot(q, q));
  for (; made < steps && beta > 0.0; ++made) {
    petsc(VecScale(q, 1.0 / beta));
    problem.N->apply(q, Nq);
    petsc(VecPointwiseMult(Nq, movable, Nq));
    petsc(VecAXPY(Nq, made > 0 ? -beta : 0.0, last));
    diagonal[made] = dot(q, Nq);
    petsc(VecAXPY(Nq, -diagonal[made], q));
    std::swap(q, last);
    petsc(VecCopy(Nq, q));
    off[made] = beta = std::sqrt(dot(q, q));
    if (beta <= 1e-10 * diagonal[made]) beta = 0.0;
  }
  if (made == 0) return 0.0;
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> ritz;
  ritz.computeFromTridiagonal(diagonal.head(made), off.head(made - 1), Eigen::EigenvaluesOnly);
  return ritz.eigenvalues().maxCoeff();
}

/// The state of one solve: x in K, its gradient g = N x + r, and the direction p of conjugate gradients.
class Kucera {
  const ContactProblem& problem_;  // first: the vectors are made from it
  const KuceraOptions& options_;
  Vec x_;

 public:
  Vector g{problem_.make_vector()};

  Kucera(const ContactProblem& problem, Vec x, const KuceraOptions& options)
      : problem_(problem), options_(options), x_(x) {
    problem_.K.project(x_);
    find_velocity(problem_, x_, g);  // line 2
    restart();                       // line 3
  }

  void iterate() {
    if (norm_ == 0.0) norm_ = estimate_norm(problem_, options_.norm_steps);
    is_proportional() ? conjugate_step() : proportioning_step();
  }

 private:
  /// target <- P_K(x - alpha~ d): with d = g, alpha~ g~ = x - target (25); with d = phi, its free part (26).
  void find_target(Vec d) {
    petsc(VecWAXPY(target_, -options_.step / norm_, d, x_));
    problem_.K.project(target_);
  }

  /// Line 5: whether the free part of the projected gradient (26) outweighs the one at bounds (27).
  [[nodiscard]] bool is_proportional() {
    find_target(g);
    problem_.K.mark_free(x_, free_);
    const ReadArray x(x_), target(target_), free(free_), gradient(g);
    double sums[2] = {};  // alpha~ beta~.g and alpha~ phi~.g
    for (int k = 0; k < x.size(); ++k) sums[free[k] != 0.0 ? 1 : 0] += (x[k] - target[k]) * gradient[k];
    problem_.N->comm().sum(sums);
    return sums[0] <= options_.gamma * options_.gamma * sums[1];
  }

  /// Lines 18 to 21, with the free components in it and the minimum along the step in place of the length alpha~: as
  /// many products, and more bounds change. Collective.
  void proportioning_step() {
    const auto [slope, curvature] = find_step_to_target();
    const double to_minimum = curvature > 0.0 ? slope / curvature : 1.0;
    const double to_bound = problem_.N->comm().min(problem_.K.reach(x_, s_));
    const double most = to_bound > 1.0 + 1e-12 ? to_bound : 1.0;  // rows with the target at their bound reach it at 1
    move(s_, Ns_, std::min(to_minimum, most));
    restart();
  }

  /// Lines 6 to 17. Collective.
  void conjugate_step() {
    problem_.N->apply(p_, Np_);
    const auto [g_p, p_N_p, p_p] = dots({{g, p_}, {p_, Np_}, {p_, p_}});
    norm_ = std::max(norm_, p_p > 0.0 ? p_N_p / p_p : 0.0);
    const double to_minimum = p_N_p > 0.0 ? g_p / p_N_p : 0.0;
    const double to_bound = problem_.N->comm().min(problem_.K.reach(x_, p_));
    if (to_minimum < to_bound) {
      move(p_, Np_, to_minimum);
      continue_from(p_, Np_, p_N_p);
    } else if (!project_conjugate_step(to_minimum)) {
      expand(to_bound);
    }
  }

  /// Takes the whole step, projected, if the objective falls: it meets many bounds, that of line 14 only the nearest.
  /// Bounds that it meets do not end the chain of conjugate directions: most components stay free.
  bool project_conjugate_step(double to_minimum) {
    petsc(VecWAXPY(target_, -to_minimum, p_, x_));
    problem_.K.project(target_);
    const auto [slope, curvature] = find_step_to_target();
    if (slope <= 0.5 * curvature) return false;
    move(s_, Ns_, 1.0);
    continue_from(s_, Ns_, curvature);
    return true;
  }

  /// Lines 14 to 17: to the first bound, then a projected gradient step of the free components.
  void expand(double to_bound) {
    move(p_, Np_, to_bound);
    restart();
    find_target(p_);
    find_step_to_target();
    move(s_, Ns_, 1.0);
    restart();
  }

  /// s <- x - target, and its product. Returns g.s and s.N s.
  std::array<double, 2> find_step_to_target() {
    petsc(VecWAXPY(s_, -1.0, target_, x_));
    problem_.N->apply(s_, Ns_);
    return dots({{g, s_}, {s_, Ns_}});
  }

  /// x <- x - length d, and g with it. All of s leads to the target, exactly on its bounds.
  void move(Vec d, Vec Nd, double length) {
    const bool whole = d == s_ && length == 1.0;
    whole ? petsc(VecCopy(target_, x_)) : petsc(VecAXPY(x_, -length, d));
    petsc(VecAXPY(g, -length, Nd));
    problem_.K.project(x_);  // it may miss its bound by rounding
  }

  /// p <- phi (28).
  void restart() {
    problem_.K.mark_free(x_, free_);
    petsc(VecPointwiseMult(p_, free_, g));
  }

  /// p <- phi - rho d (29), where d, the step just made, keeps what is still free; phi alone if that led uphill.
  void continue_from(Vec d, Vec Nd, double d_N_d) {
    problem_.K.mark_free(x_, free_);
    petsc(VecPointwiseMult(target_, free_, g));
    petsc(VecPointwiseMult(p_, free_, d));
    const auto [phi_N_d, g_phi, g_p] = dots({{target_, Nd}, {g, target_}, {g, p_}});
    const double rho = d_N_d > 0.0 ? phi_N_d / d_N_d : 0.0;
    petsc(VecAYPX(p_, g_phi > rho * g_p ? -rho : 0.0, target_));
  }

  double norm_ = 0.0;  ///< |N|; 0: not yet known
  Vector free_{problem_.make_vector()}, target_{problem_.make_vector()}, p_{problem_.make_vector()};
  Vector Np_{problem_.make_vector()}, s_{problem_.make_vector()}, Ns_{problem_.make_vector()};
};

}  // namespace

void kucera(const ContactProblem& problem, Vec x, Monitor& monitor, const KuceraOptions& options) {
  Kucera state(problem, x, options);
  while (monitor.wants_more(x, state.g)) state.iterate();
  monitor.finish(x);
}

}  // namespace scree::solvers
