#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace scree::model {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;
using Quat = Eigen::Quaterniond;

/// Where a frame lies in another one.
struct Pose {
  Vec3 position = Vec3::Zero();
  Mat3 turn = Mat3::Identity();

  [[nodiscard]] Vec3 outwards(const Vec3& local) const { return position + turn * local; }
  [[nodiscard]] Vec3 inwards(const Vec3& point) const { return turn.transpose() * (point - position); }
  /// The frame of which this one knows the pose, seen from here.
  [[nodiscard]] Pose outwards(const Pose& local) const { return {outwards(local.position), turn * local.turn}; }
};

/// An axis-parallel box.
struct Box {
  Vec3 lower;
  Vec3 upper;

  [[nodiscard]] bool contains(const Vec3& point) const {
    return (point.array() >= lower.array()).all() && (point.array() <= upper.array()).all();
  }
};

}  // namespace scree::model
