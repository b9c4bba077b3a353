#include "scree/io/scene_joints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace scree::io {

using model::Body;
using model::Joint;
using model::JointKind;
using model::JointKindInfo;
using model::JointPlace;
using model::Vec3;

namespace {

/// The body that an entry names, by its name or by its number in `bodies`.
const Body& body_named(const Entry& entry, const NamedBodies& bodies) {
  const std::string text = entry.text();
  if (const auto found = std::ranges::find(bodies.names, text); found != bodies.names.end())
    return bodies.bodies[static_cast<std::size_t>(found - bodies.names.begin())];
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc{} || end != text.data() + text.size())
    entry.fail(
        fmt::format("there is no body of the name '{}': give it to an entry of 'bodies' without a 'motion'", text));
  if (index >= bodies.bodies.size())
    entry.fail(fmt::format("there are only {} entries in 'bodies', counted from 0", bodies.bodies.size()));
  return bodies.bodies[index];
}

struct Ends {
  const Body* first;
  const Body* second;  ///< or null: the world
};

Ends read_ends(const Entry& entry, const NamedBodies& bodies) {
  const Entry list = entry.at("bodies");
  const std::vector<Entry> items = list.items();
  if (items.empty() || items.size() > 2) list.fail("must name one body, which is then joined to the world, or two");
  const Ends ends{&body_named(items[0], bodies), items.size() > 1 ? &body_named(items[1], bodies) : nullptr};
  if (ends.first == ends.second) list.fail("names the same body twice: a joint needs two");
  return ends;
}

JointPlace read_place(const Entry& entry, const JointKindInfo& kind, const Ends& ends) {
  JointPlace place;
  if (kind.kind == JointKind::distance) {
    place.first_anchor = Vec3(ends.first->position);
    if (ends.second != nullptr) place.second_anchor = Vec3(ends.second->position);
    if (const auto anchors = entry.find("anchors")) {
      const std::vector<Entry> items = anchors->items();
      if (items.size() != 2) anchors->fail("must be two points, one on each body");
      place.first_anchor = items[0].vector();
      place.second_anchor = items[1].vector();
    } else if (ends.second == nullptr) {
      entry.fail("needs the key 'anchors': a point on the body and one in the world");
    }
    return place;
  }
  place.first_anchor = place.second_anchor = entry.at("anchor").vector();
  if (kind.has_axis) place.axis = entry.at("axis").direction();
  return place;
}

/// A key that this kind of joint has no use for is a mistake.
void refuse_unused(const Entry& entry, const JointKindInfo& kind) {
  const auto refuse = [&](const char* key, bool used) {
    if (const auto given = entry.find(key); given && !used)
      given->fail(fmt::format("a joint of kind '{}' has none: leave it out", kind.name));
  };
  const bool is_distance = kind.kind == JointKind::distance;
  refuse("anchor", !is_distance);
  refuse("anchors", is_distance);
  refuse("length", is_distance);
  refuse("axis", kind.has_axis);
  refuse("limits", kind.takes_limits);
  refuse("motor", kind.takes_motor);
  refuse("angular_compliance", !is_distance && kind.kind != JointKind::ball);
}

void read_limits(const Entry& entry, Joint& joint) {
  const auto limits = entry.find("limits");
  if (!limits) return;
  const std::vector<Entry> items = limits->items();
  if (items.size() != 2) limits->fail("must be two numbers: the lower and the upper limit");
  joint.lower = items[0].number();
  joint.upper = items[1].number();
  if (joint.lower > joint.upper) limits->fail("the lower limit must not exceed the upper one");
}

}  // namespace

Joint read_joint(const Entry& entry, std::int64_t id, const NamedBodies& bodies) {
  std::vector<std::string> names;
  for (const JointKindInfo& info : model::joint_kinds()) names.emplace_back(info.name);
  const JointKindInfo& kind = model::joint_kinds()[entry.at("kind").choice(names)];
  refuse_unused(entry, kind);
  const Ends ends = read_ends(entry, bodies);
  Joint joint = make_joint(id, kind.kind, *ends.first, ends.second, read_place(entry, kind, ends));
  if (const auto length = entry.find("length")) joint.length = length->positive();
  read_limits(entry, joint);
  if (const auto motor = entry.find("motor")) {
    const std::string strength = kind.kind == JointKind::hinge ? "torque" : "force";
    const std::string other = kind.kind == JointKind::hinge ? "force" : "torque";
    if (const auto given = motor->find(other))
      given->fail(fmt::format("the motor of a joint of kind '{}' has a '{}'", kind.name, strength));
    joint.motor_speed = motor->at("speed").number();
    joint.motor_limit = motor->at(strength).positive();
  }
  if (const auto value = entry.find("compliance")) joint.compliance = value->non_negative();
  if (const auto value = entry.find("angular_compliance")) joint.angular_compliance = value->non_negative();
  if (const auto value = entry.find("damping")) joint.damping = value->non_negative();
  if (const auto value = entry.find("collide")) joint.collides = value->flag() ? 1 : 0;
  return joint;
}

void read_stabilisation(const Entry& entry, dynamics::Stabilisation& stabilisation) {
  std::vector<std::string> names;
  for (const auto& info : dynamics::stabilisations()) names.emplace_back(info.name);
  if (const auto kind = entry.find("kind")) stabilisation.kind = dynamics::stabilisations()[kind->choice(names)].kind;
  if (const auto gain = entry.find("gain")) {
    if (stabilisation.kind != dynamics::StabilisationKind::baumgarte)
      gain->fail("only the kind 'baumgarte' has a gain: choose that kind or leave it out");
    stabilisation.gain = gain->within(0.0, 1.0);
  }
  if (const auto value = entry.find("compliance")) stabilisation.compliance = value->non_negative();
  if (const auto value = entry.find("damping")) stabilisation.damping = value->non_negative();
}

}  // namespace scree::io
