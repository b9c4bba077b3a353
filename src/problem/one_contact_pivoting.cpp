#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "scree/problem/local_solvers.hpp"
#include "scree/problem/one_contact.hpp"

namespace scree::problem {

using model::Mat3;
using model::Vec3;

namespace {

constexpr double rounding = 8.0 * std::numeric_limits<double>::epsilon();

/// A basis of the complementarity problem on l <= x <= u: each row is free with w = 0, or held at a bound.
class Basis {
 public:
  Basis(const RowBounds& rows, const Mat3& N, const Vec3& q) : rows_(rows), N_(N), q_(q) {}

  void start_from(const Vec3& x) {
    for (int c = 0; c < 3; ++c)
      state_[c] = x[c] <= rows_.lower[c] ? State::lower : x[c] >= rows_.upper[c] ? State::upper : State::free;
  }

  /// The x of the basis: held rows at their bounds, free rows from N_FF x_F = -(q_F + N_FB x_B).
  [[nodiscard]] Vec3 point() const {
    Vec3 x = Vec3::Zero();
    std::vector<int> free;
    for (int c = 0; c < 3; ++c) {
      if (state_[c] == State::free) {
        free.push_back(c);
      } else {
        x[c] = state_[c] == State::lower ? rows_.lower[c] : rows_.upper[c];
      }
    }
    if (free.empty()) return x;
    using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 3, 3>;
    const Vec3 w = N_ * x + q_;
    const Small block = N_(free, free), right = -w(free);
    const Small solution = Eigen::FullPivLU<Small>(block).solve(right);
    for (std::size_t i = 0; i < free.size(); ++i) x[free[i]] = solution(static_cast<Eigen::Index>(i), 0);
    return x;
  }

  /// Changes the first row that violates its condition; whether there was one.
  [[nodiscard]] bool pivot(const Vec3& x) {
    for (int c = 0; c < 3; ++c) {
      const double size = rounding * (std::abs(q_[c]) + N_.row(c).cwiseAbs().dot(x.cwiseAbs()));
      const double w = N_.row(c).dot(x) + q_[c], slack = N_(c, c) > 0.0 ? size / N_(c, c) : 0.0;
      State next = state_[c];
      if (state_[c] == State::free) {
        if (x[c] < rows_.lower[c] - slack) next = State::lower;
        if (x[c] > rows_.upper[c] + slack) next = State::upper;
      } else if (rows_.lower[c] < rows_.upper[c]) {
        if (state_[c] == State::lower && w < -size) next = State::free;
        if (state_[c] == State::upper && w > size) next = State::free;
      }
      if (next != state_[c]) return state_[c] = next, true;
    }
    return false;
  }

 private:
  enum class State { free, lower, upper };
  const RowBounds& rows_;
  const Mat3& N_;
  const Vec3& q_;
  State state_[3] = {};
};

}  // namespace

Vec3 solve_by_pivoting(const ConstraintSet& set, int block, const Mat3& N, const Vec3& q, const Vec3& start) {
  const AdmissibleSet own = set[block];
  Basis basis(own.rows(), N, q);
  basis.start_from(own.project(start));
  Vec3 x = basis.point();
  constexpr int most_pivots = 27;  // there are as many bases
  int pivots = 0;
  for (; pivots < most_pivots && basis.pivot(x); ++pivots) x = basis.point();
  x = own.project(x);
  // The rule is finite, and a basis has a point, for regular blocks only.
  const double allowed = 1e-12 * (x.norm() + q.norm() / std::max(N.diagonal().maxCoeff(), 1e-300));
  if (pivots < most_pivots && block_residual(set, block, N, q, x) <= allowed) return x;
  return solve_block(set, block, N, q, start);
}

}  // namespace scree::problem
