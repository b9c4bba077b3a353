#pragma once

#include "scree/model/geometry.hpp"
#include "scree/model/shape.hpp"

namespace scree::model {

/// Where a point is against a surface: the direction from there to the point, and how far it is outside (m).
struct Outside {
  Vec3 normal;
  double distance;  ///< negative inside; exact but for parts of clusters that overlap
};
[[nodiscard]] Outside outside(const Form& form, const Vec3& point);
[[nodiscard]] Outside outside(const Part& part, const Vec3& point);

}  // namespace scree::model
