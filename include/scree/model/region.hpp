#pragma once

#include <variant>

#include "scree/model/geometry.hpp"
#include "scree/model/random.hpp"

namespace scree::model {

/// An upright circular cylinder.
struct CylinderRegion {
  Vec3 bottom;    ///< centre of the lower face (m)
  double radius;  ///< m
  double height;  ///< m
};

/// Where bodies are made.
using Region = std::variant<Box, CylinderRegion>;

/// The smallest box around a region.
[[nodiscard]] Box bounds_of(const Region& region);

[[nodiscard]] double volume_of(const Region& region);

/// Whether a ball lies wholly in a region.
[[nodiscard]] bool holds(const Region& region, const Vec3& centre, double radius);

/// Any centre at which a ball lies wholly in a region, each as likely as any other. The region must be wide enough.
[[nodiscard]] Vec3 random_centre(const Region& region, double radius, Draws& draws);

}  // namespace scree::model
