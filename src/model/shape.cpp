#include "scree/model/shape.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "scree/parallel/error.hpp"

namespace scree::model {

namespace {

constexpr double pi = std::numbers::pi;

/// Volume, centre and second moments (integrals of x x^T) of a solid.
struct Solid {
  double volume = 0.0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
};

/// Sums up the tetrahedra between the origin and the triangles of the faces; signs make them cancel outside.
Solid solid_of(const Hull& hull) {
  Solid solid;
  for (const std::vector<int>& face : hull.faces)
    for (std::size_t k = 2; k < face.size(); ++k) {
      Mat3 corners;
      corners.col(0) = hull.vertices[static_cast<std::size_t>(face[0])];
      corners.col(1) = hull.vertices[static_cast<std::size_t>(face[k - 1])];
      corners.col(2) = hull.vertices[static_cast<std::size_t>(face[k])];
      const double volume = corners.determinant() / 6.0;
      const Vec3 sum = corners.rowwise().sum();
      solid.volume += volume;
      solid.first += volume / 4.0 * sum;
      solid.second += volume / 20.0 * (corners * corners.transpose() + sum * sum.transpose());
    }
  return solid;
}

struct Measured {
  double radius, volume;
  Vec3 moments;
  Quat given = Quat::Identity();
};

Measured measure(Cuboid& cuboid) {
  const Vec3 squares = cuboid.half.cwiseAbs2();
  const double volume = 8.0 * cuboid.half.prod();
  return {cuboid.half.norm(), volume, volume / 3.0 * (Vec3::Constant(squares.sum()) - squares)};
}

Measured measure(Cylinder& cylinder) {
  const double r = cylinder.radius, volume = 2.0 * pi * r * r * cylinder.half;
  const double across = volume * (r * r / 4.0 + cylinder.half * cylinder.half / 3.0);
  return {std::hypot(r, cylinder.half), volume, {across, across, volume * r * r / 2.0}};
}

/// A cylinder and two half balls, whose centres of mass lie 3/8 r beyond its ends.
Measured measure(Capsule& capsule) {
  const double r = capsule.radius, h = capsule.half;
  const double tube = 2.0 * pi * r * r * h, ball = 4.0 / 3.0 * pi * r * r * r;
  const double across = tube * (r * r / 4.0 + h * h / 3.0) + ball * (0.4 * r * r + h * h + 0.75 * h * r);
  return {r + h, tube + ball, {across, across, tube * r * r / 2.0 + ball * 0.4 * r * r}};
}

Measured measure(Hull& hull) {
  const Solid solid = solid_of(hull);
  double extent = 0.0;
  for (const Vec3& vertex : hull.vertices) extent = std::max(extent, (vertex - hull.vertices.front()).norm());
  if (!(solid.volume > 1e-9 * extent * extent * extent)) return {extent, 0.0, Vec3::Zero()};
  const Vec3 centre = solid.first / solid.volume;
  const Mat3 spread = solid.second - solid.volume * centre * centre.transpose();
  const Eigen::SelfAdjointEigenSolver<Mat3> axes(spread);
  Mat3 turn = axes.eigenvectors();
  if (turn.determinant() < 0.0) turn.col(2) *= -1.0;
  double radius = 0.0;
  for (Vec3& vertex : hull.vertices) {
    vertex = turn.transpose() * (vertex - centre);
    radius = std::max(radius, vertex.norm());
  }
  return {radius, solid.volume, Vec3::Constant(spread.trace()) - axes.eigenvalues(), Quat(turn)};
}

}  // namespace

Shape make_shape(std::string name, Form form) {
  const Measured measured = std::visit([](auto& shape) { return measure(shape); }, form);
  if (!(measured.volume > 0.0))
    throw InputError(fmt::format("shape '{}' has no volume: give it an extent in all directions", name));
  return {std::move(name), std::move(form), measured.radius, measured.volume, measured.moments, measured.given};
}

Body make_body(std::int64_t id, const Vec3& position, const Quat& attitude, const std::vector<Shape>& shapes,
               int number, double density, int material) {
  const Shape& shape = shapes[static_cast<std::size_t>(number)];
  Body body = make_sphere(id, position, shape.radius, density, material);
  body.shape = number;
  body.mass = density * shape.volume;
  Vec3::Map(body.inertia) = density * shape.moments;
  Eigen::Map<Eigen::Vector4d>(body.attitude) = (attitude * shape.given).normalized().coeffs();
  return body;
}

}  // namespace scree::model
