#pragma once

#include <memory>
#include <vector>

#include "scree/collision/manifold.hpp"

namespace scree::collision {

/// Finds where two bodies of any shapes touch. The distance between convex bodies and the direction in which they
/// overlap least come from Bullet, the points from clipping the faces that look at each other.
class ShapeContacts {
 public:
  explicit ShapeContacts(const std::vector<model::Shape>& shapes);  ///< which must outlive it
  ~ShapeContacts();
  ShapeContacts(ShapeContacts&&) noexcept;
  ShapeContacts& operator=(ShapeContacts&&) noexcept;

  /// Adds all points of two bodies with gaps of at most `reach` (m): one if one of them is a sphere, else up to
  /// Clipper::most_points.
  void find(const Placed& a, const Placed& b, double reach, std::vector<Touch>& touches);

 private:
  class Distance;

  void find_convex(const Placed& a, const Placed& b, double reach, std::vector<Touch>& touches);

  std::unique_ptr<Distance> distance_;
  Clipper clipper_;
};

/// The convex hull of points (m). Throws InputError, with the name of the shape, if they lie in a plane.
[[nodiscard]] model::Hull hull_of_points(const std::string& name, const std::vector<model::Vec3>& points);

}  // namespace scree::collision
