#include "scree/dynamics/joint_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "scree/dynamics/rotation.hpp"

namespace scree::dynamics {

using model::Bodies;
using model::Joint;
using model::JointKind;
using model::Mat3;
using model::Quat;
using model::Vec3;
using problem::RowBlock;
using problem::RowBounds;

namespace {

constexpr int rows_per_block = 3;

struct Pose {
  Vec3 position = Vec3::Zero();
  Quat attitude = Quat::Identity();
};

struct Speed {
  Vec3 linear = Vec3::Zero();
  Vec3 spin = Vec3::Zero();
};

/// The place of a joint's end; that of the world is the origin.
Pose pose_of(const Bodies& bodies, int body) {
  if (body < 0) return {};
  return {bodies.position[static_cast<std::size_t>(body)], bodies.attitude[static_cast<std::size_t>(body)]};
}

Speed speed_of(const Bodies& bodies, int body) {
  if (body < 0) return {};
  return {bodies.velocity[static_cast<std::size_t>(body)], bodies.spin[static_cast<std::size_t>(body)]};
}

/// The places of both ends; in periodic space the second one is the image whose anchor is nearest to the first's.
struct Ends {
  Pose a, b;

  Ends(const Bodies& bodies, const PlacedJoint& placed) : a(pose_of(bodies, placed.a)), b(pose_of(bodies, placed.b)) {
    const Joint& joint = placed.joint;
    const Vec3 apart =
        b.position + b.attitude * Vec3(joint.anchor[1]) - a.position - a.attitude * Vec3(joint.anchor[0]);
    for (int axis = 0; axis < 3; ++axis)
      if (const double period = bodies.space.length[axis]; bodies.space.along(axis))
        b.position[axis] -= period * std::round(apart[axis] / period);
  }
};

Pose after_flight(const Pose& pose, const Speed& speed, double step) {
  return {pose.position + step * speed.linear, turned(pose.attitude, speed.spin, step)};
}

/// A joint as two places of its ends make it.
struct Geometry {
  Vec3 arm_a;     ///< from the centre of the first body to the anchor of the second (m)
  Vec3 arm_b;     ///< from the centre of the second body to its anchor (m)
  Vec3 apart;     ///< from the first anchor to the second (m)
  Mat3 axes;      ///< the joint's frame on the first body, column by column
  Quat relative;  ///< attitude of the second end in that frame

  Geometry(const Joint& joint, const Pose& a, const Pose& b)
      : arm_b(b.attitude * Vec3(joint.anchor[1])),
        apart(b.position + arm_b - a.position - a.attitude * Vec3(joint.anchor[0])) {
    // Impulses act at the second anchor on both bodies: what turns one, turns the other back, whatever the error.
    arm_a = b.position + arm_b - a.position;
    const Quat frame_a = a.attitude * Quat(joint.frame[0]), frame_b = b.attitude * Quat(joint.frame[1]);
    axes = frame_a.toRotationMatrix();
    relative = frame_a.conjugate() * frame_b;
    if (relative.w() < 0.0) relative.coeffs() *= -1.0;  // the shorter way round
  }

  /// The turn of the second end that is one too many, about the joint's axes (rad, to first order).
  [[nodiscard]] Vec3 twist() const { return 2.0 * relative.vec(); }
  /// By how much the second end's axis has left the first one's: turns about the second and third axis (rad).
  [[nodiscard]] Vec3 tilt() const {
    const Vec3 axis = relative * Vec3::UnitX();
    return {0.0, -axis.z(), axis.y()};
  }
  /// How far the first end is turned against the second about the axis, within half a turn (rad).
  [[nodiscard]] double angle() const { return -2.0 * std::atan2(relative.x(), relative.w()); }
};

/// One row: rate = linear.(v_b - v_a) + spin_a.omega_a + spin_b.omega_b of a quantity, and what may act along it.
struct Row {
  Vec3 linear = Vec3::Zero();
  Vec3 spin_a = Vec3::Zero();
  Vec3 spin_b = Vec3::Zero();
  double lower = 0.0;  ///< of the impulse (N s)
  double upper = 0.0;
  double offset = 0.0;
  double compliance = 0.0;

