#include "scree/io/periodic.hpp"

#include <fmt/format.h>

#include <cmath>

namespace scree::io {

namespace {

using model::Periodicity;
using model::Vec3;

constexpr const char* axis_names[3] = {"x", "y", "z"};
constexpr double rounding = 1e-9;

bool has_part_along(const Vec3& direction, int axis) { return std::abs(direction[axis]) > rounding * direction.norm(); }
bool is_along(const Vec3& direction, int axis) {
  return (direction - direction[axis] * Vec3::Unit(axis)).norm() <= rounding * direction.norm();
}

/// Whether a surface is the same when it is moved along an axis.
bool is_uniform(const model::Plane& plane, int axis) { return !has_part_along(plane.normal, axis); }
bool is_uniform(const model::Tube& tube, int axis) { return is_along(tube.axis, axis); }
bool is_uniform(const model::Part&, int) { return false; }
bool is_uniform(const model::MeshSurface&, int) { return false; }

model::Box bounds_of(const model::Box& box) { return box; }
model::Box bounds_of(const CylinderRegion& cylinder) {
  const Vec3 aside(cylinder.radius, cylinder.radius, 0.0);
  return {cylinder.bottom - aside, cylinder.bottom + aside + Vec3(0.0, 0.0, cylinder.height)};
}

}  // namespace

Periodicity read_periodicity(const Entry& section) {
  Periodicity space;
  for (int axis = 0; axis < 3; ++axis) {
    const auto range = section.find(axis_names[axis]);
    if (!range) continue;
    const std::vector<Entry> ends = range->items();
    if (ends.size() != 2) range->fail("needs two numbers: where a period begins and where it ends");
    space.lower[axis] = ends[0].number();
    space.length[axis] = ends[1].number() - space.lower[axis];
    if (!(space.length[axis] > 0.0)) range->fail("must end above where it begins");
  }
  return space;
}

std::optional<std::string> misfit(const Periodicity& space, const model::Wall& wall) {
  for (int axis = 0; axis < 3; ++axis) {
    if (!space.along(axis)) continue;
    if (!std::visit([&](const auto& surface) { return is_uniform(surface, axis); }, wall.surface))
      return fmt::format("wall '{}' does not repeat itself along {}, where space is periodic: turn it or take it away",
                         wall.name, axis_names[axis]);
    if (wall.motion.turns() && !is_along(wall.motion.spin, axis))
      return fmt::format("wall '{}' may turn about {} only, where space is periodic", wall.name, axis_names[axis]);
  }
  return std::nullopt;
}

std::optional<std::string> misfit(const Periodicity& space, const Region& region) {
  const model::Box box = std::visit([](const auto& shape) { return bounds_of(shape); }, region);
  for (int axis = 0; axis < 3; ++axis) {
    const double slack = rounding * space.length[axis], upper = space.lower[axis] + space.length[axis];
    if (space.along(axis) && (box.lower[axis] < space.lower[axis] - slack || box.upper[axis] > upper + slack))
      return fmt::format("reaches out of the period {:.6g} to {:.6g} along {}: make it smaller or move it",
                         space.lower[axis], upper, axis_names[axis]);
  }
  return std::nullopt;
}

std::optional<std::string> misfit(const Periodicity& space, const Vec3& centre) {
  return misfit(space, Region(model::Box{centre, centre}));
}

void open_periodic_sides(const Periodicity& space, std::vector<model::Wall>& container) {
  std::erase_if(container, [&](const model::Wall& wall) {
    const Vec3& normal = std::get<model::Plane>(wall.surface).normal;
    for (int axis = 0; axis < 3; ++axis)
      if (space.along(axis) && has_part_along(normal, axis)) return true;
    return false;
  });
}

}  // namespace scree::io
