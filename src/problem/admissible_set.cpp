#include "scree/problem/admissible_set.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace scree::problem {

using model::Mat3;
using model::Vec3;

namespace {

constexpr double rounding = 1e-14;  ///< relative distance at which a point counts as on a face

/// The component of a direction that does not leave the interval at x.
double keep_inside(double d, double x, double lower, double upper) {
  if (x <= lower) d = std::max(d, 0.0);
  if (x >= upper) d = std::min(d, 0.0);
  return d;
}

/// The largest t for which x + t d <= bound.
double reach_below(double x, double d, double bound) {
  return d > 0.0 && bound < HUGE_VAL ? std::max(0.0, (bound - x) / d) : HUGE_VAL;
}

/// The nearest point to d of the directions that have no positive component along either of two unit vectors.
Vec3 below_both(const Vec3& d, const Vec3& a, const Vec3& b) {
  const Vec3 below_a = d - std::max(0.0, a.dot(d)) * a;
  if (b.dot(below_a) <= 0.0) return below_a;
  const Vec3 below_b = d - std::max(0.0, b.dot(d)) * b;
  if (a.dot(below_b) <= 0.0) return below_b;
  const Vec3 edge = a.cross(b).normalized();
  return edge.dot(d) * edge;
}

/// The y >= 0 that minimises s_n (y - x_n)^2 + s_T sum_i max(0, v_i - m_i y)^2: where the height of the nearest point
/// of a cone lies, if its section at height y cuts the components v_i >= 0 off at m_i y.
double height_in_cone(double x_n, const double (&v)[2], const double (&m)[2], double s_n, double s_T) {
  if (v[0] <= m[0] * x_n && v[1] <= m[1] * x_n) return std::max(0.0, x_n);
  const int first = v[0] * m[1] >= v[1] * m[0] ? 0 : 1, second = 1 - first;  // the first is cut off higher up
  double above = s_n * x_n + s_T * m[first] * v[first];
  double below = s_n + s_T * m[first] * m[first];
  if (v[second] > m[second] * (above / below)) {
    above += s_T * m[second] * v[second];
    below += s_T * m[second] * m[second];
  }
  return std::max(0.0, above / below);
}

}  // namespace

AdmissibleSet AdmissibleSet::intervals(const RowBounds& rows) {
  AdmissibleSet set;
  set.rows_ = rows;
  return set;
}

AdmissibleSet AdmissibleSet::box(double bound) { return intervals({{0.0, -bound, -bound}, {HUGE_VAL, bound, bound}}); }

AdmissibleSet AdmissibleSet::prism(double bound, int facets) {
  AdmissibleSet set;
  set.shape_ = Shape::polygon;
  set.facets_ = facets;
  set.size_ = bound;
  set.inner_ = std::cos(std::numbers::pi / facets);
  set.half_ = std::sin(std::numbers::pi / facets);
  return set;
}

AdmissibleSet AdmissibleSet::polyhedral_cone(double mu, int facets) {
  AdmissibleSet set = prism(mu, facets);
  set.grows_ = true;
  return set;
}

AdmissibleSet AdmissibleSet::pyramid(double mu) {
  AdmissibleSet set;
  set.shape_ = Shape::polygon;
  set.grows_ = set.square_ = true;
  set.facets_ = 4;
  set.size_ = mu;
  return set;
}

AdmissibleSet AdmissibleSet::cylinder(double bound) {
  AdmissibleSet set;
  set.shape_ = Shape::disc;
  set.size_ = bound;
  return set;
}

AdmissibleSet AdmissibleSet::cone(double mu) {
  AdmissibleSet set = cylinder(mu);
  set.grows_ = true;
  return set;
}

double AdmissibleSet::radius_at(double normal) const { return grows_ ? size_ * std::max(0.0, normal) : size_; }

