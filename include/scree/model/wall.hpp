#pragma once

#include <string>
#include <variant>
#include <vector>

#include "scree/model/geometry.hpp"

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

/// A fixed surface. Walls are known to every rank.
struct Wall {
  std::string name;
  std::variant<Plane, Tube> surface;
  int material = 0;  ///< index into the scene's materials
};

/// Where a sphere is nearest to a wall.
struct WallGap {
  double gap;   ///< distance between the surfaces, negative when they overlap (m)
  Vec3 normal;  ///< unit vector from the sphere to the wall
};
[[nodiscard]] WallGap gap_to_wall(const Wall& wall, const Vec3& centre, double radius);

/// The six planes (five if `open_top`) that keep bodies inside a box.
[[nodiscard]] std::vector<Wall> container(const std::string& name, const Box& inside, int material, bool open_top);

}  // namespace scree::model
