#include "scree/model/wall.hpp"

#include <algorithm>
#include <cmath>

#include "scree/model/outside.hpp"

namespace scree::model {

namespace {

WallGap gap_to(const Plane& plane, const Vec3& centre, double radius) {
  return {plane.normal.dot(centre - plane.point) - radius, -plane.normal};
}

WallGap gap_to(const Tube& tube, const Vec3& centre, double radius) {
  const Vec3 offset = centre - tube.point;
  const Vec3 radial = offset - tube.axis.dot(offset) * tube.axis;
  const double distance = radial.norm();
  // On the axis every direction is equally near.
  const Vec3 normal = distance > 0.0 ? Vec3(radial / distance) : tube.axis.unitOrthogonal();
  return {tube.radius - distance - radius, normal};
}

WallGap gap_to(const Part& part, const Vec3& centre, double radius) {
  const Outside found = outside(part, centre);
  return {found.distance - radius, -found.normal};
}

WallGap gap_to(const MeshSurface& surface, const Vec3& centre, double radius) {
  const Vec3 local = surface.pose.inwards(centre);
  const TriangleMesh::Nearest nearest = surface.mesh->nearest(local);
  const double distance = (nearest.point - local).norm();
  if (distance > 0.0) return {distance - radius, surface.pose.turn * (nearest.point - local) / distance};
  const auto [a, b, c] = surface.mesh->corners_of(nearest.triangle);
  return {-radius, surface.pose.turn * (c - a).cross(b - a).normalized()};  // as if the sphere came from outside
}

}  // namespace

WallGap gap_to_wall(const Wall& wall, const Vec3& centre, double radius) {
  return std::visit([&](const auto& surface) { return gap_to(surface, centre, radius); }, wall.surface);
}

bool is_near(const Wall& wall, const Vec3& centre, double radius, double reach) {
  if (const auto* surface = std::get_if<MeshSurface>(&wall.surface))
    return surface->mesh->is_within(surface->pose.inwards(centre), radius + reach);
  return gap_to_wall(wall, centre, radius).gap <= reach;
}

namespace {

Plane moved(const Plane& plane, const WallMotion& motion, double time) {
  const Quat turn = motion.turn(time);
  return {motion.pivot + motion.travel(time) + turn * (plane.point - motion.pivot), turn * plane.normal};
}

Tube moved(const Tube& tube, const WallMotion& motion, double time) {
  const Quat turn = motion.turn(time);
  return {motion.pivot + motion.travel(time) + turn * (tube.point - motion.pivot), turn * tube.axis, tube.radius};
}

Pose moved(const Pose& pose, const WallMotion& motion, double time) {
  const Mat3 turn = motion.turn(time).toRotationMatrix();
  return {motion.pivot + motion.travel(time) + turn * (pose.position - motion.pivot), turn * pose.turn};
}

Part moved(const Part& part, const WallMotion& motion, double time) {
  return {part.shape, part.radius, moved(part.pose, motion, time)};
}

MeshSurface moved(const MeshSurface& surface, const WallMotion& motion, double time) {
  return {surface.mesh, moved(surface.pose, motion, time)};
}

constexpr double rounding = 1e-12;

bool turns_in_itself(const Plane& plane, const WallMotion& motion) {
  return plane.normal.cross(motion.spin).norm() <= rounding * motion.spin.norm();
}

bool turns_in_itself(const Tube& tube, const WallMotion& motion) {
  return tube.axis.cross(motion.spin).norm() <= rounding * motion.spin.norm() &&
         tube.axis.cross(motion.pivot - tube.point).norm() <= rounding * tube.radius;
}

bool turns_in_itself(const Part& part, const WallMotion& motion) {
  const Vec3 offset = motion.pivot - part.pose.position;
  if (!part.shape) return offset.norm() <= rounding * part.radius;
  const Form& form = part.shape->form;
  if (!std::holds_alternative<Cylinder>(form) && !std::holds_alternative<Capsule>(form)) return false;
  const Vec3 axis = part.pose.turn.col(2);
  return axis.cross(motion.spin).norm() <= rounding * motion.spin.norm() &&
         axis.cross(offset).norm() <= rounding * part.radius;
}

bool turns_in_itself(const MeshSurface&, const WallMotion&) { return false; }

/// How far a surface reaches from a point (m).
double reach_from(const Plane&, const Vec3&) { return HUGE_VAL; }
double reach_from(const Tube&, const Vec3&) { return HUGE_VAL; }
double reach_from(const Part& part, const Vec3& point) { return (part.pose.position - point).norm() + part.radius; }
double reach_from(const MeshSurface& surface, const Vec3& point) {
  const Box& box = surface.mesh->bounds();
  const Vec3 local = surface.pose.inwards(point);
  return (local - box.lower).cwiseAbs().cwiseMax((local - box.upper).cwiseAbs()).norm();
}

const Pose* pose_of(const Wall& wall) {
  if (const auto* part = std::get_if<Part>(&wall.surface)) return &part->pose;
  const auto* surface = std::get_if<MeshSurface>(&wall.surface);
  return surface != nullptr ? &surface->pose : nullptr;
}

}  // namespace

/// The point of the wall that is nearest to a sphere moves along the line between them as fast as the centre of the
/// sphere would, if it turned with the wall: both distances from the pivot bound the speed.
double largest_approach(const Wall& wall, const Vec3& centre, double time) {
  const WallMotion& motion = wall.motion;
  const bool sweeps_space =
      motion.turns() &&
      !std::visit([&](const auto& surface) { return turns_in_itself(surface, motion); }, wall.surface);
  if (!sweeps_space) return motion.largest_speed(0.0);
  const double reach = std::visit([&](const auto& surface) { return reach_from(surface, motion.pivot); }, wall.surface);
  return motion.largest_speed(std::min(reach, (centre - motion.pivot - motion.travel(time)).norm()));
}

bool is_endless(const Wall& wall) { return pose_of(wall) == nullptr; }

bool has_many_points(const Wall& wall) {
  if (std::holds_alternative<MeshSurface>(wall.surface)) return true;
  const auto* part = std::get_if<Part>(&wall.surface);
  return part != nullptr && part->shape && std::holds_alternative<Cluster>(part->shape->form);
}

namespace {

/// Cayley's form of a motion: x_1 - x_0 = shift + w x ((x_0 + x_1) / 2 - centre), |w| = 2 tan(angle / 2).
struct MidwayMotion {
  Vec3 shift, w, centre;
};

MidwayMotion midway(const Pose& from, const Pose& to) {
  const Eigen::AngleAxisd turn(to.turn * from.turn.transpose());
  return {to.position - from.position, 2.0 * std::tan(0.5 * turn.angle()) * turn.axis(),
          0.5 * (from.position + to.position)};
}

}  // namespace

Vec3 shift_at(const Wall& now, const Wall& after, const Vec3& point) {
  const auto [shift, w, centre] = midway(*pose_of(now), *pose_of(after));
  return shift + w.cross(point - centre);
}

double largest_shift(const Wall& now, const Wall& after, const Vec3& centre, double radius) {
  return shift_at(now, after, centre).norm() + midway(*pose_of(now), *pose_of(after)).w.norm() * radius;
}

Wall at_time(const Wall& wall, double time) {
  Wall result = wall;
  if (!wall.motion.is_rest())
    result.surface =
        std::visit([&](const auto& surface) -> WallSurface { return moved(surface, wall.motion, time); }, wall.surface);
  return result;
}

std::vector<Wall> container(const std::string& name, const Box& inside, int material, bool open_top) {
  std::vector<Wall> walls;
  const char* const axes[3] = {"x", "y", "z"};
  for (int axis = 0; axis < 3; ++axis) {
    walls.push_back({name + "-lower-" + axes[axis], Plane{inside.lower, Vec3::Unit(axis)}, material});
    if (axis == 2 && open_top) continue;
    walls.push_back({name + "-upper-" + axes[axis], Plane{inside.upper, -Vec3::Unit(axis)}, material});
  }
  return walls;
}

}  // namespace scree::model
