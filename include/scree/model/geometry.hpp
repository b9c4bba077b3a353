#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace scree::model {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;
using Quat = Eigen::Quaterniond;

/// An axis-parallel box.
struct Box {
  Vec3 lower;
  Vec3 upper;

  [[nodiscard]] bool contains(const Vec3& point) const {
    return (point.array() >= lower.array()).all() && (point.array() <= upper.array()).all();
  }
};

}  // namespace scree::model
