#pragma once

#include <Eigen/QR>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "scree/problem/constraint_set.hpp"
#include "support/nearest.hpp"

// Problems of one block, at random, and what is wrong with a solution.

namespace scree::test {

using model::Mat3;
using model::Vec3;
using problem::ConstraintSet;
using problem::Law;
using problem::RowBounds;

inline constexpr double infinity = HUGE_VAL;

class Random {
 public:
  explicit Random(unsigned seed) : random_(seed) {}
  double uniform(double from, double to) { return std::uniform_real_distribution<double>(from, to)(random_); }
  Vec3 vector() { return {normal_(random_), normal_(random_), normal_(random_)}; }
  Mat3 rotation() {
    Mat3 any;
    any << vector(), vector(), vector();
    return Eigen::HouseholderQR<Mat3>(any).householderQ();
  }
  /// Symmetric with eigenvalues 1 to 10^-decades.
  Mat3 positive(double decades) {
    const Mat3 Q = rotation();
    const Vec3 values(1.0, std::pow(10.0, -uniform(0.0, decades)), std::pow(10.0, -decades));
    return Q * values.asDiagonal() * Q.transpose();
  }
  /// Symmetric and of this rank.
  Mat3 singular(int rank) {
    Mat3 N = Mat3::Zero();
    for (int r = 0; r < rank; ++r) {
      const Vec3 row = vector();
      N += row * row.transpose();
    }
    return N;
  }
  /// The block of a contact of two bodies of any shape: N = sum (1/m + lever arms).
  Mat3 of_bodies() {
    Mat3 N = Mat3::Zero();
    for (int body = 0; body < 2; ++body) {
      const Vec3 arm = vector(), inverse_inertia = Vec3(uniform(0.1, 5.0), uniform(0.1, 5.0), uniform(0.1, 5.0));
      const Mat3 Q = rotation();
      Mat3 cross;
      cross << 0.0, -arm.z(), arm.y(), arm.z(), 0.0, -arm.x(), -arm.y(), arm.x(), 0.0;
      N += uniform(0.1, 2.0) * Mat3::Identity() +
           cross.transpose() * Q * inverse_inertia.asDiagonal() * Q.transpose() * cross;
    }
    return N;
  }

 private:
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
};

struct Worst {
  double outside = 0.0;  ///< of the set, relative to |x|
  double descent = 0.0;  ///< what a better point could gain, relative to the terms of the problem
};

/// Judges x by the conditions of the law alone.
inline void judge_block(const ConstraintSet& set, const Mat3& N, const Vec3& q, const Vec3& x, Worst& worst) {
  const Vec3 w = N * x + q;
  Vec3 g = -w;
  if (set.law == Law::coulomb && !set.friction.empty()) g.x() -= set.friction[0] * w.tail<2>().norm();
  const Optimality found = optimality(set, 0, x, g);
  const double bound = is_cone_shaped(set.law) || set.bound.empty() ? 0.0 : set.bound[0];
  const double size = x.norm() + bound;
  if (q.isZero(0.0) && x.isZero(0.0)) return;
  if (size == 0.0) {  // at the tip: g must not point into the cone at all
    worst.descent = std::max(worst.descent, nearest_admissible(set, 0, g).norm() / q.norm());
    return;
  }
  worst.outside = std::max(worst.outside, found.outside / size);
  worst.descent = std::max(worst.descent, found.descent * g.norm() / ((q.norm() + N.norm() * x.norm()) * size));
}

struct Named {
  std::string name;
  ConstraintSet set;
};

inline std::vector<Named> all_sets() {
  std::vector<Named> sets;
  for (const auto& info : problem::laws())
    for (const double size : {0.0, 0.1, 0.8, 3.0}) {
      const std::string name = std::string(info.name) + " " + std::to_string(size);
      sets.push_back({name, {info.law, {size}, {size}, 8}});
    }
  const RowBounds rows[] = {{{-infinity, -infinity, -infinity}, {infinity, infinity, infinity}},
                            {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}},
                            {{-infinity, 0.0, -0.3}, {infinity, infinity, 0.3}},
                            {{-0.5, 0.0, -infinity}, {0.5, 0.0, 0.0}}};
  for (const RowBounds& bounds : rows) sets.push_back({"joint", {Law::coulomb, {}, {}, 8, {bounds}}});
  return sets;
}

}  // namespace scree::test
