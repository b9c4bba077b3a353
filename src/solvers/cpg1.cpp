#include "scree/solvers/cpg1.hpp"

#include <algorithm>

#include "gradient.hpp"

namespace scree::solvers {

using parallel::petsc;
using parallel::Vector;
using problem::ContactProblem;

namespace {

/// Collective: whether two vectors have the same entries.
bool equal(Vec a, Vec b) {
  PetscBool same = PETSC_FALSE;
  petsc(VecEqual(a, b, &same));
  return same == PETSC_TRUE;
}

bool has_polygons(problem::LawSet laws) {
  return laws.contains(problem::Law::prism) || laws.contains(problem::Law::pyramid) ||
         laws.contains(problem::Law::polyhedral);
}

bool has_only_bounds(problem::LawSet laws) {
  using problem::Law;
  return laws.without(Law::frictionless).without(Law::box).without(Law::bilateral).empty();
}

/// The state of one solve: x in K, its gradient g = N x + r, the last step and its product.
class Cpg1 {
  const ContactProblem& problem_;  // first: the vectors are made from it
  Vec x_;

 public:
  Vector g{problem_.make_vector()};

  Cpg1(const ContactProblem& problem, Vec x) : problem_(problem), x_(x) {
    problem_.K.project(x_);
    find_velocity(problem_, x_, g);
  }

  void iterate() {
    const double length = find_direction();
    if (length <= 0.0) return;
    const bool cut = !try_step(length);
    problem_.N->apply(s_, Ns_);
    const auto [slope, curvature] = dots({{g, s_}, {s_, Ns_}});
    s_N_s_ = curvature;
    if (curvature <= 0.0) return;
    const double best = slope / curvature;  // the minimum along s is at x - best s
    learn(best);
    move(best, cut);
  }

 private:
  /// d <- the projected gradient made conjugate to the last step (seed 000 algorithm 2, lines 2 to 5). Returns the
  /// length of the step along -d that is expected to reach the minimum (line 6); 0 if there is none.
  double find_direction() {
    problem_.K.project_gradient(x_, g, h_);
    problem_.K.project_gradient(x_, s_, d_);
    const auto [h_h, h_Ns, g_h, g_d] = dots({{h_, h_}, {h_, Ns_}, {g, h_}, {g, d_}});
    if (h_h <= 0.0) return 0.0;
    if (rayleigh_ == 0.0) measure_rayleigh(h_h);
    const bool conjugate = s_N_s_ > 0.0 && g_h - h_Ns / s_N_s_ * g_d > 0.0;
    const double beta = conjugate ? -h_Ns / s_N_s_ : 0.0;
    petsc(VecAYPX(d_, beta, presses_ ? g : h_));
    // d.N d, were the last step not cut by the tangent cone: h.N h is guessed, the rest is known.
    constexpr double least_share = 0.05;
    h_h_ = h_h;
    shed_ = conjugate ? h_Ns * h_Ns / s_N_s_ : 0.0;
    expected_ = std::max(rayleigh_ * h_h - shed_, least_share * rayleigh_ * h_h);
    return expected_ > 0.0 ? (g_h + beta * g_d) / expected_ : 0.0;
  }

  void measure_rayleigh(double h_h) {
    problem_.N->apply(h_, Ns_);
    rayleigh_ = dot(h_, Ns_) / h_h;
  }

  /// s <- x - P_K(x - length d). Returns whether the projection had nothing to do. Where the projection turns the step
  /// uphill, the plain projected gradient, which cannot, takes its place.
  bool try_step(double length) {
    petsc(VecWAXPY(s_, -length, d_, x_));
    petsc(VecCopy(s_, trial_));
    problem_.K.project(trial_);
    const bool inside = equal(s_, trial_);
    petsc(VecWAXPY(s_, -1.0, trial_, x_));
    if (inside || dot(g, s_) > 0.0) return inside;
    petsc(VecWAXPY(trial_, -1.0 / rayleigh_, g, x_));
    problem_.K.project(trial_);
    petsc(VecWAXPY(s_, -1.0, trial_, x_));
    expected_ = rayleigh_ * h_h_, shed_ = 0.0;
    return false;
  }

  /// The Rayleigh quotient that would have made the step right enters the mean of the last ones.
  void learn(double best) {
    constexpr double least_weight = 0.03, most_change = 3.0;
    ++learned_;
    const double seen = (expected_ / std::max(best, 1e-3) + shed_) / h_h_;
    const double kept = std::clamp(seen, rayleigh_ / most_change, rayleigh_ * most_change);
    rayleigh_ += std::max(least_weight, 1.0 / (1.0 + learned_)) * (kept - rayleigh_);
  }

  /// x moves to the minimum along s, or by s where the minimum lies outside K. A step that met bounds is taken as it is
  /// if it is nearly right: a shorter one would reach fewer of them. Else g.s = 0 counts for more, as without it the
  /// next direction is not conjugate.
  void move(double best, bool cut) {
    if (!cut && best > 1.0) {
      petsc(VecWAXPY(d_, -best, s_, x_));
      petsc(VecCopy(d_, h_));
      problem_.K.project(h_);
      if (equal(d_, h_)) {
        petsc(VecCopy(d_, x_));
        petsc(VecAXPY(g, -best, Ns_));
        return;
      }
    }
    if (best >= 1.0 || (cut && best > too_long_)) {
      petsc(VecCopy(trial_, x_));
      petsc(VecAXPY(g, -1.0, Ns_));
    } else {
      petsc(VecAXPY(x_, -best, s_));
      problem_.K.project(x_);  // it may miss its bound by rounding
      petsc(VecAXPY(g, -best, Ns_));
    }
  }

  Vector h_{problem_.make_vector()}, d_{problem_.make_vector()}, trial_{problem_.make_vector()};
  Vector s_{problem_.make_vector()}, Ns_{problem_.make_vector()};
  /// Where faces meet at an angle, the step takes the part of the gradient along that presses on them, and the
  /// projection drops it again: with h alone iterates jam at the edges of polygons.
  bool presses_ = has_polygons(problem_.K.all_laws());
  /// Beyond bounds, shortening more steps makes iterations depend on the number of ranks (cylinder, cone).
  double too_long_ = has_only_bounds(problem_.K.all_laws()) ? 0.9 : 0.7;
  double s_N_s_ = 0.0;
  double rayleigh_ = 0.0;  ///< h.N h / h.h of projected gradients h (1/kg); 0: not yet known
  int learned_ = 0;
  double h_h_ = 0.0, shed_ = 0.0, expected_ = 0.0;  ///< of this iteration: h.h, what conjugation takes off, d.N d
};

}  // namespace

void cpg1(const ContactProblem& problem, Vec x, Monitor& monitor) {
  Cpg1 state(problem, x);
  while (monitor.wants_more(x, state.g)) state.iterate();
  monitor.finish(x);
}

}  // namespace scree::solvers