  [[nodiscard]] double rate(const Speed& a, const Speed& b) const {
    return linear.dot(b.linear - a.linear) + spin_a.dot(a.spin) + spin_b.dot(b.spin);
  }
  [[nodiscard]] Row reversed() const {
    Row row = *this;
    for (Vec3* part : {&row.linear, &row.spin_a, &row.spin_b}) *part = -*part;
    return row;
  }
};

/// The shift of the second anchor against the first body along a direction.
Row shift_along(const Geometry& geometry, const Vec3& direction) {
  return {direction, -geometry.arm_a.cross(direction), geometry.arm_b.cross(direction)};
}

/// The turn of the second body against the first about a direction, as a way on a circle of the given radius.
Row turn_about(const Vec3& direction, double radius) { return {Vec3::Zero(), -radius * direction, radius * direction}; }

/// Collects the rows of one joint.
class RowMaker {
 public:
  RowMaker(const Bodies& bodies, const PlacedJoint& placed, const Stabilisation& how, double step, const Vec3& gravity)
      : joint_(placed.joint),
        how_(how),
        step_(step),
        radius_(bodies.radius[static_cast<std::size_t>(placed.a)]),
        a_(speed_of(bodies, placed.a)),
        b_(speed_of(bodies, placed.b)),
        fall_a_{step * gravity, Vec3::Zero()},
        fall_b_{placed.b < 0 ? Vec3(Vec3::Zero()) : fall_a_.linear, Vec3::Zero()},
        ends_(bodies, placed),
        now_(joint_, ends_.a, ends_.b),
        then_(joint_, after_flight(ends_.a, a_, step), after_flight(ends_.b, b_, step)) {}

  [[nodiscard]] std::vector<Row> make(double angle) {
    switch (joint_.kind) {
      case JointKind::ball:
        hold_together();
        break;
      case JointKind::hinge:
        hold_together();
        for (const int axis : {1, 2}) hold_turn(axis, now_.tilt(), then_.tilt());
        drive_and_limit(turn_about(now_.axes.col(0), radius_).reversed(), radius_, angle);
        break;
      case JointKind::slider:
        for (const int axis : {1, 2}) hold_shift(axis);
        for (const int axis : {0, 1, 2}) hold_turn(axis, now_.twist(), then_.twist());
        drive_and_limit(shift_along(now_, now_.axes.col(0)).reversed(), 1.0, -now_.axes.col(0).dot(now_.apart));
        break;
      case JointKind::fixed:
        hold_together();
        for (const int axis : {0, 1, 2}) hold_turn(axis, now_.twist(), then_.twist());
        break;
      case JointKind::distance:
        keep_distance();
        break;
    }
    return std::move(rows_);
  }

 private:
  void add_held(Row row, double error_now, double error_then, double compliance) {
    RowState state{error_now, row.rate(a_, b_) - row.rate(fall_a_, fall_b_), 0.0, compliance, {}};
    state.curvature = (error_then - error_now) / step_ - row.rate(a_, b_);
    if (joint_.damping > 0.0) state.damping = joint_.damping;
    const RowCorrection correction = hold(how_, step_, state);
    row.lower = -HUGE_VAL, row.upper = HUGE_VAL;
    row.offset = correction.offset, row.compliance = correction.compliance;
    rows_.push_back(row);
  }

  void hold_together() {
    for (int axis = 0; axis < 3; ++axis)
      add_held(shift_along(now_, Vec3::Unit(axis)), now_.apart[axis], then_.apart[axis], joint_.compliance);
  }

  void hold_shift(int axis) {
    const auto error = [axis](const Geometry& g) { return g.axes.col(axis).dot(g.apart); };
    add_held(shift_along(now_, now_.axes.col(axis)), error(now_), error(then_), joint_.compliance);
  }

  void hold_turn(int axis, const Vec3& now, const Vec3& then) {
    add_held(turn_about(now_.axes.col(axis), radius_), radius_ * now[axis], radius_ * then[axis],
             radius_ * radius_ * joint_.angular_compliance);
  }

  /// `row` is the rate of the joint's value times `scale`.
  void drive_and_limit(Row row, double scale, double value) {
    if (joint_.has_motor()) {
      Row motor = row;
      motor.upper = joint_.motor_limit / scale * step_;
      motor.lower = -motor.upper;
      motor.offset = -scale * joint_.motor_speed;
      rows_.push_back(motor);
    }
    add_limits(row, scale * value, scale * joint_.lower, scale * joint_.upper);
  }

