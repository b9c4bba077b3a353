#include "scree/problem/one_contact.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

namespace scree::problem {

using model::Mat3;
using model::Vec3;
using Mat2 = Eigen::Matrix2d;
using Vec2 = Eigen::Vector2d;

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// 1 / the largest diagonal entry: a step length that brings impulses and velocities to one scale.
double step_length(const Mat3& N) {
  const double largest = N.diagonal().maxCoeff();
  return largest > 0.0 ? 1.0 / largest : 1.0;
}

// --- Polyhedra: total enumeration of faces (seed 000 section 3.1) ---

/// The points origin + basis y of a face; the first `dimension` columns of the basis count.
struct Face {
  Vec3 origin = Vec3::Zero();
  Mat3 basis = Mat3::Zero();
  int dimension = 0;

  void spread(const Vec3& direction) { basis.col(dimension++) = direction; }
};

int face_count(const AdmissibleSet& set) {
  if (set.shape() == AdmissibleSet::Shape::rows) return 27;
  return set.grows() ? 2 + 2 * set.facets() : 2 * (1 + 2 * set.facets());
}

Face face_of_rows(const RowBounds& rows, int index) {
  Face face;
  for (int c = 0; c < 3; ++c, index /= 3) {
    if (index % 3 == 0) {
      face.spread(Vec3::Unit(c));
    } else {
      face.origin[c] = index % 3 == 1 ? rows.lower[c] : rows.upper[c];
    }
  }
  return face;
}

/// Tip, interior, facets, edges.
Face face_of_cone(const AdmissibleSet& set, int index) {
  const int n = set.facets();
  const auto ray = [&](int k) { return Vec3(Vec3::UnitX() + set.size() * set.vertex(k % n)); };
  Face face;
  if (index == 1) {
    for (int c = 0; c < 3; ++c) face.spread(Vec3::Unit(c));
  } else if (index >= 2 + n) {
    face.spread(ray(index - 2 - n));
  } else if (index >= 2) {
    face.spread(ray(index - 2));
    face.spread(ray(index - 1));
  }
  return face;
}

/// Interior, edges and vertices of the polygon; each with x_n > 0 and with x_n = 0.
Face face_of_prism(const AdmissibleSet& set, int index) {
  const int n = set.facets(), place = index / 2;
  Face face;
  if (index % 2 == 0) face.spread(Vec3::UnitX());
  if (place == 0) {
    face.spread(Vec3::UnitY());
    face.spread(Vec3::UnitZ());
  } else {
    const int k = (place - 1) % n;
    face.origin = set.size() * set.vertex(k);
    if (place <= n) face.spread((set.vertex((k + 1) % n) - set.vertex(k)).normalized());
  }
  return face;
}

Face face_at(const AdmissibleSet& set, int index) {
  if (set.shape() == AdmissibleSet::Shape::rows) return face_of_rows(set.rows(), index);
  return set.grows() ? face_of_cone(set, index) : face_of_prism(set, index);
}

/// The index of the face that a point of the set lies in.
int index_of(const AdmissibleSet& set, const ActiveFace& face) {
  const auto state = [](int row) { return row == 0 ? 0 : row < 0 ? 1 : 2; };
  if (set.shape() == AdmissibleSet::Shape::rows) return state(face[0]) + 3 * state(face[1]) + 9 * state(face[2]);
  const int n = set.facets();
  const int vertex = face[1] == 1 && face[2] == n ? 0 : face[2] - 1;  // between its facets
  if (set.grows()) return face[0] < 0 ? 0 : face[2] > 0 ? 2 + n + vertex : 1 + face[1];
  return 2 * (face[2] > 0 ? 1 + n + vertex : face[1]) + (face[0] < 0 ? 1 : 0);
}

/// The point of the face's plane at which w = N x + q is orthogonal to it.
Vec3 stationary_point(const Face& face, const Mat3& N, const Vec3& q) {
  if (face.dimension == 0) return face.origin;
  const Vec3 w = N * face.origin + q;
  if (face.dimension == 1) {
    const Vec3 b = face.basis.col(0);
    const double curvature = b.dot(N * b);
    return curvature > 0.0 ? Vec3(face.origin - b.dot(w) / curvature * b) : face.origin;
  }
  using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 3, 3>;
  const auto B = face.basis.leftCols(face.dimension);
  const Small reduced = B.transpose() * N * B;
  const Eigen::FullPivLU<Small> factors(reduced);
  return face.origin - B * factors.solve(Small(B.transpose() * w));
}

Vec3 by_enumeration(const AdmissibleSet& set, const Mat3& N, const Vec3& q, const Vec3& start) {
  const double rho = step_length(N);
  Vec3 best = set.project(start);
  double least = std::numeric_limits<double>::infinity();
  const auto solves = [&](int index) {
    const Face face = face_at(set, index);
    if (std::isinf(face.origin[0]) || std::isinf(face.origin[1]) || std::isinf(face.origin[2])) return false;
    const Vec3 x = stationary_point(face, N, q);
    const double error = (x - set.project(x - rho * (N * x + q))).norm();
    if (error < least) least = error, best = x;
    return error <= 8.0 * epsilon * (x.norm() + rho * q.norm());
  };
  const int guess = index_of(set, set.active_face(set.project(best - rho * (N * best + q))));
  if (!solves(guess))
    for (int index = 0; index < face_count(set) && (index == guess || !solves(index)); ++index) continue;
  return set.project(best);
}

/// Rows may carry different units, so each is measured by its own diagonal entry.
Vec3 solve_rows(const AdmissibleSet& set, const Mat3& N, const Vec3& q, const Vec3& start) {
  const Vec3 unit = N.diagonal().unaryExpr([](double entry) { return entry > 0.0 ? 1.0 / std::sqrt(entry) : 1.0; });
  RowBounds rows = set.rows();
  for (int c = 0; c < 3; ++c) rows.lower[c] /= unit[c], rows.upper[c] /= unit[c];
  const Vec3 scaled = by_enumeration(AdmissibleSet::intervals(rows), unit.asDiagonal() * N * unit.asDiagonal(),
                                     unit.cwiseProduct(q), start.cwiseQuotient(unit));
  return set.project(unit.cwiseProduct(scaled));
}

// --- Discs ---

/// x with |x| <= r and A x + b = -lambda x, lambda >= 0, lambda (r - |x|) = 0.
struct OnDisc {
  Vec2 x = Vec2::Zero();
  double lambda = 0.0;
};

/// (A + lambda)^-1 b by elimination with pivoting: Cramer's rule would lose what the condition of A costs.
Vec2 solve_shifted(const Mat2& A, double lambda, const Vec2& b) {
  const double a = A(0, 0) + lambda, d = A(1, 1) + lambda, right = A(0, 1), left = A(1, 0);
  if (std::abs(a) >= std::abs(left)) {
    const double factor = left / a, second = (b[1] - factor * b[0]) / (d - factor * right);
    return {(b[0] - right * second) / a, second};
  }
  const double factor = a / left, second = (b[0] - factor * b[1]) / (right - factor * d);
  return {(b[1] - d * second) / left, second};
}

/// The maximum-dissipation problem (seed 000 eq. 14). Newton in the multiplier lambda in place of the polar angle of
/// eq. 16: 1/|x(lambda)| - 1/r is monotone and almost straight, so it cannot end in the maximum of eq. 15.
OnDisc solve_on_disc(const Mat2& A, const Vec2& b, double r, double guess) {
  const double size = b.norm();
  if (r <= 0.0 || size == 0.0) return {};
  const double stiffness = A.norm();
  const bool regular = A.determinant() > 1e-14 * stiffness * stiffness;
  const double smallest = regular ? 0.0 : 1e-13 * stiffness;
  if (stiffness > 0.0) {
    const Vec2 sticking = solve_shifted(A, smallest, -b);
    if (sticking.norm() <= r) return {sticking, 0.0};
  }
  double lower = std::max(smallest, size / r - stiffness), upper = size / r;  // for positive semidefinite A
  double lambda = std::clamp(guess, lower, upper);
  if (lambda <= 0.0) lambda = lower + 1e-3 * (upper - lower);
  Vec2 x = Vec2::Zero();
  for (int step = 0; step < 60; ++step) {
    x = solve_shifted(A, lambda, -b);
    const double length = x.norm();
    if (std::abs(length - r) <= 4.0 * epsilon * r) break;
    (length > r ? lower : upper) = lambda;
    const double slope = x.dot(solve_shifted(A, lambda, x));  // -|x| d|x| / d lambda
    double next = lambda + (length - r) / r * length * length / slope;
    if (!(next > lower && next < upper)) next = 0.5 * (lower + upper);
    if (next == lambda) break;
    lambda = next;
  }
  const double length = x.norm();
  return {length > 0.0 ? Vec2(r / length * x) : x, lambda};
}

Vec3 solve_on_cylinder(double radius, const Mat3& N, const Vec3& q, const Vec3& start) {
  const Vec2 down = N.block<2, 1>(1, 0), across = N.block<1, 2>(0, 1).transpose();
  const Mat2 A = N.bottomRightCorner<2, 2>();
  const double guess = radius > 0.0 ? (A * start.tail<2>() + q.tail<2>()).norm() / radius : 0.0;
  if (N(0, 0) > 0.0) {  // first as if x_n had no sign
    const Mat2 schur = A - down * across.transpose() / N(0, 0);
    const Vec2 x = solve_on_disc(schur, q.tail<2>() - down * (q[0] / N(0, 0)), radius, guess).x;
    const double normal = -(q[0] + across.dot(x)) / N(0, 0);
    if (normal >= 0.0) return {normal, x[0], x[1]};
  }
  const Vec2 x = solve_on_disc(A, q.tail<2>(), radius, guess).x;
  return {0.0, x[0], x[1]};
}

/// The problem on a cone as an equation for the normal impulse z alone: with x_T(z) from the disc of radius mu z,
/// F(z) = w_n - share mu |w_T| = 0, where share is 1 for the convex law (seed 000 eq. 12: F is the derivative of the
/// convex minimum over x_T, so it never falls) and 0 for Coulomb's.
class ConeEquation {
 public:
  ConeEquation(double mu, double share, const Mat3& N, const Vec3& q)
      : mu_(mu),
        share_(share),
        N_(N),
        q_(q),
        A_(N.bottomRightCorner<2, 2>()),
        down_(N.block<2, 1>(1, 0)),
        across_(N.block<1, 2>(0, 1).transpose()) {}

