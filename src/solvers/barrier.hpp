#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "scree/problem/admissible_set.hpp"

// What an interior point method knows of one block: a point z inside its set, what answers to it, and a direction. The
// block's equation is answer() = N z + q.

namespace scree::solvers {

/// A contact on the cone |z_T| <= z_n with x in the same cone and z o x = mu e (o: the product of the cone's algebra).
/// Under Coulomb's law the answer is x - |x_T| e, De Saxce's shift taken back; e = (1, 0, 0).
class ConeBarrier {
 public:
  explicit ConeBarrier(bool shifted) : shifted_(shifted) {}

  [[nodiscard]] const model::Vec3& z() const { return z_; }
  [[nodiscard]] model::Vec3 answer() const { return x_ - shift(x_) * model::Vec3::UnitX(); }
  [[nodiscard]] double degree() const { return 1.0; }
  [[nodiscard]] double gap(double t = 0.0) const { return (z_ + t * dz_).dot(x_ + t * dx_); }

  /// Rounding takes iterates to the boundary in the end.
  [[nodiscard]] bool is_inside() const { return is_inside(z_) && is_inside(x_); }
  /// Nesterov and Todd's scaling: F z = F^-1 x = lambda.
  void scale() {
    const double det_x = determinant(x_), det_z = determinant(z_);
    const model::Vec3 x = x_ / std::sqrt(det_x), z = z_ / std::sqrt(det_z);
    const double gamma = std::sqrt(0.5 * (1.0 + z.dot(x)));
    const model::Vec3 middle = (x + mirrored(z)) / (2.0 * gamma);
    const model::Vec3 v = (middle + model::Vec3::UnitX()) / std::sqrt(2.0 * (middle[0] + 1.0));
    const model::Mat3 J = model::Vec3(1.0, -1.0, -1.0).asDiagonal();
    const double beta = std::sqrt(std::sqrt(det_x / det_z));
    F_ = beta * (2.0 * v * v.transpose() - J);
    F_inverse_ = (2.0 * mirrored(v) * mirrored(v).transpose() - J) / beta;
    lambda_ = F_ * z_;
    corrector_.setZero();
    E_.setIdentity();
    if (const double size = shift(x_); size > 0.0) E_.row(0).tail<2>() = -x_.tail<2>().transpose() / size;
  }
  /// -d answer / d z, along the linearised products.
  [[nodiscard]] model::Mat3 stiffness() const { return E_ * F_ * F_; }
  /// What the answer gains if z stays.
  [[nodiscard]] model::Vec3 gain(double target) {
    target_ = divided(target * model::Vec3::UnitX() - product(lambda_, lambda_) - corrector_);
    return E_ * F_ * target_;
  }
  void head_for(const model::Vec3& dz) {
    dz_ = dz;
    dx_ = F_ * (target_ - F_ * dz);
  }
  /// The direction found becomes the second-order term of the next one (Mehrotra).
  void correct() { corrector_ = product(F_ * dz_, F_inverse_ * dx_); }
  [[nodiscard]] double reach() const { return std::min(reach(z_, dz_), reach(x_, dx_)); }
  void advance(double t) { z_ += t * dz_, x_ += t * dx_; }

 private:
  [[nodiscard]] double shift(const model::Vec3& x) const { return shifted_ ? x.tail<2>().norm() : 0.0; }
  [[nodiscard]] static model::Vec3 mirrored(const model::Vec3& a) { return {a[0], -a[1], -a[2]}; }
  [[nodiscard]] static bool is_inside(const model::Vec3& a) {
    constexpr double far = 1e50;  // from what numbers can square
    return a[0] < far && a[0] - a.tail<2>().norm() > 1.0 / far;
  }
  [[nodiscard]] static double determinant(const model::Vec3& a) {
    const double size = a.tail<2>().norm();
    return (a[0] - size) * (a[0] + size);
  }
  [[nodiscard]] static model::Vec3 product(const model::Vec3& a, const model::Vec3& b) {
    return {a.dot(b), a[0] * b[1] + b[0] * a[1], a[0] * b[2] + b[0] * a[2]};
  }
  /// y with lambda o y = b.
  [[nodiscard]] model::Vec3 divided(const model::Vec3& b) const {
    const double head = b.dot(mirrored(lambda_)) / determinant(lambda_);
    return {head, (b[1] - head * lambda_[1]) / lambda_[0], (b[2] - head * lambda_[2]) / lambda_[0]};
  }
  /// The largest t for which a + t d stays in the cone: the first root of det(a + t d).
  [[nodiscard]] static double reach(const model::Vec3& a, const model::Vec3& d) {
    const double square = d[0] * d[0] - d.tail<2>().squaredNorm(), half = a.dot(mirrored(d)), det = determinant(a);
    const double discriminant = half * half - square * det;
    if ((square >= 0.0 && half >= 0.0) || discriminant < 0.0) return std::numeric_limits<double>::infinity();
    const double slope = std::sqrt(discriminant) - half;
    return slope > 0.0 ? det / slope : std::numeric_limits<double>::infinity();
  }

