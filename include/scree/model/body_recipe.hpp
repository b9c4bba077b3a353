#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scree/model/bodies.hpp"
#include "scree/model/geometry.hpp"
#include "scree/model/random.hpp"
#include "scree/model/shape.hpp"

namespace scree::model {

/// How radii are spread between the smallest and the largest.
struct Sizes {
  enum class Kind { uniform, log_normal, table };
  struct Class {
    double radius;  ///< m
    double share;   ///< of the number of bodies; all shares together may be any number
  };

  Kind kind = Kind::uniform;
  double median = 0.0;              ///< log_normal (m)
  double deviation = 0.0;           ///< log_normal: standard deviation of the logarithm of radii
  std::vector<Class> classes = {};  ///< table
};

/// What bodies that are made in numbers are like.
struct BodyRecipe {
  double radius_min = 0.0;                    ///< m
  double radius_max = 0.0;                    ///< m
  Sizes sizes = {};                           ///< of radii between the two
  std::optional<double> mass = std::nullopt;  ///< kg of every body, instead of the density of the material
  double density = 1000.0;                    ///< kg/m^3
  Vec3 velocity = Vec3::Zero();               ///< m/s
  int material = 0;
  int shape = sphere;  ///< of all bodies; radii are then that of the shape
  bool turned = true;  ///< bodies with a shape are turned at random
};

[[nodiscard]] double random_radius(const BodyRecipe& recipe, Draws& draws);

/// Of very many bodies, to a few per cent.
[[nodiscard]] double mean_radius(const BodyRecipe& recipe);

/// A body by a recipe. `radius` is that of a sphere; bodies with a shape have its own.
[[nodiscard]] Body make_body(const BodyRecipe& recipe, const std::vector<Shape>& shapes, std::int64_t id,
                             const Vec3& position, double radius, Draws& draws);

}  // namespace scree::model
