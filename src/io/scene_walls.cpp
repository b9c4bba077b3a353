#include "scree/io/scene_walls.hpp"

#include <cmath>
#include <variant>

namespace scree::io {

using model::Vec3;

namespace {

/// Walls of one entry move as one body, by default about its own middle.
Vec3 default_pivot(const Entry& shape, const std::string& kind) {
  if (kind != "container") return shape.at("point").vector();
  return 0.5 * (shape.at("lower").vector() + shape.at("upper").vector());
}

}  // namespace

void read_motion(const Entry& entry, const Entry& shape, const std::string& kind, std::vector<model::Wall>& walls) {
  model::WallMotion motion;
  if (const auto value = entry.find("velocity")) motion.velocity = value->vector();
  if (entry.has("amplitude") != entry.has("frequency")) {
    entry.fail("a shake needs both 'amplitude' and 'frequency'");
  }
  if (const auto value = entry.find("amplitude")) motion.amplitude = value->vector();
  if (const auto value = entry.find("frequency")) motion.frequency = value->positive();
  if (const auto value = entry.find("phase")) motion.phase = value->number();
  if (const auto value = entry.find("spin")) motion.spin = value->vector();
  motion.pivot = default_pivot(shape, kind);
  if (const auto value = entry.find("pivot")) motion.pivot = value->vector();
  if (const auto belt = entry.find("belt")) {
    motion.belt = belt->vector();
    const auto* plane = std::get_if<model::Plane>(&walls.front().surface);
    if (kind != "plane") belt->fail("only a plane can run as a belt: give a cylinder a 'spin'");
    if (std::abs(plane->normal.dot(motion.belt)) > 1e-9 * motion.belt.norm()) {
      belt->fail("must run along the plane: take away the part along 'normal', or use 'velocity'");
    }
  }
  for (model::Wall& wall : walls) wall.motion = motion;
}

}  // namespace scree::io
