#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "scree/model/bodies.hpp"
#include "scree/model/geometry.hpp"

namespace scree::model {

enum class JointKind : std::int64_t {
  ball,      ///< the anchors coincide
  hinge,     ///< the anchors coincide, and the bodies turn against each other about the axis only
  slider,    ///< the bodies shift against each other along the axis only, and do not turn
  fixed,     ///< the bodies move as one
  distance,  ///< the distance between the anchors is constant, or within limits
};

struct JointKindInfo {
  JointKind kind;
  std::string_view name;
  bool has_axis;
  bool takes_limits;
  bool takes_motor;
};
[[nodiscard]] const std::vector<JointKindInfo>& joint_kinds();
[[nodiscard]] const JointKindInfo& info_of(JointKind kind);

inline constexpr std::int64_t world_id = -1;  ///< stands in place of a joint's second body

/// A joint with all that belongs to it: what travels between ranks and is kept in checkpoints. Its value is the angle
/// (hinge) or the way (slider) by which the first body has moved against the second one about or along the axis since
/// the joint was made, or the distance between the anchors.
struct Joint {
  static constexpr int max_rows = 9;

  std::int64_t id;  ///< unique in the whole run
  JointKind kind;
  std::int64_t first;   ///< body id
  std::int64_t second;  ///< body id, or world_id
  /// Of the first and of the second body, in its frame; of the world in that of the world.
  double anchor[2][3];        ///< m
  double frame[2][4];         ///< unit quaternion x, y, z, w from the joint's frame, whose x is the axis
  double length;              ///< distance joints: between the anchors (m)
  double lower, upper;        ///< limits of the value (rad or m); infinite: none
  double motor_speed;         ///< rate of the value that the motor strives for (rad/s or m/s)
  double motor_limit;         ///< its largest torque or force (N m or N); 0: no motor
  double compliance;          ///< by which the anchors part (m/N)
  double angular_compliance;  ///< by which the bodies turn against each other where they should not (rad/(N m))
  double damping;             ///< time in which an error fades (s); 0: that of all constraints
  std::int64_t collides;      ///< not 0: the two bodies may touch each other
  double angle;               ///< hinges: the value in the last step, whole turns included (rad)
  double impulse[max_rows];   ///< of the last step, row by row (N s): the memory for warm starts

  [[nodiscard]] bool has_limits() const { return lower > -unlimited || upper < unlimited; }
  [[nodiscard]] bool has_motor() const { return motor_limit > 0.0; }

  static constexpr double unlimited = std::numeric_limits<double>::infinity();
};

/// Where a joint is, in the world frame.
struct JointPlace {
  Vec3 first_anchor;
  Vec3 second_anchor;
  Vec3 axis = Vec3::UnitX();  ///< unit vector
};

/// A rigid joint between two bodies as they are, without limits and motor; `second` may be null: the world.
[[nodiscard]] Joint make_joint(std::int64_t id, JointKind kind, const Body& first, const Body* second,
                               const JointPlace& place);

/// The same for kinds whose anchors coincide.
[[nodiscard]] Joint make_joint(std::int64_t id, JointKind kind, const Body& first, const Body* second,
                               const Vec3& anchor, const Vec3& axis = Vec3::UnitX());

}  // namespace scree::model
