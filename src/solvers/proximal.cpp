#include "scree/solvers/proximal.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <vector>

#include "gradient.hpp"
#include "mean_diagonals.hpp"
#include "scree/problem/linearised_law.hpp"
#include "scree/problem/newton_system.hpp"
#include "sweeping.hpp"

namespace scree::solvers {

using model::Mat3;
using model::Vec3;
using parallel::petsc;
using parallel::ReadArray;
using parallel::Vector;
using parallel::WriteArray;
using problem::ContactProblem;

namespace {

constexpr double least_alpha = 1e-9, most_alpha = 10.0;

/// The problem with N + alpha m, r - alpha m centre, and Newton's method on it.
class ProximalProblem {
 public:
  ProximalProblem(const ContactProblem& problem, const ProximalOptions& options)
      : problem_(problem),
        options_(options),
        m_(mean_diagonals(*problem.N)),
        system_(problem::make_newton_system(problem, {options.subsystem, options.linear})),
        u_(problem.make_vector()),
        F_(problem.make_vector()),
        d_(problem.make_vector()),
        Nd_(problem.make_vector()),
        P_(m_.size()),
        Q_(m_.size()) {}

  /// Whether a smaller alpha would be too much for the linear systems.
  [[nodiscard]] bool laboured() const { return system_->laboured(); }

  /// Collective: |F| of the problem without the proximal term at x, whose velocities are w.
  double error(Vec x, Vec w) { return start(0.0, x, w); }

  struct Outcome {
    bool converged;
    int steps;
  };

  /// Collective. Newton's method from x, whose velocities are w, which is the centre, until |F| is a tenth of what it
  /// was there, or so much more that it will not come back. That is a rule that knows no units, as the natural error
  /// would.
  Outcome solve(double alpha, Vec x, Vec w) {
    constexpr double enough = 0.1, lost = 1e4;
    std::deque<double> sizes = {start(alpha, x, w)};
    const double goal = enough * sizes.front(), limit = lost * sizes.front();
    for (int step = 1; step <= options_.newton_steps; ++step) {
      linearise(x);
      if (!system_->factorise(P_, Q_) || !system_->solve(F_, d_)) return {false, step};
      search(x, sizes);
      if (sizes.back() <= goal) return {true, step};
      if (!(sizes.back() <= limit)) return {false, step};
    }
    return {false, options_.newton_steps};
  }

 private:
  /// |F(x)| at a centre x whose velocities are w.
  double start(double alpha, Vec x, Vec w) {
    alpha_ = alpha;
    rho_ = 2.0 / (1.0 + alpha);
    petsc(VecCopy(w, u_));
    petsc(VecZeroEntries(d_));
    petsc(VecZeroEntries(Nd_));
    return residual(x, 0.0);
  }

  /// |F(x + t d)| in units in which every block has the same diagonal.
  double residual(Vec x, double t) const {
    const ReadArray at(x), u(u_), d(d_), Nd(Nd_);
    double sum = 0.0;
    for (int k = 0; k < at.size() / 3; ++k) {
      const double m = m_.data()[k];
      const Vec3 step = t * Vec3(d.data() + 3 * k);
      const Vec3 next = Vec3(at.data() + 3 * k) + step;
      const Vec3 speed = Vec3(u.data() + 3 * k) + t * Vec3(Nd.data() + 3 * k) + alpha_ * m * step;
      sum += m * law_residual(problem_.K, k, next, next - rho_ / m * speed).squaredNorm();
    }
    return std::sqrt(problem_.N->comm().sum(sum));
  }

  /// F, and its derivative P + Q N: (I - C) + rho/m C (N + alpha m).
  void linearise(Vec x) {
    const ReadArray at(x), u(u_);
    const WriteArray F(F_);
    for (int k = 0; k < at.size() / 3; ++k) {
      const double rho = rho_ / m_.data()[k];
      const Vec3 here(at.data() + 3 * k);
      const auto law = linearise_law(problem_.K, k, here, here - rho * Vec3(u.data() + 3 * k));
      Vec3::Map(F.data() + 3 * k) = -law.F;
      P_.data()[k] = Mat3::Identity() - (1.0 - rho_ * alpha_) * law.C;
      Q_.data()[k] = rho * law.C;
    }
  }

