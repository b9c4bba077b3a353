#include "scree/solvers/spg.hpp"

#include <algorithm>
#include <deque>

#include "gradient.hpp"

namespace scree::solvers {

using parallel::petsc;
using parallel::ReadArray;
using parallel::Vector;

namespace {

constexpr double alpha_min = 1e-9, alpha_max = 1e9;  // seed 003, below the listing

/// d <- P_K(x - alpha P^-1 g) - x in the metric P (lines 4 and 5): there d is a direction of descent, so lines 6 and 7
/// of the listing, for projections in another metric, have nothing to mend.
void find_direction(const problem::ContactProblem& problem, Vec x, Vec g, Vec P, double alpha, Vec d) {
  petsc(VecPointwiseDivide(d, g, P));
  petsc(VecAYPX(d, -alpha, x));
  problem.K.project(d, P);
  petsc(VecAXPY(d, -1.0, x));
}

struct Sums {
  double slope;      ///< d.g
  double curvature;  ///< d.N d
  double length;     ///< d.P d
  double change;  ///< N d.P^-1 N d over the components that move: those at rest at their bounds would only shorten the
                  ///< step of eq. 23, for the gradient may change there as it likes
};

/// Collective, one reduction.
Sums find_sums(const problem::ContactProblem& problem, Vec g, Vec scaling, Vec direction, Vec product) {
  const ReadArray gradient(g), p(scaling), d(direction), Nd(product);
  double sums[4] = {};
  for (int k = 0; k < d.size(); ++k) {
    sums[0] += d[k] * gradient[k];
    sums[1] += d[k] * Nd[k];
    sums[2] += d[k] * d[k] * p[k];
    if (d[k] != 0.0) sums[3] += Nd[k] * Nd[k] / p[k];
  }
  problem.N->comm().sum(sums);
  return {sums[0], sums[1], sums[2], sums[3]};
}

/// a / b, within the safeguards of the spectral step (line 23).
double spectral_step(double a, double b) {
  if (a >= alpha_max * b) return alpha_max;
  return std::max(alpha_min, a / b);
}

}  // namespace

void spg(const problem::ContactProblem& problem, Vec x, Monitor& monitor, const SpgOptions& options) {
  const Vector P = diagonal_scaling(problem, options.scaling);
  const Vector g = problem.make_vector(), d = problem.make_vector(), Nd = problem.make_vector();
  problem.K.project(x);
  find_velocity(problem, x, g);  // line 2

  double alpha = 1.0;
  std::deque<double> f = {0.0};  // the last objectives, less that of the start
  bool odd = false;
  while (monitor.wants_more(x, g)) {
    find_direction(problem, x, g, P, alpha, d);
    problem.N->apply(d, Nd);
    const Sums sums = find_sums(problem, g, P, d, Nd);

    // Lines 9 to 16. The objective is quadratic, so one product serves all lambda.
    const double bound = *std::ranges::max_element(f);
    const auto change = [&](double lambda) { return lambda * (sums.slope + 0.5 * lambda * sums.curvature); };
    double lambda = 1.0;
    while (sums.slope < 0.0 && f.back() + change(lambda) > bound + options.armijo * lambda * sums.slope) {
      constexpr double sigma_min = 0.1, sigma_max = 0.9;
      lambda = std::clamp(-sums.slope / sums.curvature, sigma_min * lambda, sigma_max * lambda);
    }
    petsc(VecAXPY(x, lambda, d));
    problem.K.project(x);  // it may miss its bound by rounding
    petsc(VecAXPY(g, lambda, Nd));
    f.push_back(f.back() + change(lambda));
    if (f.size() > static_cast<std::size_t>(options.memory)) f.pop_front();

    // Lines 17 to 22: s = lambda d and y = lambda N d, alternately by eq. 22 and 23.
    alpha = odd ? spectral_step(sums.curvature, sums.change) : spectral_step(sums.length, sums.curvature);
    odd = !odd;
  }
  monitor.finish(x);
}

}  // namespace scree::solvers
