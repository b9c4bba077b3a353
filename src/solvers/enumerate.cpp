#include "scree/solvers/enumerate.hpp"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "gradient.hpp"
#include "scree/parallel/error.hpp"
#include "whole_problem.hpp"

namespace scree::solvers {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// Sets that are tried within seconds.
constexpr double most_sets = 531441.0;  // 3^12

/// All values that each row can be held at, before it is tried as a free one.
std::vector<std::vector<double>> bounds_of(const WholeProblem& problem) {
  std::vector<std::vector<double>> bounds(static_cast<std::size_t>(problem.rows()));
  for (std::size_t k = 0; k < bounds.size(); ++k)
    for (const double bound :
         {problem.lower[static_cast<Eigen::Index>(k)], problem.upper[static_cast<Eigen::Index>(k)]})
      if (std::isfinite(bound)) bounds[k].push_back(bound);
  return bounds;
}

/// Collective, before N is made.
void refuse_large(const problem::ContactProblem& problem) {
  double digits = 0.0;  // the decimal logarithm of the number of sets
  for (int k = 0; k < problem.N->block_count(); ++k) {
    const problem::RowBounds rows = problem.K[k].rows();
    for (int c = 0; c < 3; ++c) {
      const int bounds = (std::isfinite(rows.lower[c]) ? 1 : 0) + (std::isfinite(rows.upper[c]) ? 1 : 0);
      if (rows.lower[c] < rows.upper[c]) digits += std::log10(bounds + 1);
    }
  }
  digits = problem.N->comm().sum(digits);
  if (digits > std::log10(most_sets) + 1e-9)
    throw InputError(
        fmt::format("solver 'enumerate' would try about 1e{:.0f} sets of active bounds, of {:.0f} allowed; "
                    "take pivot, lemke or npgs",
                    digits, most_sets));
}

/// z of one set: `choice` counts through the bounds of a row; the last means free. Free rows have the least solution
/// of N_FF z_F = -r_F - N_FB z_B. Nothing if that is no solution of the problem.
std::optional<VectorXd> try_set(const WholeProblem& problem, const MatrixXd& N,
                                const std::vector<std::vector<double>>& bounds,
                                const std::vector<std::size_t>& choice) {
  VectorXd z = VectorXd::Zero(problem.rows());
  std::vector<int> free;
  for (std::size_t k = 0; k < choice.size(); ++k) {
    if (choice[k] == bounds[k].size()) {
      free.push_back(static_cast<int>(k));
    } else {
      z[static_cast<Eigen::Index>(k)] = bounds[k][choice[k]];
    }
  }
  if (!free.empty()) {
    const VectorXd right = -(N * z + problem.r)(free);
    const MatrixXd block = N(free, free);
    const VectorXd least = block.completeOrthogonalDecomposition().solve(right);
    z(free) = least;
  }
  constexpr double rounding = 1e-12;
  const double slack = rounding * std::max(problem.r.lpNorm<Eigen::Infinity>(), z.lpNorm<Eigen::Infinity>());
  const VectorXd w = N * z + problem.r;
  for (Eigen::Index k = 0; k < z.size(); ++k) {
    const double nearest = std::clamp(z[k] - w[k], problem.lower[k], problem.upper[k]);
    if (std::abs(z[k] - nearest) > slack) return {};
  }
  return z;
}

/// Counts on like a mileage meter; false after the last set.
bool advance(const std::vector<std::vector<double>>& bounds, std::vector<std::size_t>& choice) {
  for (std::size_t k = 0; k < choice.size(); ++k) {
    if (choice[k]++ < bounds[k].size()) return true;
    choice[k] = 0;
  }
  return false;
}

std::optional<VectorXd> try_all(const WholeProblem& problem) {
  const auto bounds = bounds_of(problem);
  const MatrixXd N = problem.N;
  std::vector<std::size_t> choice(bounds.size(), 0);
  do {
    if (auto z = try_set(problem, N, bounds, choice)) return z;
  } while (advance(bounds, choice));
  return {};
}

}  // namespace

void enumerate(const problem::ContactProblem& problem, Vec x, Monitor& monitor) {
  refuse_large(problem);
  const WholeProblem whole(problem, {"enumerate", 0.5, [](double rows, double) { return 24.0 * rows * rows; }});
  const parallel::Vector w = problem.make_vector();
  problem.K.project(x);
  find_velocity(problem, x, w);
  for (bool tried = false; monitor.wants_more(x, w); tried = true) {
    const auto z = tried ? std::nullopt : try_all(whole);
    if (!z) {
      monitor.give_up(tried ? "the solution that was found is exact to rounding, which leaves more than the tolerance"
                            : "no set of active bounds gives a solution: the problem has none");
      break;
    }
    whole.write(*z, x);
    problem.K.project(x);
    find_velocity(problem, x, w);
  }
  monitor.finish(x);
}

}  // namespace scree::solvers
