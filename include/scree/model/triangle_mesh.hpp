#pragma once

#include <array>
#include <string>
#include <vector>

#include "scree/model/geometry.hpp"

namespace scree::model {

/// The point of a triangle that is nearest to a given one.
struct NearestOnTriangle {
  Vec3 point;
  /// Which corners span the part of the triangle that it lies on, a bit for each: one corner, an edge, or the face (7).
  unsigned corners;
};
[[nodiscard]] NearestOnTriangle nearest_on_triangle(const std::array<Vec3, 3>& corners, const Vec3& point);

/// A surface of triangles, counter-clockwise seen from outside where it has one, in a tree of boxes that finds those
/// near a point.
class TriangleMesh {
 public:
  using Triangle = std::array<int, 3>;  ///< numbers of vertices: triangles that meet share them

  TriangleMesh(std::vector<Vec3> vertices, std::vector<Triangle> triangles);  ///< at least one

  [[nodiscard]] const std::vector<Vec3>& vertices() const { return vertices_; }
  [[nodiscard]] const std::vector<Triangle>& triangles() const { return triangles_; }
  [[nodiscard]] std::array<Vec3, 3> corners_of(int triangle) const;
  [[nodiscard]] const Box& bounds() const { return nodes_.front().box; }

  /// Calls `visit` with the number of each triangle that may be nearer than `reach` to the point (m).
  template <typename Visit>
  void visit_near(const Vec3& point, double reach, Visit&& visit) const {
    for (std::size_t k = 0; k < nodes_.size();) {
      const Node& node = nodes_[k];
      if (squared_distance(node.box, point) > reach * reach) {
        k = static_cast<std::size_t>(node.next);
        continue;
      }
      for (int t = node.first; t < node.last; ++t) visit(order_[static_cast<std::size_t>(t)]);
      ++k;
    }
  }

  /// The point of the surface that is nearest to a given one, and its triangle.
  struct Nearest {
    Vec3 point;
    int triangle;
  };
  [[nodiscard]] Nearest nearest(const Vec3& point) const;

  /// Whether any of the surface is within this distance of a point (m).
  [[nodiscard]] bool is_within(const Vec3& point, double distance) const;

 private:
  /// In the order of a walk that visits a node before those below it.
  struct Node {
    Box box;
    int first, last;  ///< its own triangles in order_, none but for leaves
    int next;         ///< the node that follows if nothing below this one is near
  };

  static double squared_distance(const Box& box, const Vec3& point) {
    return (point - point.cwiseMax(box.lower).cwiseMin(box.upper)).squaredNorm();
  }
  void build(int first, int last);
  [[nodiscard]] Nearest find_nearest(const Vec3& point, double squared_limit, bool any) const;

  std::vector<Vec3> vertices_;
  std::vector<Triangle> triangles_;
  std::vector<int> order_;
  std::vector<Node> nodes_;
};

/// What is wrong with the surface of a solid, and at which triangle (from 0).
struct MeshFlaw {
  int triangle;
  std::string what;
};
/// Throws nothing; finds the first place where a mesh is not the closed surface of a solid, turned outwards. An empty
/// text means that there is none.
[[nodiscard]] MeshFlaw flaw_of_solid(const TriangleMesh& mesh);

}  // namespace scree::model
