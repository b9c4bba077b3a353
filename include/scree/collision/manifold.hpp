#pragma once

#include <array>
#include <vector>

#include "scree/model/geometry.hpp"
#include "scree/model/outside.hpp"
#include "scree/model/shape.hpp"
#include "scree/model/wall.hpp"

namespace scree::collision {

/// A body where it is, as far as its surface goes.
struct Placed {
  const model::Shape* shape;  ///< none: a sphere
  double radius;              ///< m
  model::Vec3 position;
  model::Mat3 turn;  ///< from the body to the world frame

  [[nodiscard]] model::Vec3 to_world(const model::Vec3& local) const { return position + turn * local; }
  [[nodiscard]] model::Vec3 to_body(const model::Vec3& point) const { return turn.transpose() * (point - position); }
};

[[nodiscard]] Placed placed(const model::Bodies& bodies, int index);
[[nodiscard]] Placed placed(const model::Body& body, const std::vector<model::Shape>& shapes);
[[nodiscard]] Placed placed(const model::Part& part, const model::Pose& where = {});

/// Calls `visit` with each part of a cluster, or with the body itself if it is none.
template <typename Visit>
void for_each_part(const Placed& body, Visit&& visit) {
  const auto* cluster = body.shape == nullptr ? nullptr : std::get_if<model::Cluster>(&body.shape->form);
  if (cluster == nullptr) return visit(body);
  for (const model::Part& part : cluster->parts) for_each_part(placed(part, {body.position, body.turn}), visit);
}

/// Where two surfaces are near each other.
struct Touch {
  model::Vec3 point;   ///< half-way between the surfaces
  model::Vec3 normal;  ///< unit vector from the first body to the second
  double gap;          ///< m, negative when they overlap
};

/// The part of a surface that faces a direction: the vertices of a face, counter-clockwise seen from outside, or the
/// two ends of a line where the surface is round.
void find_facing(const Placed& body, const model::Vec3& direction, std::vector<model::Vec3>& corners);

/// The nearest point of a body that is no sphere to a sphere.
[[nodiscard]] Touch touch_sphere(const Placed& body, const model::Vec3& centre, double radius);

/// Points of a body that may touch a plane or a tube, with gaps of at most `reach`.
void touch_wall(const Placed& body, const model::Wall& wall, double reach, std::vector<Touch>& touches);

/// Of more than `count` touches from number `first` on, keeps the deepest, then those farthest from all that are kept.
void keep_spread_out(std::vector<Touch>& touches, std::size_t first, std::size_t count);

/// Of touches from number `first` on that lie in one plane and have one normal, keeps those at the corners of their
/// convex hull, up to `slack` (m), and the deepest: a flat face presses on nothing else.
void keep_corners(std::vector<Touch>& touches, std::size_t first, double slack);

/// Finds all points where two faces that are near each other along a normal overlap, seen along it.
class Clipper {
 public:
  /// Adds the points with gaps of at most `reach`, at most `most_points` of them. Leaves `touches` alone and gives back
  /// false if the parts that face each other do not tell: two lines that cross, or a face seen from the edge.
  [[nodiscard]] bool clip(const Placed& a, const Placed& b, const model::Vec3& normal, double reach,
                          std::vector<Touch>& touches);

  /// The same where the second body is a triangle, seen from either side.
  [[nodiscard]] bool clip(const Placed& a, const std::array<model::Vec3, 3>& triangle, const model::Vec3& normal,
                          double reach, std::vector<Touch>& touches);

  static constexpr std::size_t most_points = 8;  ///< two quadrangles overlap in an octagon at most

 private:
  struct Side {
    std::vector<model::Vec3> corners;
    model::Vec3 outward;  ///< of a face: unit vector
    double sign;          ///< of the normal against it

    [[nodiscard]] bool is_face() const { return corners.size() >= 3; }
  };

  [[nodiscard]] bool clip_sides(model::Vec3 normal, double reach, std::vector<Touch>& touches);
  [[nodiscard]] bool clip_lines(const model::Vec3& normal, std::vector<Touch>& touches) const;
  void cut_by(const Side& reference, const model::Vec3& normal);
  void cut_by_edge(const model::Vec3& from, const model::Vec3& inward, double slack, bool closed);
  void add_touches(const Side& reference, const model::Vec3& normal, double reach, std::vector<Touch>& touches);

  Side sides_[2];
  std::vector<model::Vec3> polygon_, cut_;
};

}  // namespace scree::collision
