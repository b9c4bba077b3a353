#include "scree/problem/law_map.hpp"

namespace scree::problem {

using model::Mat3;
using model::Vec3;

namespace {

LawMap alart_curnier(double mu, const Vec3& y, BoundsInDerivative bounds) {
  if (y[0] <= 0.0) return {Vec3::Zero(), Mat3::Zero()};
  const double size = y.tail<2>().norm(), radius = mu * y[0];
  if (size <= radius) return {y, Mat3::Identity()};
  const Eigen::Vector2d t = y.tail<2>() / size;
  LawMap result{Vec3(y[0], radius * t[0], radius * t[1]), Mat3::Zero()};
  result.derivative(0, 0) = 1.0;
  if (bounds == BoundsInDerivative::variable) result.derivative.block<2, 1>(1, 0) = mu * t;
  result.derivative.block<2, 2>(1, 1) = radius / size * (Eigen::Matrix2d::Identity() - t * t.transpose());
  return result;
}

}  // namespace

LawMap law_map(const ConstraintSet& set, int block, const Vec3& y, BoundsInDerivative bounds) {
  if (set.obeys_coulomb(block)) return alart_curnier(set.friction[static_cast<std::size_t>(block)], y, bounds);
  const AdmissibleSet own = set[block];
  return {own.project(y), own.projection_derivative(y)};
}

}  // namespace scree::problem
