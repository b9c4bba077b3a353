#pragma once

#include <string>
#include <variant>
#include <vector>

#include "scree/model/geometry.hpp"
#include "scree/model/wall_motion.hpp"

namespace scree::model {

/// The half-space behind `point` is solid; `normal` is a unit vector into the free side.
struct Plane {
  Vec3 point;
  Vec3 normal;
};

/// The inside of an infinite circular tube is free.
struct Tube {
  Vec3 point;  ///< on the axis
  Vec3 axis;   ///< unit vector
  double radius;
};

using WallSurface = std::variant<Plane, Tube>;

/// A surface that contacts do not move: it stands still or follows its own motion. Walls are known to every rank.
struct Wall {
  std::string name;
  WallSurface surface;  ///< at time 0
  int material = 0;     ///< index into the scene's materials
  WallMotion motion{};
};

/// The same wall with its surface where it is at some time (s).
[[nodiscard]] Wall at_time(const Wall& wall, double time);

/// The wall, at time 0 as in the scene, comes no faster than this to a sphere that has its centre here at `time` (m/s).
/// A drum that turns about its own axis and a plane that turns in itself come no nearer at all.
[[nodiscard]] double largest_approach(const Wall& wall, const Vec3& centre, double time);

/// Where a sphere is nearest to a wall.
struct WallGap {
  double gap;   ///< distance between the surfaces, negative when they overlap (m)
  Vec3 normal;  ///< unit vector from the sphere to the wall
};
[[nodiscard]] WallGap gap_to_wall(const Wall& wall, const Vec3& centre, double radius);

/// The six planes (five if `open_top`) that keep bodies inside a box.
[[nodiscard]] std::vector<Wall> container(const std::string& name, const Box& inside, int material, bool open_top);

}  // namespace scree::model