AdmissibleSet::Seen AdmissibleSet::see(double t, double o) const {
  if (square_) {
    const bool at_t = std::abs(t) >= std::abs(o);
    const int facet = at_t ? (t >= 0.0 ? 0 : 2) : (o >= 0.0 ? 1 : 3);
    const double sign = facet < 2 ? 1.0 : -1.0;
    const double e[2] = {at_t ? sign : 0.0, at_t ? 0.0 : sign};
    return {facet, e[0] * t + e[1] * o, e[0] * o - e[1] * t, {e[0], e[1]}};
  }
  const double turns = std::atan2(o, t) / (2.0 * std::numbers::pi);
  const int facet = std::clamp(static_cast<int>((turns < 0.0 ? turns + 1.0 : turns) * facets_), 0, facets_ - 1);
  const double angle = facet_angle(facet), e[2] = {std::cos(angle), std::sin(angle)};
  return {facet, e[0] * t + e[1] * o, e[0] * o - e[1] * t, {e[0], e[1]}};
}

double AdmissibleSet::facet_angle(int k) const {
  return square_ ? 0.5 * std::numbers::pi * k : (2 * k + 1) * std::numbers::pi / facets_;
}

Vec3 AdmissibleSet::facet_normal(int k) const {
  const double angle = facet_angle(k);
  return Vec3(grows_ ? -size_ * inner_ : 0.0, std::cos(angle), std::sin(angle)).normalized();
}

Vec3 AdmissibleSet::vertex(int k) const {
  if (square_) return {0.0, k == 0 || k == 1 ? 1.0 : -1.0, k == 1 || k == 2 ? 1.0 : -1.0};
  const double angle = 2 * k * std::numbers::pi / facets_;
  return {0.0, std::cos(angle), std::sin(angle)};
}

double AdmissibleSet::section_support(const Vec3& d) const {
  if (shape_ == Shape::disc) return std::hypot(d.y(), d.z());
  const Seen seen = see(d.y(), d.z());
  return seen.across * inner_ + std::abs(seen.along) * half_;
}

Vec3 AdmissibleSet::project_on_disc(const Vec3& x, double s_n, double s_T) const {
  const double tangential = std::hypot(x.y(), x.z());
  const double v[2] = {tangential, 0.0}, m[2] = {size_, 0.0};
  const double normal = grows_ ? height_in_cone(x.x(), v, m, s_n, s_T) : std::max(0.0, x.x());
  const double radius = radius_at(normal);
  if (tangential <= radius) return {normal, x.y(), x.z()};
  const double scale = radius / tangential;
  return {normal, scale * x.y(), scale * x.z()};
}

/// Reflections in the axes of a polygon leave it as it is, so the nearest point lies in the sector of its facet that
/// x_T points to, and there the polygon of radius r cuts `across` off at r inner and `along` at r half.
Vec3 AdmissibleSet::project_on_polygon(const Vec3& x, double s_n, double s_T) const {
  const Seen seen = see(x.y(), x.z());
  const double v[2] = {seen.across, std::abs(seen.along)}, m[2] = {size_ * inner_, size_ * half_};
  const double normal = grows_ ? height_in_cone(x.x(), v, m, s_n, s_T) : std::max(0.0, x.x());
  const double radius = radius_at(normal);
  if (seen.across <= radius * inner_) return {normal, x.y(), x.z()};
  const double across = radius * inner_;
  const double along = std::clamp(seen.along, -radius * half_, radius * half_);
  return {normal, across * seen.e[0] - along * seen.e[1], across * seen.e[1] + along * seen.e[0]};
}

Vec3 AdmissibleSet::project(const Vec3& x) const { return project_isotropic(x, 1.0, 1.0); }

Vec3 AdmissibleSet::project_isotropic(const Vec3& x, double s_n, double s_T) const {
  switch (shape_) {
    case Shape::disc:
      return project_on_disc(x, s_n, s_T);
    case Shape::polygon:
      return project_on_polygon(x, s_n, s_T);
    case Shape::rows:
      break;
  }
  return {std::clamp(x[0], rows_.lower[0], rows_.upper[0]), std::clamp(x[1], rows_.lower[1], rows_.upper[1]),
          std::clamp(x[2], rows_.lower[2], rows_.upper[2])};
}

double AdmissibleSet::excess(const Vec3& x) const {
  if (shape_ == Shape::rows) {
    double worst = -HUGE_VAL;
    for (int c = 0; c < 3; ++c) worst = std::max({worst, rows_.lower[c] - x[c], x[c] - rows_.upper[c]});
    return worst;
  }
  const double radius = grows_ ? size_ * x.x() : size_;
  const double outward =
      shape_ == Shape::disc ? std::hypot(x.y(), x.z()) - radius : see(x.y(), x.z()).across - inner_ * radius;
  return std::max(-x.x(), outward);
}

