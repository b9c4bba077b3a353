#include "scree/problem/linearised_law.hpp"

namespace scree::problem {

using model::Mat3;
using model::Vec3;

namespace {

Vec3 cut_off(double mu, const Vec3& y) {
  if (y[0] <= 0.0) return Vec3::Zero();
  const double size = y.tail<2>().norm(), radius = mu * y[0];
  if (size <= radius) return y;
  return {y[0], radius / size * y[1], radius / size * y[2]};
}

Mat3 cut_off_derivative(double mu, const Vec3& y) {
  if (y[0] <= 0.0) return Mat3::Zero();
  const double size = y.tail<2>().norm(), radius = mu * y[0];
  if (size <= radius) return Mat3::Identity();
  const Eigen::Vector2d t = y.tail<2>() / size;
  Mat3 C = Mat3::Zero();
  C(0, 0) = 1.0;
  C.block<2, 1>(1, 0) = mu * t;
  C.block<2, 2>(1, 1) = radius / size * (Eigen::Matrix2d::Identity() - t * t.transpose());
  return C;
}

}  // namespace

Vec3 law_residual(const ConstraintSet& set, int block, const Vec3& x, const Vec3& y) {
  const AdmissibleSet own = set[block];
  return x - (set.obeys_coulomb(block) ? cut_off(own.size(), y) : own.project(y));
}

LinearisedLaw linearise_law(const ConstraintSet& set, int block, const Vec3& x, const Vec3& y) {
  const AdmissibleSet own = set[block];
  if (set.obeys_coulomb(block)) return {x - cut_off(own.size(), y), cut_off_derivative(own.size(), y)};
  return {x - own.project(y), own.projection_derivative(y)};
}

}  // namespace scree::problem
