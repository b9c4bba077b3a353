#pragma once

#include <algorithm>
#include <numbers>
#include <numeric>
#include <vector>

#include "support/sparse_forms.hpp"

// The same physics, written down in another way.

namespace scree::test {

/// How many of the new units make one of the old.
struct Units {
  double velocity = 1.0;
  double impulse = 1.0;
};

/// m to mm, kg to t, both, and back.
inline const Units unit_systems[] = {{1.0, 1.0}, {1e3, 1e3}, {1.0, 1e-3}, {1e3, 1.0}, {1e-3, 1e-3}, {1.0, 1e3}};

/// Contacts in another order, their tangents turned by any angle, in other units.
inline DenseLocal scramble(const DenseLocal& problem, unsigned seed, const Units& units) {
  RandomMatrices random(seed);
  const auto contacts = problem.mu.size();
  std::vector<Eigen::Index> order(static_cast<std::size_t>(contacts));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(seed));
  Eigen::MatrixXd turn = Eigen::MatrixXd::Zero(3 * contacts, 3 * contacts);
  DenseLocal result{{}, {}, Eigen::VectorXd(contacts)};
  for (Eigen::Index k = 0; k < contacts; ++k) {
    const Eigen::Index from = order[static_cast<std::size_t>(k)];
    const double angle = random(0.0, 2.0 * std::numbers::pi), c = std::cos(angle), s = std::sin(angle);
    turn.block<3, 3>(3 * k, 3 * from) << 1.0, 0.0, 0.0, 0.0, c, -s, 0.0, s, c;
    result.mu[k] = problem.mu[from];
  }
  result.W = units.velocity / units.impulse * turn * problem.W * turn.transpose();
  result.q = units.velocity * turn * problem.q;
  return result;
}

}  // namespace scree::test