ActiveFace AdmissibleSet::active_face(const Vec3& x) const {
  if (shape_ == Shape::rows) {
    ActiveFace face{};
    for (int c = 0; c < 3; ++c) face[c] = x[c] <= rows_.lower[c] ? -1 : x[c] >= rows_.upper[c] ? 1 : 0;
    return face;
  }
  const int lowest = x.x() <= 0.0 ? -1 : 0;
  if (grows_ && lowest < 0) return {lowest, 0, 0};  // the tip
  const double radius = radius_at(x.x());
  if (shape_ == Shape::disc) return {lowest, std::hypot(x.y(), x.z()) < (1.0 - rounding) * radius ? 0 : 1, 0};
  const Seen seen = see(x.y(), x.z());
  if (seen.across < (1.0 - rounding) * radius * inner_) return {lowest, 0, 0};
  if (std::abs(seen.along) < (1.0 - rounding) * radius * half_) return {lowest, seen.facet + 1, 0};
  const int second = (seen.facet + (seen.along >= 0.0 ? 1 : facets_ - 1)) % facets_;
  return {lowest, std::min(seen.facet, second) + 1, std::max(seen.facet, second) + 1};
}

Vec3 AdmissibleSet::project_on_tangent_cone(const Vec3& x, const Vec3& d) const {
  if (shape_ == Shape::rows) {
    Vec3 kept;
    for (int c = 0; c < 3; ++c) kept[c] = keep_inside(d[c], x[c], rows_.lower[c], rows_.upper[c]);
    return kept;
  }
  const ActiveFace face = active_face(x);
  if (grows_ && face[0] < 0) return project(d);  // at the tip the tangent cone is the cone itself
  const double normal = face[0] < 0 ? std::max(0.0, d.x()) : d.x();
  if (size_ == 0.0) return {normal, 0.0, 0.0};
  const Vec3 inside(normal, d.y(), d.z());  // x_n = 0 holds only where facets are parallel to n: the parts are apart
  if (face[1] == 0) return inside;
  const Vec3 a = shape_ == Shape::disc ? rim_normal(x) : facet_normal(face[1] - 1);
  return face[2] == 0 ? Vec3(inside - std::max(0.0, a.dot(inside)) * a)
                      : below_both(inside, a, facet_normal(face[2] - 1));
}

Vec3 AdmissibleSet::rim_normal(const Vec3& x) const {
  const double tangential = std::hypot(x.y(), x.z());
  return Vec3(grows_ ? -size_ : 0.0, x.y() / tangential, x.z() / tangential).normalized();
}

Mat3 AdmissibleSet::project_on_face(const Vec3& x) const {
  const ActiveFace face = active_face(x);
  const auto free = [&](std::size_t c) { return face[c] == 0 ? 1.0 : 0.0; };
  if (shape_ == Shape::rows) return Vec3(free(0), free(1), free(2)).asDiagonal();
  if (grows_ && face[0] < 0) return Mat3::Zero();  // the tip
  if (size_ == 0.0) return Vec3(free(0), 0.0, 0.0).asDiagonal();
  const Mat3 P = Vec3(free(0), 1.0, 1.0).asDiagonal();  // x_n = 0 only where facets are parallel to n
  if (face[1] == 0) return P;
  const Vec3 a = shape_ == Shape::disc ? rim_normal(x) : facet_normal(face[1] - 1);
  if (face[2] == 0) return P - a * a.transpose();
  const Vec3 edge = a.cross(facet_normal(face[2] - 1)).normalized();
  return P * (edge * edge.transpose());
}

Vec3 AdmissibleSet::bend(const Vec3& x, const Vec3& g) const {
  if (shape_ != Shape::disc || size_ == 0.0 || active_face(x)[1] == 0) return Vec3::Zero();
  // c(x) = |x_T| - radius = 0 holds with the multiplier -g.c' / |c'|^2, and c'' = t t^T / |x_T|, t along the rim.
  const double tangential = std::hypot(x.y(), x.z());
  const double steepness = grows_ ? std::sqrt(1.0 + size_ * size_) : 1.0;  // |c'|
  const double multiplier = std::max(0.0, -g.dot(rim_normal(x)) / steepness);
  return std::sqrt(multiplier / tangential) * Vec3(0.0, -x.z() / tangential, x.y() / tangential);
}