  bool shifted_;
  model::Vec3 z_ = model::Vec3::UnitX(), x_ = z_, dz_ = model::Vec3::Zero(), dx_ = dz_;
  model::Mat3 F_ = model::Mat3::Identity(), F_inverse_ = F_, E_ = F_;
  model::Vec3 lambda_ = z_, target_ = dz_, corrector_ = dz_;
};

/// Three rows l <= z <= u with x_l (z - l) = mu and x_u (u - z) = mu; the answer is x_l - x_u, nothing for a row
/// without bounds. A row with l = u does not move.
class RowsBarrier {
 public:
  explicit RowsBarrier(const problem::RowBounds& bounds) {
    for (int c = 0; c < 3; ++c) {
      const double width = bounds.upper[c] - bounds.lower[c];
      moves_[c] = width > 0.0;
      const bool low = moves_[c] && std::isfinite(bounds.lower[c]), high = moves_[c] && std::isfinite(bounds.upper[c]);
      const double room = std::min(1.0, 0.5 * width);
      z_[c] = low ? bounds.lower[c] + room : (high ? bounds.upper[c] - room : (moves_[c] ? 0.0 : bounds.lower[c]));
      slack_[0][c] = low ? room : 0.0;
      slack_[1][c] = high ? (low ? width - room : room) : 0.0;
      bounded_[0][c] = low, bounded_[1][c] = high;
      for (int side = 0; side < 2; ++side) x_[side][c] = has(side, c) ? 1.0 : 0.0;
    }
  }

  [[nodiscard]] bool moves(int row) const { return moves_[row]; }
  [[nodiscard]] const model::Vec3& z() const { return z_; }
  [[nodiscard]] model::Vec3 answer() const { return x_[0] - x_[1]; }
  [[nodiscard]] double degree() const {
    double count = 0.0;
    for (int c = 0; c < 3; ++c) count += (has(0, c) ? 1.0 : 0.0) + (has(1, c) ? 1.0 : 0.0);
    return count;
  }
  [[nodiscard]] double gap(double t = 0.0) const {
    return (slack_[0] + t * dz_).dot(x_[0] + t * dx_[0]) + (slack_[1] - t * dz_).dot(x_[1] + t * dx_[1]);
  }
  [[nodiscard]] bool is_inside() const {
    for (int side = 0; side < 2; ++side)
      for (int c = 0; c < 3; ++c)
        if (has(side, c) && !(slack_[side][c] > 0.0 && x_[side][c] > 0.0)) return false;
    return true;
  }
  void scale() { corrector_[0].setZero(), corrector_[1].setZero(); }
  [[nodiscard]] model::Mat3 stiffness() const {
    constexpr double rigid = 1e-12;  // of rows without bounds, which may be redundant
    model::Vec3 sum = model::Vec3::Constant(rigid);
    for (int side = 0; side < 2; ++side)
      for (int c = 0; c < 3; ++c)
        if (has(side, c)) sum[c] += x_[side][c] / slack_[side][c];
    return sum.asDiagonal();
  }
  [[nodiscard]] model::Vec3 gain(double target) {
    for (int side = 0; side < 2; ++side)
      for (int c = 0; c < 3; ++c)
        target_[side][c] = has(side, c) ? (target - corrector_[side][c]) / slack_[side][c] - x_[side][c] : 0.0;
    return target_[0] - target_[1];
  }
  void head_for(const model::Vec3& dz) {
    for (int c = 0; c < 3; ++c) dz_[c] = moves_[c] ? dz[c] : 0.0;
    for (int side = 0; side < 2; ++side)
      for (int c = 0; c < 3; ++c)
        dx_[side][c] =
            has(side, c) ? target_[side][c] - (side == 0 ? 1.0 : -1.0) * x_[side][c] / slack_[side][c] * dz_[c] : 0.0;
  }
  void correct() { corrector_[0] = dz_.cwiseProduct(dx_[0]), corrector_[1] = -dz_.cwiseProduct(dx_[1]); }
  [[nodiscard]] double reach() const {
    double t = std::numeric_limits<double>::infinity();
    const auto limit = [&t](double value, double rate) {
      if (rate < 0.0) t = std::min(t, -value / rate);
    };
    for (int side = 0; side < 2; ++side)
      for (int c = 0; c < 3; ++c) {
        if (!has(side, c)) continue;
        limit(slack_[side][c], side == 0 ? dz_[c] : -dz_[c]);
        limit(x_[side][c], dx_[side][c]);
      }
    return t;
  }
  void advance(double t) {
    z_ += t * dz_;
    for (int side = 0; side < 2; ++side) {
      for (int c = 0; c < 3; ++c)
        if (has(side, c)) slack_[side][c] += (side == 0 ? t : -t) * dz_[c];
      x_[side] += t * dx_[side];
    }
  }

 private:
  [[nodiscard]] bool has(int side, int row) const { return bounded_[side][row]; }

  bool moves_[3] = {}, bounded_[2][3] = {};
  model::Vec3 z_ = model::Vec3::Zero(), dz_ = z_;
  model::Vec3 slack_[2] = {z_, z_}, x_[2] = {z_, z_}, dx_[2] = {z_, z_};  ///< at lower and upper bounds
  model::Vec3 target_[2] = {z_, z_}, corrector_[2] = {z_, z_};
};

}  // namespace scree::solvers
