#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "scree/model/geometry.hpp"
#include "scree/model/shape.hpp"
#include "scree/model/triangle_mesh.hpp"
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

/// Triangles that bodies touch from either side.
struct MeshSurface {
  std::shared_ptr<const TriangleMesh> mesh;
  Pose pose = {};
};

/// A wall that is a Part has the form of a body: it is what moves as its own motion says, whatever touches it.
using WallSurface = std::variant<Plane, Tube, Part, MeshSurface>;

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

/// Whether a wall is a plane or a tube, whose free side is convex.
[[nodiscard]] bool is_endless(const Wall& wall);

/// Whether spheres may touch a wall in several points.
[[nodiscard]] bool has_many_points(const Wall& wall);

/// How far the material of a wall that is a Part or a MeshSurface moves at a point, from `now` to `after` (m): the
/// mid-point rule, exact for travel, and for turns where the point is half-way on the way of the material.
[[nodiscard]] Vec3 shift_at(const Wall& now, const Wall& after, const Vec3& point);

/// The material moves no further than this within a sphere (m).
[[nodiscard]] double largest_shift(const Wall& now, const Wall& after, const Vec3& centre, double radius);

/// Where a sphere is nearest to a wall.
struct WallGap {
  double gap;   ///< distance between the surfaces, negative when they overlap (m)
  Vec3 normal;  ///< unit vector from the sphere to the wall
};
[[nodiscard]] WallGap gap_to_wall(const Wall& wall, const Vec3& centre, double radius);

/// Whether the surface of a sphere is nearer than `reach` to a wall (m): cheap where it is far from a mesh.
[[nodiscard]] bool is_near(const Wall& wall, const Vec3& centre, double radius, double reach);

/// The six planes (five if `open_top`) that keep bodies inside a box.
[[nodiscard]] std::vector<Wall> container(const std::string& name, const Box& inside, int material, bool open_top);

}  // namespace scree::model