  /// x and u go along d by 1, 1/2 or 1/4, whichever first keeps |F| below the largest of the last few; else 1/4: longer
  /// searches cost more than they save.
  void search(Vec x, std::deque<double>& sizes) {
    constexpr double shortest = 0.25, sufficient = 1e-4;
    constexpr std::size_t memory = 6;
    problem_.N->apply(d_, Nd_);
    const double bound = *std::ranges::max_element(sizes);
    double t = 1.0, size = residual(x, t);
    while (t > shortest && !(size <= (1.0 - sufficient * t) * bound)) size = residual(x, t *= 0.5);
    sizes.push_back(size);
    if (sizes.size() > memory) sizes.pop_front();
    petsc(VecAXPY(x, t, d_));
    petsc(VecAXPY(u_, t, Nd_));
    const ReadArray d(d_);
    const WriteArray u(u_);
    for (int k = 0; k < d.size(); ++k) u[k] += t * alpha_ * m_.data()[k / 3] * d[k];
  }

  const ContactProblem& problem_;
  const ProximalOptions& options_;
  std::vector<double> m_;
  std::unique_ptr<problem::NewtonSystem> system_;
  double alpha_ = 0.0, rho_ = 0.0;  ///< rho: step length of the projection equation, in units of 1 / m
  Vector u_, F_, d_, Nd_;           ///< u: velocities of the proximal problem
  std::vector<Mat3> P_, Q_;
};

/// Collective: sweeps from x, whose motion is given; it and w follow.
void sweep(const ContactProblem& problem, int sweeps, Vec x, problem::Motion& motion, Vec w) {
  for (int k = 0; k < sweeps; ++k) problem.N->sweep(problem.r, problem.K, x, motion);
  find_velocity(problem, x, motion, Monitor::From::motion, w);
}

/// Collective: sweeps from x. w follows.
void relax(const ContactProblem& problem, int sweeps, Vec x, Vec w) {
  problem::Motion motion = problem.N->motion_at_rest();
  problem.N->set_motion(x, motion);
  sweep(problem, sweeps, x, motion, w);
}

/// Collective: w of x, and sweeps from x if it is not the solution. Tells whether there is more to do.
bool begin(const ContactProblem& problem, int sweeps, Vec x, Vec w, Monitor& monitor) {
  problem::Motion motion = problem.N->motion_at_rest();
  find_velocity(problem, x, motion, Monitor::From::impulses, w);
  if (!monitor.wants_more(x, w)) return false;
  if (sweeps == 0) return true;
  sweep(problem, sweeps, x, motion, w);
  return monitor.wants_more(x, w);
}

}  // namespace

void proximal(const ContactProblem& problem, Vec x, Monitor& monitor, const ProximalOptions& options) {
  const Vector w = problem.make_vector();
  problem.K.project(x);
  if (!begin(problem, options.sweeps, x, w, monitor)) return monitor.finish(x);

  const Vector centre = problem.make_vector(), admissible = problem.make_vector(), its_w = problem.make_vector();
  ProximalProblem proximal_problem(problem, options);
  double alpha = options.alpha, least = monitor.trend().back().error;
  double floor = least_alpha;  // below it Newton's method has failed, not long ago
  int failures = 0, idle = 0;
  bool more = true;
  do {
    petsc(VecCopy(x, centre));
    const double error = proximal_problem.error(x, w);
    const auto [converged, steps] = proximal_problem.solve(alpha, x, w);
    find_velocity(problem, x, w);
    if (converged) {
      constexpr int very_easy = 2, easy = 12;
      failures = 0;
      const double smaller = std::max(floor, (steps <= very_easy ? 0.03 : 0.3) * alpha);
      if (steps <= easy && !proximal_problem.laboured()) alpha = std::min(alpha, smaller);
      floor = std::max(least_alpha, 0.5 * floor);
    } else {
      constexpr int too_many = 9, few_sweeps = 20, many_sweeps = 50;
      ++failures;
      alpha = floor = std::min(most_alpha, 4.0 * alpha);
      if (!(proximal_problem.error(x, w) <= error)) {
        petsc(VecCopy(centre, x));
        find_velocity(problem, x, w);
      }
      if (failures == too_many) {
        monitor.restore_best(x);
        relax(problem, many_sweeps, x, w);
        alpha = 0.1;
        failures = 0;
      } else if (alpha == most_alpha) {
        relax(problem, few_sweeps, x, w);
      }
    }
    // Newton's iterates lie a little outside of K, and N may make much of the way back. So what is judged is not what
    // goes on.
    petsc(VecCopy(x, admissible));
    problem.K.project(admissible);
    find_velocity(problem, admissible, its_w);
    more = monitor.wants_more(admissible, its_w);
    const double judged = monitor.trend().back().error;
    idle = judged < least ? 0 : idle + 1;
    least = std::min(least, judged);
  } while (more && idle < options.patience);
  monitor.finish(x);
}

}  // namespace scree::solvers
