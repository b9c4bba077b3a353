#include "scree/solvers/pivot.hpp"

#include <fmt/format.h>

#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "capacity.hpp"
#include "gradient.hpp"
#include "whole_problem.hpp"

namespace scree::solvers {

using Eigen::VectorXd;
using problem::ContactProblem;
using Sparse = Eigen::SparseMatrix<double>;

namespace {

/// A basis: each row is free with w = 0, or held at a bound.
enum class Place : char { free, lower, upper };

class PrincipalPivoting {
 public:
  PrincipalPivoting(const WholeProblem& problem, VectorXd start, const PivotOptions& options)
      : problem_(problem),
        options_(options),
        centre_(std::move(start)),
        z_(centre_),
        place_(static_cast<std::size_t>(z_.size())),
        smallest_shift_(options.smallest_shift) {
    hold_at_bounds();
  }

  /// The point of the present basis, or the next proximal problem where it solves this one. False when the last
  /// proximal problems gain nothing.
  [[nodiscard]] bool iterate() {
    find_point();
    const std::vector<int> violated = violated_rows();
    if (violated.empty()) return next_problem();
    if (++pivots_ > most_pivots()) {
      raise_shift();
      return true;
    }
    if (violated.size() < fewest_) {
      fewest_ = violated.size();
      patience_ = options_.patience;
    }
    if (patience_ > 0) {
      --patience_;
      for (const int row : violated) change(row);
    } else {  // Murty: finite on positive definite matrices
      change(violated.front());
    }
    return true;
  }

  [[nodiscard]] const VectorXd& point() const { return z_; }
  /// Why there is nothing more to gain: the velocities that the last step left, shift (z - centre), tell.
  [[nodiscard]] std::string verdict() const {
    const double defect = shift_ * last_step_ / std::max(problem_.r.norm(), 1e-300);
    constexpr double rounding = 1e-7;
    if (defect <= rounding)
      return "the basis is complementary, and what is left comes from rounding, here or in the matrix: ask for less";
    return fmt::format(
        "no impulses between the bounds satisfy all conditions: the nearest velocities miss them by {:.2g} of the free "
        "ones; look for bodies that are squeezed between walls, or joints that contradict each other",
        defect);
  }

 private:
  [[nodiscard]] double held_value(Eigen::Index k) const {
    return place_[static_cast<std::size_t>(k)] == Place::lower ? problem_.lower[k] : problem_.upper[k];
  }

  /// Held rows at their bounds, free rows from (N + shift)_FF z_F = shift c_F - r_F - N_FB z_B.
  void find_point() {
    std::vector<int> number(place_.size(), -1), free;
    VectorXd held = VectorXd::Zero(z_.size());
    for (std::size_t k = 0; k < place_.size(); ++k) {
      if (place_[k] == Place::free) {
        number[k] = static_cast<int>(free.size());
        free.push_back(static_cast<int>(k));
      } else {
        held[static_cast<Eigen::Index>(k)] = held_value(static_cast<Eigen::Index>(k));
      }
    }
    const VectorXd right = (shift_ * centre_ - problem_.r - problem_.N * held)(free);
    z_ = held;
    if (free.empty()) return;
    const VectorXd found = solve(free_block(free, number), right);
    z_(free) = found;
  }

  [[nodiscard]] Sparse free_block(const std::vector<int>& free, const std::vector<int>& number) const {
    std::vector<Eigen::Triplet<double>> entries;
    for (const int column : free) {
      for (Sparse::InnerIterator entry(problem_.N, column); entry; ++entry)
        if (const int row = number[static_cast<std::size_t>(entry.row())]; row >= 0)
          entries.emplace_back(row, number[static_cast<std::size_t>(column)], entry.value());
      const int own = number[static_cast<std::size_t>(column)];
      entries.emplace_back(own, own, shift_);
    }
    const auto size = static_cast<Eigen::Index>(free.size());
    Sparse block(size, size);
    block.setFromTriplets(entries.begin(), entries.end());
    return block;
  }

