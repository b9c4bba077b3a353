#include "scree/solvers/apgd.hpp"

#include <utility>

#include "gradient.hpp"
#include "momentum.hpp"

namespace scree::solvers {

using parallel::petsc;
using parallel::ReadArray;
using parallel::Vector;
using parallel::WriteArray;

namespace {

/// Impulses with their gradient N x + r.
struct Iterate {
  Vector x, g;
};

/// The point y = x + beta (x - previous), whose gradient follows likewise.
struct Ahead {
  const ReadArray x, g, x_before, g_before;
  double beta;

  Ahead(const Iterate& now, const Iterate& before, double look_ahead)
      : x(now.x), g(now.g), x_before(before.x), g_before(before.g), beta(look_ahead) {}
  [[nodiscard]] double point(int k) const { return x[k] + beta * (x[k] - x_before[k]); }
  [[nodiscard]] double gradient(int k) const { return g[k] + beta * (g[k] - g_before[k]); }
};

/// x_new <- P_K(y - P^-1 g(y) / L), with its gradient. Collective.
void step(const problem::ContactProblem& problem, const Ahead& y, Vec scaling, double L, const Iterate& next) {
  {
    const ReadArray p(scaling);
    const WriteArray x(next.x);
    for (int k = 0; k < x.size(); ++k) x[k] = y.point(k) - y.gradient(k) / (L * p[k]);
  }
  problem.K.project(next.x, scaling);
  find_velocity(problem, next.x, next.g);
}

struct StepSums {
  double curvature;  ///< s.N s, s = x_new - y
  double length;     ///< s.P s
  double turn;       ///< -s.P (x_new - x): positive when the gradient turned back against the step
};

/// Collective, one reduction.
StepSums compare(const problem::ContactProblem& problem, const Ahead& y, Vec scaling, const Iterate& next) {
  const ReadArray p(scaling), x_new(next.x), g_new(next.g);
  double curvature = 0.0, length = 0.0, turn = 0.0;
#pragma omp simd reduction(+ : curvature, length, turn)
  for (int k = 0; k < p.size(); ++k) {
    const double s = x_new[k] - y.point(k);
    curvature += s * (g_new[k] - y.gradient(k));
    length += s * p[k] * s;
    turn -= s * p[k] * (x_new[k] - y.x[k]);
  }
  double sums[3] = {curvature, length, turn};
  problem.N->comm().sum(sums);
  return {sums[0], sums[1], sums[2]};
}

}  // namespace

void apgd(const problem::ContactProblem& problem, Vec start, Monitor& monitor, const ApgdOptions& options) {
  const Vector P = diagonal_scaling(problem, "anisotropic");
  const auto make_iterate = [&] { return Iterate{problem.make_vector(), problem.make_vector()}; };
  Iterate x = make_iterate(), previous = make_iterate(), next = make_iterate();
  problem.K.project(start);
  petsc(VecCopy(start, x.x));
  find_velocity(problem, x.x, x.g);

  Momentum momentum;
  double L = 1.0;  // bounds s.N s / s.P s of the steps made
  while (monitor.wants_more(x.x, x.g)) {
    StepSums sums;
    {
      const Ahead y(x, previous, momentum.beta());
      constexpr int max_doublings = 10;
      for (int doubling = 0; doubling <= max_doublings; ++doubling, L *= 2.0) {
        step(problem, y, P, L, next);
        sums = compare(problem, y, P, next);
        if (sums.curvature <= L * sums.length) break;
      }
    }
    L *= options.relaxation;
    std::swap(previous, x);
    std::swap(x, next);
    if (sums.turn > 0.0) {
      momentum.restart();
    } else {
      momentum.advance();
    }
  }
  petsc(VecCopy(x.x, start));
  monitor.finish(start);
}

}  // namespace scree::solvers
