#include "scree/model/wall.hpp"

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

}  // namespace

WallGap gap_to_wall(const Wall& wall, const Vec3& centre, double radius) {
  return std::visit([&](const auto& surface) { return gap_to(surface, centre, radius); }, wall.surface);
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

constexpr double rounding = 1e-12;

bool turns_in_itself(const Plane& plane, const WallMotion& motion) {
  return plane.normal.cross(motion.spin).norm() <= rounding * motion.spin.norm();
}

bool turns_in_itself(const Tube& tube, const WallMotion& motion) {
  return tube.axis.cross(motion.spin).norm() <= rounding * motion.spin.norm() &&
         tube.axis.cross(motion.pivot - tube.point).norm() <= rounding * tube.radius;
}

}  // namespace

double largest_approach(const Wall& wall, const Vec3& centre, double time) {
  const WallMotion& motion = wall.motion;
  const bool sweeps_space =
      motion.turns() &&
      !std::visit([&](const auto& surface) { return turns_in_itself(surface, motion); }, wall.surface);
  return motion.largest_speed(sweeps_space ? (centre - motion.pivot - motion.travel(time)).norm() : 0.0);
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
