#include "scree/model/outside.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "scree/model/triangle_mesh.hpp"

namespace scree::model {

namespace {

Outside outside(const Cuboid& cuboid, const Vec3& point) {
  const Vec3 nearest = point.cwiseMax(-cuboid.half).cwiseMin(cuboid.half);
  const double distance = (point - nearest).norm();
  if (distance > 0.0) return {(point - nearest) / distance, distance};
  Eigen::Index axis = 0;
  const double depth = (cuboid.half - point.cwiseAbs()).minCoeff(&axis);
  return {std::copysign(1.0, point[axis]) * Vec3::Unit(axis), -depth};
}

Outside outside(const Capsule& capsule, const Vec3& point) {
  const Vec3 from_axis = point - Vec3(0.0, 0.0, std::clamp(point.z(), -capsule.half, capsule.half));
  const double distance = from_axis.norm();
  return {distance > 0.0 ? Vec3(from_axis / distance) : Vec3(Vec3::UnitX()), distance - capsule.radius};
}

Outside outside(const Cylinder& cylinder, const Vec3& point) {
  const double from_axis = std::hypot(point.x(), point.y());
  const Vec3 radial = from_axis > 0.0 ? Vec3(point.x() / from_axis, point.y() / from_axis, 0.0) : Vec3(Vec3::UnitX());
  const Vec3 axial(0.0, 0.0, std::copysign(1.0, point.z()));
  const double aside = from_axis - cylinder.radius, above = std::abs(point.z()) - cylinder.half;
  if (aside > 0.0 && above > 0.0) {
    const double distance = std::hypot(aside, above);
    return {(aside * radial + above * axial) / distance, distance};
  }
  return aside > above ? Outside{radial, aside} : Outside{axial, above};
}

/// Inside, the nearest face; outside, the nearest point of the faces that the point sees.
Outside outside(const Hull& hull, const Vec3& point) {
  const auto vertex = [&](int k) -> const Vec3& { return hull.vertices[static_cast<std::size_t>(k)]; };
  Outside inside{Vec3::UnitX(), -std::numeric_limits<double>::infinity()};
  double least = std::numeric_limits<double>::infinity();
  Vec3 nearest = point;
  for (const std::vector<int>& face : hull.faces) {
    Vec3 area = Vec3::Zero();
    const Vec3& first = vertex(face[0]);
    for (std::size_t k = 2; k < face.size(); ++k) area += (vertex(face[k - 1]) - first).cross(vertex(face[k]) - first);
    const Vec3 normal = area.normalized();
    const double above = normal.dot(point - first);
    if (above > inside.distance) inside = {normal, above};
    if (above <= 0.0 || above >= least) continue;
    for (std::size_t k = 2; k < face.size(); ++k) {
      const Vec3 found = nearest_on_triangle({first, vertex(face[k - 1]), vertex(face[k])}, point).point;
      if (const double distance = (point - found).norm(); distance < least) least = distance, nearest = found;
    }
  }
  // Just above a face its own direction is exact, that to the nearest point is not.
  const double rounding = 1e-9 * vertex(0).norm();
  if (inside.distance <= 0.0 || least <= rounding) return inside;
  return {(point - nearest) / least, least};
}

Outside outside(const Cluster& cluster, const Vec3& point) {
  Outside nearest{Vec3::UnitX(), std::numeric_limits<double>::infinity()};
  for (const Part& part : cluster.parts)
    if (const Outside found = model::outside(part, point); found.distance < nearest.distance) nearest = found;
  return nearest;
}

}  // namespace

Outside outside(const Form& form, const Vec3& point) {
  return std::visit([&](const auto& one) { return outside(one, point); }, form);
}

Outside outside(const Part& part, const Vec3& point) {
  const Vec3 local = part.pose.inwards(point);
  if (part.shape) {
    const Outside found = outside(part.shape->form, local);
    return {part.pose.turn * found.normal, found.distance};
  }
  const double distance = local.norm();
  return {distance > 0.0 ? Vec3(part.pose.turn * local / distance) : Vec3(Vec3::UnitX()), distance - part.radius};
}

}  // namespace scree::model