double AdmissibleSet::reach(const Vec3& x, const Vec3& d) const {
  double t = HUGE_VAL;
  if (shape_ == Shape::rows) {
    for (int c = 0; c < 3; ++c) t = std::min(t, reach_below(x[c], d[c], rows_.upper[c]));
    for (int c = 0; c < 3; ++c) t = std::min(t, reach_below(-x[c], -d[c], -rows_.lower[c]));
    return t;
  }
  t = reach_below(-x.x(), -d.x(), 0.0);
  if (shape_ == Shape::polygon) {
    for (int k = 0; k < facets_; ++k) {
      const Vec3 a = facet_normal(k);
      t = std::min(t, reach_below(a.dot(x), a.dot(d), inner_ * size_));
    }
    return t;
  }
  // |x_T + t d_T| = radius: a t^2 + 2 b t = c, without cancellation for either sign of b.
  const double a = d.tail<2>().squaredNorm(), b = x.tail<2>().dot(d.tail<2>());
  const double c = std::max(0.0, size_ * size_ - x.tail<2>().squaredNorm());
  if (a == 0.0) return t;
  const double root = std::sqrt(b * b + a * c);
  return std::min(t, b > 0.0 ? c / (root + b) : (root - b) / a);
}

Mat3 AdmissibleSet::disc_derivative(const Vec3& x) const {
  const double tangential = std::hypot(x.y(), x.z());
  Mat3 D = Mat3::Zero();
  if (!grows_) {
    D(0, 0) = x.x() > 0.0 ? 1.0 : 0.0;
    if (size_ == 0.0) return D;
    D.bottomRightCorner<2, 2>().setIdentity();
    if (tangential <= size_) return D;
    const Eigen::Vector2d u = x.tail<2>() / tangential;
    D.bottomRightCorner<2, 2>() = (size_ / tangential) * (Eigen::Matrix2d::Identity() - u * u.transpose());
    return D;
  }
  const double mu = size_;
  if (mu * tangential <= -x.x()) return D;
  if (mu == 0.0) return Vec3::UnitX() * Vec3::UnitX().transpose();
  if (tangential <= mu * x.x()) return Mat3::Identity();
  const Eigen::Vector2d u = x.tail<2>() / tangential;
  const Vec3 generator(1.0, mu * u.x(), mu * u.y());
  D = generator * generator.transpose() / (1.0 + mu * mu);
  const double turn = mu * (x.x() + mu * tangential) / ((1.0 + mu * mu) * tangential);
  D.bottomRightCorner<2, 2>() += turn * (Eigen::Matrix2d::Identity() - u * u.transpose());
  return D;
}

Mat3 AdmissibleSet::projection_derivative(const Vec3& x) const {
  if (shape_ == Shape::disc) return disc_derivative(x);
  // The set is a polyhedron: its projection is linear, on to the directions of the face that the nearest point lies in.
  const Vec3 p = project(x);
  const Vec3 step = x - p;
  const ActiveFace face = active_face(p);
  Mat3 D = Mat3::Identity();
  if (shape_ == Shape::rows) {
    for (int c = 0; c < 3; ++c)
      if (step[c] != 0.0 || rows_.lower[c] == rows_.upper[c]) D(c, c) = 0.0;
    return D;
  }
  if (grows_ && face[0] < 0) return step.isZero(0.0) ? D : Mat3(Mat3::Zero());
  if (face[0] < 0 && step.x() != 0.0) D(0, 0) = 0.0;
  if (step.tail<2>().isZero(0.0) && size_ > 0.0) return D;
  if (face[2] == 0 && size_ > 0.0) {
    const Vec3 a = facet_normal(face[1] - 1);
    return D * (Mat3::Identity() - a * a.transpose());
  }
  const Vec3 edge = (grows_ ? Vec3(1.0, p.y() / p.x(), p.z() / p.x()) : Vec3(1.0, 0.0, 0.0)).normalized();
  return D * (edge * edge.transpose());
}

}  // namespace scree::problem