  struct Value {
    double f, slope;
    double scale;  ///< size of the terms that f is the sum of
  };

  [[nodiscard]] Value operator()(double z) {
    state_ = solve_on_disc(A_, q_.tail<2>() + z * down_, mu_ * z, state_.lambda);
    const Vec2& x = state_.x;
    const double lambda = state_.lambda, lift = share_ * mu_ * mu_;
    Value value{N_(0, 0) * z + across_.dot(x) + q_[0] - lift * lambda * z, N_(0, 0), 0.0};
    value.scale = N_(0, 0) * z + std::abs(across_.dot(x)) + std::abs(q_[0]) + lift * lambda * z;
    if (x.isZero(0.0) || A_.isZero(0.0)) return value;
    const Vec2 turned = solve_shifted(A_, lambda > 0.0 ? lambda : 1e-13 * A_.norm(), down_);
    if (lambda == 0.0) {
      value.slope -= across_.dot(turned);
      return value;
    }
    const Vec2 inward = solve_shifted(A_, lambda, x);
    const double lambda_slope = -(mu_ * mu_ * z + x.dot(turned)) / x.dot(inward);
    value.slope += -across_.dot(turned + lambda_slope * inward) - lift * (lambda_slope * z + lambda);
    return value;
  }

  /// Newton's method between bounds, from the guess z > 0. F(0) < 0.
  [[nodiscard]] Vec3 solve(double z) {
    double lower = 0.0, upper = std::numeric_limits<double>::infinity();
    double best = z, least = upper;
    for (int step = 0; step < 200; ++step) {
      const Value value = (*this)(z);
      if (std::abs(value.f) < least) least = std::abs(value.f), best = z;
      if (std::abs(value.f) <= 2.0 * epsilon * value.scale) break;
      (value.f < 0.0 ? lower : upper) = z;
      double next = value.slope > 0.0 ? z - value.f / value.slope : upper;
      const double farthest = std::isfinite(upper) ? upper : 16.0 * z;
      if (!(next > lower && next < farthest)) next = std::isfinite(upper) ? 0.5 * (lower + upper) : 4.0 * z;
      if (next == z || !std::isfinite(next) || next > 1e200) break;
      z = next;
    }
    (void)(*this)(best);
    return {best, state_.x[0], state_.x[1]};
  }