  void add_limits(const Row& row, double value, double lower, double upper) {
    if (!joint_.has_limits()) return;
    add_limit(row, value - lower);
    add_limit(row.reversed(), upper - value);
  }

  /// A row that must not become negative. Like contacts, limits enter before they are reached; until then, and if there
  /// is none, their row is absent: a large offset would only blur the measure of the residual.
  void add_limit(Row row, double room) {
    constexpr double margin = 0.1;  // radii
    if (room + step_ * std::min(0.0, row.rate(a_, b_)) > margin * radius_) {
      rows_.push_back({});
      return;
    }
    const double speed = row.rate(a_, b_) - row.rate(fall_a_, fall_b_);
    row.upper = HUGE_VAL;
    row.offset = keep_apart(how_, step_, {room, speed}).offset;
    rows_.push_back(row);
  }

  void keep_distance() {
    const double now = now_.apart.norm(), then = then_.apart.norm();
    const Vec3 direction = now > 0.0 ? Vec3(now_.apart / now) : Vec3(Vec3::UnitZ());  // any, if there is none
    const Row row = shift_along(now_, direction);
    if (joint_.has_limits()) {
      add_limits(row, now, joint_.lower, joint_.upper);
    } else {
      add_held(row, now - joint_.length, then - joint_.length, joint_.compliance);
    }
  }

  const Joint& joint_;
  const Stabilisation& how_;
  double step_;
  double radius_;
  Speed a_, b_;            ///< free
  Speed fall_a_, fall_b_;  ///< what gravity added to them
  Ends ends_;
  Geometry now_, then_;
  std::vector<Row> rows_;
};

/// The angle nearest to the last one, so that whole turns count.
double tracked_angle(double angle, double last) {
  constexpr double turn = 2.0 * std::numbers::pi;
  return angle + turn * std::round((last - angle) / turn);
}

void append(const std::vector<Row>& rows, const PlacedJoint& placed, JointRows& out) {
  for (std::size_t first = 0; first < rows.size(); first += rows_per_block) {
    RowBlock block{placed.a, placed.b, Mat3::Zero(), Mat3::Zero(), Mat3::Zero()};
    RowBounds bounds{};
    for (int c = 0; c < rows_per_block; ++c) {
      const std::size_t k = first + static_cast<std::size_t>(c);
      const Row row = k < rows.size() ? rows[k] : Row{};
      block.linear.row(c) = row.linear.transpose();
      block.spin_a.row(c) = row.spin_a.transpose();
      if (placed.b >= 0) block.spin_b.row(c) = row.spin_b.transpose();
      bounds.lower[c] = row.lower;
      bounds.upper[c] = row.upper;
      out.offset.push_back(row.offset);
      out.compliance.push_back(row.compliance);
    }
    out.blocks.push_back(block);
    out.bounds.push_back(bounds);
  }
  out.first_row.push_back(static_cast<int>(out.offset.size()));
}

}  // namespace

JointRows build_joint_rows(const Bodies& bodies, std::vector<PlacedJoint>& joints, const Stabilisation& how,
                           double step, const Vec3& gravity) {
  JointRows rows;
  for (PlacedJoint& placed : joints) {
    Joint& joint = placed.joint;
    if (joint.kind == JointKind::hinge) {
      const Ends ends(bodies, placed);
      const Geometry geometry(joint, ends.a, ends.b);
      joint.angle = tracked_angle(geometry.angle(), joint.angle);
    }
    append(RowMaker(bodies, placed, how, step, gravity).make(joint.angle), placed, rows);
  }
  return rows;
}

double gap_of(const Bodies& bodies, const PlacedJoint& placed) {
  const Ends ends(bodies, placed);
  const Geometry geometry(placed.joint, ends.a, ends.b);
  const double distance = geometry.apart.norm();
  switch (placed.joint.kind) {
    case JointKind::slider:
      return (geometry.apart - geometry.axes.col(0).dot(geometry.apart) * geometry.axes.col(0)).norm();
    case JointKind::distance:
      if (!placed.joint.has_limits()) return std::abs(distance - placed.joint.length);
      return std::max({0.0, placed.joint.lower - distance, distance - placed.joint.upper});
    default:
      return distance;
  }
}

}  // namespace scree::dynamics
