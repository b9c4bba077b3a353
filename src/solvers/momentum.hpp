#pragma once

#include <cmath>

namespace scree::solvers {

/// Nesterov's recursion: how far to look ahead, y = x + beta (x - x_before).
class Momentum {
 public:
  [[nodiscard]] double beta() const { return beta_; }

  void advance() {
    const double next = 0.5 * theta_ * (std::sqrt(theta_ * theta_ + 4.0) - theta_);
    beta_ = theta_ * (1.0 - theta_) / (theta_ * theta_ + next);
    theta_ = next;
  }
  void restart() { theta_ = 1.0, beta_ = 0.0; }

 private:
  double theta_ = 1.0;
  double beta_ = 0.0;
};

}  // namespace scree::solvers
