#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "scree/problem/local_solvers.hpp"
#include "scree/problem/one_contact.hpp"

namespace scree::problem {

using model::Mat3;
using model::Vec3;
using Mat2 = Eigen::Matrix2d;
using Vec2 = Eigen::Vector2d;

namespace {

/// The unconstrained solution A x_s = -b of eq. 14. A singular A is lifted a little: then x_s lies far outside, in the
/// right direction.
Vec2 unconstrained(const Mat2& A, const Vec2& b) {
  const double size = A.norm();
  if (size == 0.0) return -1e100 * b;
  const bool regular = A.determinant() > 1e-14 * size * size;
  return (regular ? A : Mat2(A + 1e-13 * size * Mat2::Identity())).fullPivLu().solve(-b);
}

}  // namespace

Vec2 dissipate_on_disc(const Mat2& A, const Vec2& b, double r) {
  if (r <= 0.0 || b.isZero(0.0)) return Vec2::Zero();
  const Vec2 sticking = unconstrained(A, b);
  if (sticking.norm() <= r) return sticking;
  if (A(0, 0) == A(1, 1) && A(0, 1) == 0.0 && A(1, 0) == 0.0) return r / sticking.norm() * sticking;  // spheres

  // On the rim (A + lambda) x = -b with lambda > 0. As lambda grows from 0, x(lambda) turns from x_s towards -b by less
  // than a quarter: in between there is one minimum and no maximum, so Newton's steps (16) are kept there.
  const double full_turn = 2.0 * std::numbers::pi;
  double angle = std::atan2(sticking[1], sticking[0]);
  double from = angle, to = angle + std::remainder(std::atan2(-b[1], -b[0]) - angle, full_turn);
  for (int step = 0; step < 60; ++step) {
    const Vec2 u(std::cos(angle), std::sin(angle)), t(-u[1], u[0]);
    const Vec2 g = r * (A * u) + b;
    const double slope = g.dot(t), curvature = r * t.dot(A * t) - g.dot(u);  // df/dalpha and its derivative, over r
    if (slope == 0.0) break;
    // The minimum lies against the slope.
    (slope * (to - from) < 0.0 ? from : to) = angle;
    double next = curvature > 0.0 ? angle - slope / curvature : HUGE_VAL;
    if (!(next >= std::min(from, to) && next <= std::max(from, to))) next = 0.5 * (from + to);
    if (std::abs(next - angle) <= 2.0 * std::numeric_limits<double>::epsilon() * full_turn) break;
    angle = next;
  }
  return r * Vec2(std::cos(angle), std::sin(angle));
}

Vec3 relax_by_dissipation(const ConstraintSet& set, int block, const Mat3& N, const Vec3& q, const Vec3& start) {
  if (set.is_joint(block) || set.law_of(block) == Law::bilateral) return solve_block(set, block, N, q, start);
  const Vec2 friction = start.tail<2>();
  const double push = q[0] + N.block<1, 2>(0, 1).dot(friction);
  const double normal = N(0, 0) > 0.0 ? std::max(0.0, -push / N(0, 0)) : std::max(0.0, start[0]);
  const Vec2 x = dissipate_on_disc(N.bottomRightCorner<2, 2>(), q.tail<2>() + normal * N.block<2, 1>(1, 0),
                                   set[block].radius_at(normal));
  return {normal, x[0], x[1]};
}

}  // namespace scree::problem
