#pragma once

#include "scree/model/geometry.hpp"

namespace scree::model {

class TriangleMesh;
struct Hull;

/// Volume (m^3), first (m^4) and second (m^5, integrals of x x^T) moments of a solid of density 1.
struct Solid {
  double volume = 0.0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();

  /// Adds the tetrahedron between the origin and a triangle. Summed up over a closed surface, signs make what lies
  /// outside cancel.
  void add_tetrahedron(const Vec3& a, const Vec3& b, const Vec3& c);
};

[[nodiscard]] Solid solid_of(const Hull& hull);
[[nodiscard]] Solid solid_of(const TriangleMesh& mesh);  ///< of a closed mesh, exactly

/// Where the principal axes of inertia of a solid lie.
struct PrincipalAxes {
  Vec3 centre;   ///< of mass
  Mat3 turn;     ///< from the frame of the axes to that of the solid
  Vec3 moments;  ///< about them (m^5)
};
[[nodiscard]] PrincipalAxes principal_axes(const Solid& solid);

}  // namespace scree::model
