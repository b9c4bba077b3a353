#include "scree/solvers/kucera.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
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
    find_velocity(problem_, x_, g);
  }

  void iterate() {
    if (norm_ == 0.0) begin();
    if (is_proportional()) {
      conjugate_step();
    } else {  // lines 18 to 21: the proportioning step x - alpha~ beta~
      move_to_target(false);
    }
  }

 private:
  void begin() {
    norm_ = estimate_norm(problem_, options_.norm_steps);
    problem_.K.mark_free(x_, free_);
    petsc(VecPointwiseMult(p_, free_, g));  // line 3
  }

  [[nodiscard]] double alpha() const { return options_.step / norm_; }

  /// target <- P_K(x - alpha~ g), so that alpha~ g~ = x - target (25).
  void find_target() {
    petsc(VecWAXPY(target_, -alpha(), g, x_));
    problem_.K.project(target_);
    problem_.K.mark_free(x_, free_);
  }

  /// Line 5: whether the free part of the projected gradient (26) outweighs the one at bounds (27).
  [[nodiscard]] bool is_proportional() {
    find_target();
    const ReadArray x(x_), target(target_), free(free_), gradient(g);
    double sums[2] = {};  // alpha~ beta~.g and alpha~ phi~.g
    for (int k = 0; k < x.size(); ++k) sums[free[k] != 0.0 ? 1 : 0] += (x[k] - target[k]) * gradient[k];
    problem_.N->comm().sum(sums);
    return sums[0] <= options_.gamma * options_.gamma * sums[1];
  }

  /// x <- target for the free components, or for the others; then g and p afresh. Collective.
  void move_to_target(bool which) {
    {
      const ReadArray target(target_), free(free_);
      const WriteArray x(x_);
      for (int k = 0; k < x.size(); ++k)
        if ((free[k] != 0.0) == which) x[k] = target[k];
    }
    find_velocity(problem_, x_, g);
    problem_.K.mark_free(x_, free_);
    petsc(VecPointwiseMult(p_, free_, g));  // (28)
  }

  /// Lines 6 to 17.
  void conjugate_step() {
    problem_.N->apply(p_, Np_);
    const auto [g_p, p_N_p, p_p] = dots({{g, p_}, {p_, Np_}, {p_, p_}});
    norm_ = std::max(norm_, p_p > 0.0 ? p_N_p / p_p : 0.0);
    const double to_minimum = p_N_p > 0.0 ? g_p / p_N_p : 0.0;
    const double to_bound = problem_.N->comm().min(problem_.K.reach(x_, p_));
    petsc(VecAXPY(x_, -std::min(to_minimum, to_bound), p_));
    petsc(VecAXPY(g, -std::min(to_minimum, to_bound), Np_));
    problem_.K.project(x_);  // it may miss its bound by rounding
    if (to_minimum < to_bound) {
      problem_.K.mark_free(x_, free_);
      petsc(VecPointwiseMult(target_, free_, g));
      petsc(VecAYPX(p_, p_N_p > 0.0 ? -dot(target_, Np_) / p_N_p : 0.0, target_));  // (29)
    } else {  // lines 14 to 17: the expansion step
      find_target();
      move_to_target(true);
    }
  }

  double norm_ = 0.0;  ///< |N|; 0: not yet known
  Vector free_{problem_.make_vector()}, target_{problem_.make_vector()};
  Vector p_{problem_.make_vector()}, Np_{problem_.make_vector()};
};

}  // namespace

void kucera(const ContactProblem& problem, Vec x, Monitor& monitor, const KuceraOptions& options) {
  Kucera state(problem, x, options);
  while (monitor.wants_more(x, state.g)) state.iterate();
  monitor.finish(x);
}

}  // namespace scree::solvers