  [[nodiscard]] VectorXd solve(const Sparse& block, const VectorXd& right) const {
    const auto refined = [&](const auto& factors) {
      const VectorXd first = factors.solve(right);
      return VectorXd(first + factors.solve(right - block * first));
    };
    if (problem_.symmetric) return refined(Eigen::SimplicialLDLT<Sparse>(block));
    return refined(Eigen::SparseLU<Sparse>(block));
  }

  /// Rows whose condition fails: free ones outside of their bounds, held ones that w pulls inside.
  [[nodiscard]] std::vector<int> violated_rows() const {
    constexpr double rounding = 1e-14;
    const VectorXd w = problem_.N * z_ + problem_.r + shift_ * (z_ - centre_);
    const double slack =
        rounding * std::max({1e-300, problem_.r.lpNorm<Eigen::Infinity>(), z_.lpNorm<Eigen::Infinity>()});
    std::vector<int> rows;
    for (Eigen::Index k = 0; k < z_.size(); ++k) {
      const Place place = place_[static_cast<std::size_t>(k)];
      const bool fails = place == Place::free ? z_[k] < problem_.lower[k] - slack || z_[k] > problem_.upper[k] + slack
                         : place == Place::lower ? w[k] < -slack
                                                 : w[k] > slack;
      if (fails) rows.push_back(static_cast<int>(k));
    }
    return rows;
  }

  void change(int row) {
    Place& place = place_[static_cast<std::size_t>(row)];
    if (place != Place::free) {
      place = Place::free;
    } else {
      place = z_[row] < problem_.lower[row] ? Place::lower : Place::upper;
    }
  }

  [[nodiscard]] bool next_problem() {
    constexpr double fall = 0.1, hardly_less = 0.9;
    const double step = (z_ - centre_).norm();
    const bool gains = shift_ > smallest_shift_ || step < hardly_less * last_step_;
    last_step_ = step;
    centre_ = z_;
    shift_ = std::max(fall * shift_, smallest_shift_);
    begin_problem();
    return gains && step > 0.0;
  }

  [[nodiscard]] int most_pivots() const { return 100 + 10 * options_.patience; }

  /// Rounding may leave N + shift less than positive definite, and then nothing is finite: back to where the last
  /// problem ended, with a larger shift; after some such attempts for good.
  void raise_shift() {
    constexpr double rise = 100.0;
    constexpr int most_attempts = 5;
    shift_ *= rise;
    if (++raised_ > most_attempts) smallest_shift_ = shift_;
    last_step_ = std::numeric_limits<double>::infinity();
    z_ = centre_;
    hold_at_bounds();
    begin_problem();
  }

  void begin_problem() {
    fewest_ = std::numeric_limits<std::size_t>::max();
    pivots_ = 0;
  }

  /// The basis that z has.
  void hold_at_bounds() {
    for (Eigen::Index k = 0; k < z_.size(); ++k)
      place_[static_cast<std::size_t>(k)] = z_[k] <= problem_.lower[k]   ? Place::lower
                                            : z_[k] >= problem_.upper[k] ? Place::upper
                                                                         : Place::free;
  }

  const WholeProblem& problem_;
  const PivotOptions& options_;
  VectorXd centre_, z_;
  std::vector<Place> place_;
  double smallest_shift_;
  double shift_ = 0.1;
  double last_step_ = std::numeric_limits<double>::infinity();
  std::size_t fewest_ = std::numeric_limits<std::size_t>::max();
  int patience_ = 0;
  int pivots_ = 0;  ///< in this proximal problem
  int raised_ = 0;
};

}  // namespace

void pivot(const ContactProblem& problem, Vec x, Monitor& monitor, const PivotOptions& options) {
  const WholeProblem whole(problem, {"pivot", options.memory, bytes_of_factors});
  const parallel::Vector w = problem.make_vector();
  problem.K.project(x);
  find_velocity(problem, x, w);
  PrincipalPivoting pivoting(whole, whole.read(problem.N->comm(), x), options);
  for (bool goes_on = true; monitor.wants_more(x, w);) {
    if (!goes_on) {
      monitor.give_up(pivoting.verdict());
      break;
    }
    goes_on = pivoting.iterate();
    whole.write(pivoting.point(), x);
    problem.K.project(x);
    find_velocity(problem, x, w);
  }
  monitor.finish(x);
}

}  // namespace scree::solvers
