#include "scree/io/room.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace scree::io {

namespace {

using model::Plane;
using model::Tube;
using model::Vec3;
using model::Wall;

// Rounding of coordinates must not turn a tight fit into an error.
constexpr double fit_tolerance = 1e-9;

bool parallel(const Vec3& a, const Vec3& b) { return a.cross(b).norm() < 1e-9; }

double distance_from_axis(const Tube& tube, const Vec3& point) { return tube.axis.cross(point - tube.point).norm(); }

// The width of the free space between two walls, where it can be told.
std::optional<double> width_between(const Plane& a, const Plane& b) {
  if (!parallel(a.normal, b.normal) || a.normal.dot(b.normal) > 0.0) return std::nullopt;
  return (b.point - a.point).dot(a.normal);
}

std::optional<double> width_between(const Plane& plane, const Tube& tube) {
  if (std::abs(plane.normal.dot(tube.axis)) > 1e-9) return std::nullopt;
  return std::min(2.0 * tube.radius, tube.radius + (tube.point - plane.point).dot(plane.normal));
}

std::optional<double> width_between(const Tube& tube, const Plane& plane) { return width_between(plane, tube); }

std::optional<double> width_between(const Tube& a, const Tube& b) {
  if (!parallel(a.axis, b.axis)) return std::nullopt;
  return std::min({2.0 * a.radius, 2.0 * b.radius, a.radius + b.radius - distance_from_axis(a, b.point)});
}

// Nothing is known of walls that end somewhere.
template <typename A, typename B>
std::optional<double> width_between(const A&, const B&) {
  return std::nullopt;
}

// Points whose convex hull contains the region.
std::vector<Vec3> hull_of(const model::Box& box) {
  std::vector<Vec3> corners;
  for (int k = 0; k < 8; ++k) {
    corners.emplace_back((k & 1) != 0 ? box.upper.x() : box.lower.x(), (k & 2) != 0 ? box.upper.y() : box.lower.y(),
                         (k & 4) != 0 ? box.upper.z() : box.lower.z());
  }
  return corners;
}

std::vector<Vec3> hull_of(const CylinderRegion& cylinder) {
  constexpr int sides = 128;
  const double reach = cylinder.radius / std::cos(std::numbers::pi / sides);
  std::vector<Vec3> rims;
  for (int k = 0; k < sides; ++k) {
    const double angle = 2.0 * std::numbers::pi * k / sides;
    const Vec3 low = cylinder.bottom + reach * Vec3(std::cos(angle), std::sin(angle), 0.0);
    rims.push_back(low);
    rims.push_back(low + Vec3(0.0, 0.0, cylinder.height));
  }
  return rims;
}

// How far a region reaches behind a wall; negative if it does not touch it.
double depth_behind(const model::Box& box, const Plane& plane) {
  double depth = -std::numeric_limits<double>::infinity();
  for (const Vec3& corner : hull_of(box)) depth = std::max(depth, (plane.point - corner).dot(plane.normal));
  return depth;
}

double depth_behind(const CylinderRegion& cylinder, const Plane& plane) {
  const Vec3& n = plane.normal;
  const double at_bottom = (plane.point - cylinder.bottom).dot(n);
  return std::max(at_bottom, at_bottom - cylinder.height * n.z()) + cylinder.radius * std::hypot(n.x(), n.y());
}

double depth_behind(const model::Box& box, const Tube& tube) {
  double reach = 0.0;
  for (const Vec3& corner : hull_of(box)) reach = std::max(reach, distance_from_axis(tube, corner));
  return reach - tube.radius;
}

double depth_behind(const CylinderRegion& cylinder, const Tube& tube) {
  if (parallel(tube.axis, Vec3::UnitZ())) {
    return distance_from_axis(tube, cylinder.bottom) + cylinder.radius - tube.radius;
  }
  double reach = 0.0;
  for (const Vec3& point : hull_of(cylinder)) reach = std::max(reach, distance_from_axis(tube, point));
  return reach - tube.radius;
}

// Bodies are checked against walls that end somewhere one by one.
template <typename AnyRegion, typename Surface>
double depth_behind(const AnyRegion&, const Surface&) {
  return -std::numeric_limits<double>::infinity();
}

double size_of(const Region& region) {
  if (const auto* box = std::get_if<model::Box>(&region)) return (box->upper - box->lower).maxCoeff();
  const auto& cylinder = std::get<CylinderRegion>(region);
  return std::max(cylinder.radius, cylinder.height);
}

bool overlap_in_z(double low_a, double high_a, double low_b, double high_b, double slack) {
  return std::min(high_a, high_b) - std::max(low_a, low_b) > slack;
}

bool overlap(const model::Box& a, const model::Box& b, double slack) {
  return ((a.upper.cwiseMin(b.upper) - a.lower.cwiseMax(b.lower)).array() > slack).all();
}

bool overlap(const CylinderRegion& a, const CylinderRegion& b, double slack) {
  const double distance = std::hypot(a.bottom.x() - b.bottom.x(), a.bottom.y() - b.bottom.y());
  return overlap_in_z(a.bottom.z(), a.bottom.z() + a.height, b.bottom.z(), b.bottom.z() + b.height, slack) &&
         a.radius + b.radius - distance > slack;
}

bool overlap(const model::Box& box, const CylinderRegion& cylinder, double slack) {
  const Vec3 nearest = cylinder.bottom.cwiseMax(box.lower).cwiseMin(box.upper);
  const double distance = std::hypot(nearest.x() - cylinder.bottom.x(), nearest.y() - cylinder.bottom.y());
  return overlap_in_z(box.lower.z(), box.upper.z(), cylinder.bottom.z(), cylinder.bottom.z() + cylinder.height,
                      slack) &&
         cylinder.radius - distance > slack;
}

bool overlap(const CylinderRegion& cylinder, const model::Box& box, double slack) {
  return overlap(box, cylinder, slack);
}

}  // namespace

std::optional<std::string> lack_of_room(const Wall& a, const Wall& b, double diameter) {
  const auto width = std::visit([](const auto& s, const auto& t) { return width_between(s, t); }, a.surface, b.surface);
  if (!width || (*width > 0.0 && *width >= diameter * (1.0 - fit_tolerance))) return std::nullopt;
  if (*width <= 0.0)
    return fmt::format("walls '{}' and '{}' leave no room between them: move them apart", a.name, b.name);
  return fmt::format("walls '{}' and '{}' leave no room: {:.6g} m between them, the largest body needs {:.6g} m",
                     a.name, b.name, *width, diameter);
}

std::optional<std::string> lack_of_room(const Wall& wall, double diameter) {
  const auto* tube = std::get_if<Tube>(&wall.surface);
  if (tube == nullptr || 2.0 * tube->radius >= diameter * (1.0 - fit_tolerance)) return std::nullopt;
  return fmt::format("wall '{}' leaves no room: it is {:.6g} m wide, the largest body needs {:.6g} m", wall.name,
                     2.0 * tube->radius, diameter);
}

std::optional<std::string> region_behind(const Region& region, const Wall& wall) {
  const double depth =
      std::visit([](const auto& r, const auto& s) { return depth_behind(r, s); }, region, wall.surface);
  if (depth <= fit_tolerance * size_of(region)) return std::nullopt;
  return fmt::format("reaches {:.6g} m behind the wall '{}': make it smaller or move it", depth, wall.name);
}

bool regions_overlap(const Region& a, const Region& b) {
  const double slack = fit_tolerance * std::max(size_of(a), size_of(b));
  return std::visit([&](const auto& r, const auto& s) { return overlap(r, s, slack); }, a, b);
}

}  // namespace scree::io
