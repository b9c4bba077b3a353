#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "scree/model/bodies.hpp"
#include "scree/model/geometry.hpp"
#include "scree/model/solid.hpp"

namespace scree::model {

struct Shape;

/// A sphere or a shape at its place in the frame of something larger.
struct Part {
  std::shared_ptr<const Shape> shape;  ///< none: a sphere
  double radius;                       ///< of the sphere, or of that around the shape (m)
  Pose pose;                           ///< of the centre and the principal axes
};

/// Forms of bodies that are no spheres, about their centre. All but clusters are convex.
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
struct Cluster {
  std::vector<Part> parts;
};
using Form = std::variant<Cuboid, Capsule, Cylinder, Hull, Cluster>;

/// A form with what follows from it, shared by all bodies that have it. Its frame is that of the principal axes.
struct Shape {
  std::string name;
  Form form;
  double radius;  ///< of the sphere about the centre of mass that contains it (m)
  double volume;  ///< m^3
  Vec3 moments;   ///< principal moments of inertia by density (m^5)
  Quat given;     ///< from the frame of the principal axes to that in which the form was given
};

/// Moves a hull or a cluster to its centre of mass and turns it to its principal axes. Parts of a cluster count in full
/// where they overlap. Mass, centre and axes of a hull or a cluster are those of `solid`, if given. Throws InputError,
/// with the name of the shape, for a form without volume.
[[nodiscard]] Shape make_shape(std::string name, Form form, const std::optional<Solid>& solid = std::nullopt);

/// The part that a shape makes whose centre is at `position`; `turn` turns the frame in which it was given.
[[nodiscard]] Part make_part(const std::shared_ptr<const Shape>& shape, const Vec3& position, const Quat& turn);
[[nodiscard]] inline Part make_part(double radius, const Vec3& position) { return {nullptr, radius, {position}}; }

/// A homogeneous body of shapes[number] at rest. `attitude` turns the frame in which the form was given to the world.
[[nodiscard]] Body make_body(std::int64_t id, const Vec3& position, const Quat& attitude,
                             const std::vector<Shape>& shapes, int number, double density, int material);

}  // namespace scree::model