 private:
  double mu_, share_;
  const Mat3& N_;
  const Vec3& q_;
  Mat2 A_;
  Vec2 down_, across_;
  OnDisc state_;
};

/// Sticking contacts, w = 0, obey both laws.
bool sticks(double mu, const Mat3& N, const Vec3& q, Vec3& x) {
  const double size = N.norm();
  if (std::abs(N.determinant()) <= 1e-14 * size * size * size) return false;
  const Vec3 candidate = -N.inverse() * q;
  if (!AdmissibleSet::cone(mu).contains(candidate)) return false;
  x = candidate - N.inverse() * (N * candidate + q);  // one step of refinement
  x = AdmissibleSet::cone(mu).project(x);
  return true;
}

Vec3 solve_on_cone(double mu, double share, const Mat3& N, const Vec3& q, const Vec3& start) {
  const double approach = q[0] - share * mu * std::hypot(q[1], q[2]);
  if (approach >= 0.0) return Vec3::Zero();
  Vec3 x;
  if (sticks(mu, N, q, x)) return x;
  const double stiffness = N(0, 0) + share * mu * mu * std::max(N(1, 1), N(2, 2));
  const double guess = start[0] > 0.0 ? start[0] : stiffness > 0.0 ? -approach / stiffness : 1.0;
  return ConeEquation(mu, share, N, q).solve(guess);
}

Vec3 solve_directly(const AdmissibleSet& set, const Mat3& N, const Vec3& q, const Vec3& start) {
  if (set.shape() == AdmissibleSet::Shape::rows) return solve_rows(set, N, q, start);
  if (set.shape() == AdmissibleSet::Shape::polygon) return by_enumeration(set, N, q, start);
  if (set.grows()) return solve_on_cone(set.size(), 1.0, N, q, start);
  return solve_on_cylinder(set.size(), N, q, start);
}

/// The solution of a method that needs a regular matrix, for any: if what it finds is not a solution to rounding, a few
/// proximal steps follow, x <- solution of N + alpha, q - alpha x. Their matrix is regular, their fixed points are the
/// solutions.
template <typename Solve, typename Error>
Vec3 solve_robustly(const Solve& solve, const Error& error, const Mat3& N, const Vec3& q, const Vec3& start) {
  constexpr int most_steps = 12;
  const double rho = step_length(N), alpha = 1e-4 / rho;
  Vec3 x = solve(N, q, start), best = x;
  double least = error(x);
  for (int step = 0; step < most_steps && least > 16.0 * epsilon * (best.norm() + rho * q.norm()); ++step) {
    x = solve(N + alpha * Mat3::Identity(), q - alpha * x, x);
    const double found = error(x);
    if (found < least) least = found, best = x;
  }
  return best;
}

}  // namespace

