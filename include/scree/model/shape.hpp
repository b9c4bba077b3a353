#pragma once

#include <string>
#include <variant>
#include <vector>

#include "scree/model/bodies.hpp"
#include "scree/model/geometry.hpp"

namespace scree::model {

/// Forms of bodies that are no spheres, convex all of them, about their centre.
struct Cuboid {
  Vec3 half;  ///< half the edges (m)
};
struct Capsule {
  double radius;  ///< m
  double half;    ///< from the centre to the centre of either cap, along z (m)
};
struct Cylinder {
  double radius;  ///< m
  double half;    ///< half the height, along z (m)
};
struct Hull {
  std::vector<Vec3> vertices;           ///< m
  std::vector<std::vector<int>> faces;  ///< vertices, counter-clockwise seen from outside
};
using Form = std::variant<Cuboid, Capsule, Cylinder, Hull>;

/// A form with what follows from it, shared by all bodies that have it. Its frame is that of the principal axes.
struct Shape {
  std::string name;
  Form form;
  double radius;  ///< of the sphere about the centre of mass that contains it (m)
  double volume;  ///< m^3
  Vec3 moments;   ///< principal moments of inertia by density (m^5)
  Quat given;     ///< from the frame of the principal axes to that in which the form was given
};

/// Moves a hull to its centre of mass and turns it to its principal axes. Throws InputError, with the name of the
/// shape, for a form without volume.
[[nodiscard]] Shape make_shape(std::string name, Form form);

/// A homogeneous body of shapes[number] at rest. `attitude` turns the frame in which the form was given to the world.
[[nodiscard]] Body make_body(std::int64_t id, const Vec3& position, const Quat& attitude,
                             const std::vector<Shape>& shapes, int number, double density, int material);

}  // namespace scree::model
