#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "scree/model/geometry.hpp"

namespace scree::model {

/// How many periods an image of a body is away from the body itself, along each axis.
using Image = Eigen::Vector3i;

/// Space that repeats itself in some directions: what leaves it on one side comes in on the other.
struct Periodicity {
  Vec3 lower = Vec3::Zero();   ///< where a period begins (m)
  Vec3 length = Vec3::Zero();  ///< of a period (m); 0: space does not repeat itself along this axis

  [[nodiscard]] bool along(int axis) const { return length[axis] > 0.0; }
  [[nodiscard]] bool any() const { return along(0) || along(1) || along(2); }
  [[nodiscard]] double shortest() const {
    double result = std::numeric_limits<double>::infinity();
    for (int axis = 0; axis < 3; ++axis)
      if (along(axis)) result = std::min(result, length[axis]);
    return result;
  }

  /// The same point of space in the first period: at least `lower`, below `lower + length`.
  [[nodiscard]] Vec3 wrapped(Vec3 point) const {
    for (int axis = 0; axis < 3; ++axis) {
      if (!along(axis) || !std::isfinite(point[axis])) continue;
      point[axis] -= length[axis] * std::floor((point[axis] - lower[axis]) / length[axis]);
      if (point[axis] >= lower[axis] + length[axis]) point[axis] = lower[axis];  // rounding
    }
    return point;
  }

  [[nodiscard]] Vec3 shift_of(const Image& image) const { return length.cwiseProduct(image.cast<double>()); }
};

/// In a period at least so long (m) no body touches its own image, and no two bodies have two pairs of images with
/// surfaces nearer than `reach`: so two body ids name one contact, in periodic space too.
[[nodiscard]] inline double shortest_period(double largest_radius, double reach) {
  return 4.0 * largest_radius + 2.0 * reach;
}

}  // namespace scree::model
