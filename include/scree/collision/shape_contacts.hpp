#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scree/collision/manifold.hpp"

namespace scree::collision {

/// Finds where two bodies of any shapes touch. The distance between convex bodies and the direction in which they
/// overlap least come from Bullet, the points from clipping the faces that look at each other.
class ShapeContacts {
 public:
  ShapeContacts();
  ~ShapeContacts();
  ShapeContacts(ShapeContacts&&) noexcept;
  ShapeContacts& operator=(ShapeContacts&&) noexcept;

  /// Adds all points of two bodies with gaps of at most `reach` (m): for each pair of their parts one if one of them is
  /// a sphere, else up to Clipper::most_points. Shapes, known again by their addresses, must outlive this.
  void find(const Placed& a, const Placed& b, double reach, std::vector<Touch>& touches);

  /// The same for a body and a mesh. A point of the mesh is touched where it is nearer to a part of the body than all
  /// points around it: what lies beside it on coplanar triangles does not count.
  void find(const Placed& body, const model::MeshSurface& surface, double reach, std::vector<Touch>& touches);

  /// The same for a body and a wall of any kind.
  void find(const Placed& body, const model::Wall& wall, double reach, std::vector<Touch>& touches);

 private:
  class Distance;
  /// A triangle of a mesh near a body.
  struct Near {
    int triangle;
    Touch touch;       ///< where they are nearest, in the world
    unsigned corners;  ///< of the part of the triangle that the point lies on, as in NearestOnTriangle
    bool is_deep;      ///< the body reaches so far through the triangle that only its face says where to
    bool is_nearest;   ///< the point is nearer than all of the mesh around it
  };

  void find_parts(const Placed& a, const Placed& b, double reach, std::vector<Touch>& touches);
  void find_convex(const Placed& a, const Placed& b, double reach, std::vector<Touch>& touches);
  void find_part_on_mesh(const Placed& body, const model::MeshSurface& surface, double reach,
                         std::vector<Touch>& touches);
  [[nodiscard]] std::optional<Near> nearest_on(const Placed& body, const std::array<model::Vec3, 3>& corners,
                                               double reach);
  [[nodiscard]] bool is_nearest_around(const Near& near, const Placed& body, const model::TriangleMesh& mesh) const;
  void add_points_beside(const Placed& body, const model::MeshSurface& surface, double reach,
                         std::vector<Touch>& touches);
  void add_points(const Placed& body, const std::array<model::Vec3, 3>& corners, const Near& near, double reach,
                  std::vector<Touch>& touches);

  std::unique_ptr<Distance> distance_;
  Clipper clipper_;
  std::vector<Near> near_;
};

/// The convex hull of points (m). Throws InputError, with the name of the shape, if they lie in a plane.
[[nodiscard]] model::Hull hull_of_points(const std::string& name, const std::vector<model::Vec3>& points);

}  // namespace scree::collision
