#include "scree/model/shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "scree/parallel/error.hpp"

namespace scree::model {

namespace {

constexpr double pi = std::numbers::pi;

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

double extent_of(const Hull& hull) {
  double extent = 0.0;
  for (const Vec3& vertex : hull.vertices) extent = std::max(extent, (vertex - hull.vertices.front()).norm());
  return extent;
}

/// Parts count in full where they overlap.
Solid solid_of(const Cluster& cluster) {
  Solid solid;
  for (const Part& part : cluster.parts) {
    const double r = part.radius, ball = 4.0 / 3.0 * pi * r * r * r;
    const double volume = part.shape ? part.shape->volume : ball;
    const Vec3 moments = part.shape ? part.shape->moments : Vec3::Constant(0.4 * ball * r * r);
    const Vec3 spread = Vec3::Constant(0.5 * moments.sum()) - moments;
    const Vec3& centre = part.pose.position;
    solid.volume += volume;
    solid.first += volume * centre;
    solid.second +=
        part.pose.turn * spread.asDiagonal() * part.pose.turn.transpose() + volume * centre * centre.transpose();
  }
  return solid;
}

double extent_of(const Cluster& cluster) {
  double extent = 0.0;
  for (const Part& part : cluster.parts) extent = std::max(extent, part.radius);
  return extent;
}

/// Moves the form to the axes and gives back the radius of the sphere around it.
double move_to(const PrincipalAxes& axes, Hull& hull) {
  double radius = 0.0;
  for (Vec3& vertex : hull.vertices) {
    vertex = axes.turn.transpose() * (vertex - axes.centre);
    radius = std::max(radius, vertex.norm());
  }
  return radius;
}

double move_to(const PrincipalAxes& axes, Cluster& cluster) {
  double radius = 0.0;
  for (Part& part : cluster.parts) {
    part.pose = {axes.turn.transpose() * (part.pose.position - axes.centre), axes.turn.transpose() * part.pose.turn};
    radius = std::max(radius, part.pose.position.norm() + part.radius);
  }
  return radius;
}

template <typename GivenAnywhere>
Measured measure(GivenAnywhere& form, const std::optional<Solid>& given) {
  const Solid solid = given ? *given : solid_of(form);
  const double extent = extent_of(form);
  if (!(solid.volume > 1e-9 * extent * extent * extent)) return {extent, 0.0, Vec3::Zero()};
  const PrincipalAxes axes = principal_axes(solid);
  return {move_to(axes, form), solid.volume, axes.moments, Quat(axes.turn)};
}

Measured measure(Cuboid& form, const std::optional<Solid>&) { return measure(form); }
Measured measure(Capsule& form, const std::optional<Solid>&) { return measure(form); }
Measured measure(Cylinder& form, const std::optional<Solid>&) { return measure(form); }

}  // namespace

Shape make_shape(std::string name, Form form, const std::optional<Solid>& solid) {
  const Measured measured = std::visit([&](auto& shape) { return measure(shape, solid); }, form);
  if (!(measured.volume > 0.0))
    throw InputError(fmt::format("shape '{}' has no volume: give it an extent in all directions", name));
  return {std::move(name), std::move(form), measured.radius, measured.volume, measured.moments, measured.given};
}

Part make_part(const std::shared_ptr<const Shape>& shape, const Vec3& position, const Quat& turn) {
  return {shape, shape->radius, {position, (turn * shape->given).toRotationMatrix()}};
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
