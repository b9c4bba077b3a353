#pragma once

#include <petscvec.h>

#include <array>
#include <limits>
#include <string_view>
#include <vector>

#include "scree/problem/contact_problem.hpp"

namespace scree::problem {

/// How far an iterate is from a solution, recomputed from x and w alone. For the law `coulomb` w~ = w + mu |w_T| n
/// stands in place of w. What was not asked for is NaN.
struct ErrorMeasures {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  double natural = unknown;             ///< |x - P_K(x - w)| / max(|r|, |x|, |w|)
  double natural_q = unknown;           ///< |x - P_K(x - w)| / |r|
  double natural_sum = unknown;         ///< sum of the rows of |x - P_K(x - w)|, units mixed (seed 001 eq. 8-10)
  double fischer_burmeister = unknown;  ///< sum over rows, units mixed (seed 001 eq. 5-7)
  double energy = unknown;              ///< sum over constraints (J; seed 001 eq. 11-21)
  double largest_energy = unknown;      ///< of one constraint block (J)
  double projected_gradient = unknown;  ///< largest component of the projected gradient (m/s; seed 003 eq. 13)
  double gradient_step = unknown;       ///< |x - P_K(x - tau w)| / tau, tau small (m/s; seed 003 eq. 24)
  double complementarity =
      unknown;  ///< largest |f_k|, f_k = x_k.w_k, for bounded rows what they may dissipate added (J)
  double mean_complementarity = unknown;       ///< mean of f_k (J)
  double complementarity_deviation = unknown;  ///< standard deviation of f_k (J)
};

enum class Measure {
  natural,
  natural_q,
  natural_sum,
  fischer_burmeister,
  energy,
  projected_gradient,
  gradient_step,
  complementarity
};

struct MeasureInfo {
  Measure measure;
  std::string_view name;
  std::string_view description;
};
[[nodiscard]] const std::vector<MeasureInfo>& measures();
[[nodiscard]] std::string_view name_of(Measure measure);
/// `natural` or `natural_q`, which cost least.
[[nodiscard]] bool is_natural(Measure measure);
[[nodiscard]] double value_of(const ErrorMeasures& errors, Measure measure);

/// Measures many iterates of one problem: O(n) each, without a product or an allocation, with two reductions.
class ErrorMeter {
 public:
  explicit ErrorMeter(const ContactProblem& problem) : problem_(problem) {}

  /// Collective: all measures. w = N x + r must belong to x.
  [[nodiscard]] ErrorMeasures all(Vec x, Vec w);
  /// Collective: `natural`, `natural_q`, which cost least, and the one asked for.
  [[nodiscard]] ErrorMeasures one(Vec x, Vec w, Measure measure);
  /// Collective: `natural` and `natural_q` from the motion of x, without a vector for w.
  [[nodiscard]] ErrorMeasures natural(Vec x, Motion& motion);

  /// Collective: the energy errors of this rank's blocks (J; seed 001 eq. 20).
  [[nodiscard]] std::vector<double> energies(Vec x, Vec w);

 private:
  struct Block;
  void know_diagonal();
  [[nodiscard]] ErrorMeasures naturals(std::array<double, 4> sums) const;
  [[nodiscard]] double energy_of(const Block& block) const;
  template <typename Function>
  void for_each_block(Vec x, Vec w, Function&& function) const;

  const ContactProblem& problem_;
  std::vector<double> diagonal_;  ///< of N; made when first needed
  double tau_ = 0.0;              ///< of eq. 24 (kg); 0: not yet known
};

/// Collective: all measures of one iterate.
[[nodiscard]] ErrorMeasures measure_errors(const ContactProblem& problem, Vec x, Vec w);

}  // namespace scree::problem
