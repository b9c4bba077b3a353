#include "scree/model/joint.hpp"

#include <algorithm>

namespace scree::model {

const std::vector<JointKindInfo>& joint_kinds() {
  static const std::vector<JointKindInfo> all = {
      {JointKind::ball, "ball", false, false, false},        {JointKind::hinge, "hinge", true, true, true},
      {JointKind::slider, "slider", true, true, true},       {JointKind::fixed, "fixed", false, false, false},
      {JointKind::distance, "distance", false, true, false},
  };
  return all;
}

const JointKindInfo& info_of(JointKind kind) { return *std::ranges::find(joint_kinds(), kind, &JointKindInfo::kind); }

namespace {

/// Notes an anchor and the joint's frame, both given in the world frame, in the frame of one end.
void attach(const Body* body, const Vec3& anchor, const Quat& frame, double (&own_anchor)[3], double (&own_frame)[4]) {
  const Quat attitude = body != nullptr ? Quat(body->attitude) : Quat::Identity();
  const Vec3 origin = body != nullptr ? Vec3(body->position) : Vec3(Vec3::Zero());
  Vec3::Map(own_anchor) = attitude.conjugate() * (anchor - origin);
  Eigen::Vector4d::Map(own_frame) = (attitude.conjugate() * frame).coeffs();
}

}  // namespace

Joint make_joint(std::int64_t id, JointKind kind, const Body& first, const Body* second, const JointPlace& place) {
  Joint joint{};
  joint.id = id;
  joint.kind = kind;
  joint.first = first.id;
  joint.second = second != nullptr ? second->id : world_id;
  const Quat frame = Quat::FromTwoVectors(Vec3::UnitX(), place.axis);
  attach(&first, place.first_anchor, frame, joint.anchor[0], joint.frame[0]);
  attach(second, place.second_anchor, frame, joint.anchor[1], joint.frame[1]);
  joint.length = (place.second_anchor - place.first_anchor).norm();
  joint.lower = -Joint::unlimited;
  joint.upper = Joint::unlimited;
  return joint;
}

Joint make_joint(std::int64_t id, JointKind kind, const Body& first, const Body* second, const Vec3& anchor,
                 const Vec3& axis) {
  return make_joint(id, kind, first, second, {anchor, anchor, axis});
}

}  // namespace scree::model
