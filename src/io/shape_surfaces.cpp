#include "scree/io/shape_surfaces.hpp"

#include <cmath>
#include <numbers>
#include <utility>

namespace scree::io {

using model::Hull;
using model::Vec3;

namespace {

constexpr int sides = 24;

/// Rings of corners about the z axis from below upwards, each given by its radius and height, and the polygons between.
Hull turned_surface(const std::vector<std::pair<double, double>>& rings) {
  Hull surface;
  for (const auto& [radius, height] : rings)
    for (int k = 0; k < sides; ++k) {
      const double angle = 2.0 * std::numbers::pi * k / sides;
      surface.vertices.emplace_back(radius * std::cos(angle), radius * std::sin(angle), height);
    }
  std::vector<int> bottom, top;
  const int last = sides * (static_cast<int>(rings.size()) - 1);
  for (int k = 0; k < sides; ++k) {
    bottom.push_back(sides - 1 - k);
    top.push_back(last + k);
  }
  surface.faces = {bottom, top};
  for (int ring = 0; ring < last; ring += sides)
    for (int k = 0; k < sides; ++k) {
      const int next = (k + 1) % sides;
      surface.faces.push_back({ring + k, ring + next, ring + sides + next, ring + sides + k});
    }
  return surface;
}

Hull polygons(const model::Hull& hull) { return hull; }

Hull polygons(const model::Cuboid& cuboid) {
  Hull surface;
  for (int k = 0; k < 8; ++k)
    surface.vertices.push_back(cuboid.half.cwiseProduct(
        Vec3((k & 1) != 0 ? 1.0 : -1.0, (k & 2) != 0 ? 1.0 : -1.0, (k & 4) != 0 ? 1.0 : -1.0)));
  surface.faces = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  return surface;
}

Hull polygons(const model::Cylinder& cylinder) {
  return turned_surface({{cylinder.radius, -cylinder.half}, {cylinder.radius, cylinder.half}});
}

Hull polygons(const model::Capsule& capsule) {
  constexpr int steps = 5;
  std::vector<std::pair<double, double>> rings;
  for (const double end : {-1.0, 1.0})
    for (int k = 0; k <= steps; ++k) {
      const double angle = 0.5 * std::numbers::pi * (end < 0.0 ? steps - k : k) / (steps + 1);
      rings.emplace_back(capsule.radius * std::cos(angle), end * (capsule.half + capsule.radius * std::sin(angle)));
    }
  return turned_surface(rings);
}

Hull polygons_of_sphere(double radius) {
  constexpr int steps = 11;
  std::vector<std::pair<double, double>> rings;
  for (int k = 1; k <= steps; ++k) {
    const double angle = std::numbers::pi * k / (steps + 1);
    rings.emplace_back(radius * std::sin(angle), -radius * std::cos(angle));
  }
  return turned_surface(rings);
}

Hull polygons(const model::Cluster& cluster) {
  Hull surface;
  for (const model::Part& part : cluster.parts) {
    const Hull one = part.shape ? polygons_of(part.shape->form) : polygons_of_sphere(part.radius);
    const int first = static_cast<int>(surface.vertices.size());
    for (const Vec3& vertex : one.vertices) surface.vertices.push_back(part.pose.outwards(vertex));
    for (std::vector<int> face : one.faces) {
      for (int& corner : face) corner += first;
      surface.faces.push_back(std::move(face));
    }
  }
  return surface;
}

}  // namespace

Hull polygons_of(const model::Form& form) {
  return std::visit([](const auto& one) { return polygons(one); }, form);
}

PointCloud surfaces_of_bodies(const dynamics::Simulation& simulation, const Selection& selection) {
  const model::Bodies& bodies = simulation.bodies();
  std::vector<Hull> surfaces;
  for (const model::Shape& shape : *bodies.shapes) surfaces.push_back(polygons_of(shape.form));
  PointCloud cloud;
  cloud.polygons.emplace();
  std::vector<std::int64_t> ids;
  std::vector<double> velocities;
  for (std::size_t k = 0; k < static_cast<std::size_t>(bodies.owned()); ++k) {
    if (bodies.shape[k] == model::sphere || !selection.has(bodies.id[k])) continue;
    const Hull& surface = surfaces[static_cast<std::size_t>(bodies.shape[k])];
    const auto first = std::ssize(cloud.points);
    const Vec3 centre = bodies.space.wrapped(bodies.position[k]);
    for (const Vec3& vertex : surface.vertices) {
      cloud.points.push_back(centre + bodies.attitude[k] * vertex);
      ids.push_back(bodies.id[k]);
      velocities.insert(velocities.end(), bodies.velocity[k].data(), bodies.velocity[k].data() + 3);
    }
    for (const std::vector<int>& face : surface.faces) {
      for (const int corner : face) cloud.polygons->corners.push_back(first + corner);
      cloud.polygons->ends.push_back(std::ssize(cloud.polygons->corners));
    }
  }
  if (selection.has("velocity")) cloud.arrays.push_back({"velocity", 3, std::move(velocities)});
  if (selection.has("id")) cloud.arrays.push_back({"id", 1, std::move(ids)});
  return cloud;
}

}  // namespace scree::io