Vec3 solve_convex(const AdmissibleSet& set, const Mat3& N, const Vec3& q, const Vec3& start) {
  const auto solve = [&](const Mat3& A, const Vec3& b, const Vec3& from) { return solve_directly(set, A, b, from); };
  const double rho = step_length(N);
  const auto error = [&](const Vec3& x) { return (x - set.project(x - rho * (N * x + q))).norm(); };
  return solve_robustly(solve, error, N, q, start);
}

Vec3 solve_coulomb(double mu, const Mat3& N, const Vec3& q, const Vec3& start) {
  const auto solve = [&](const Mat3& A, const Vec3& b, const Vec3& from) { return solve_on_cone(mu, 0.0, A, b, from); };
  const AdmissibleSet cone = AdmissibleSet::cone(mu);
  const auto error = [&](const Vec3& x) {
    Vec3 w = N * x + q;
    w[0] += mu * w.tail<2>().norm();
    return (x - cone.project(x - step_length(N) * w)).norm();
  };
  return solve_robustly(solve, error, N, q, start);
}

Vec3 solve_block(const ConstraintSet& set, int block, const Mat3& N, const Vec3& q, const Vec3& start) {
  if (set.obeys_coulomb(block)) return solve_coulomb(set.friction[static_cast<std::size_t>(block)], N, q, start);
  return solve_convex(set[block], N, q, start);
}

Vec3 project_in_metric(const AdmissibleSet& set, const Vec3& x, const Vec3& metric) {
  if (set.shape() == AdmissibleSet::Shape::rows || metric[1] == metric[2])
    return set.project_isotropic(x, metric[0], metric[1]);
  if (set.contains(x)) return x;
  return solve_convex(set, metric.asDiagonal(), -metric.cwiseProduct(x), x);
}

double block_residual(const ConstraintSet& set, int block, const Mat3& N, const Vec3& q, const Vec3& x) {
  const Vec3 w = set.shifted(block, N * x + q);
  return (x - set[block].project(x - step_length(N) * w)).norm();
}

}  // namespace scree::problem
