#include "scree/io/scene_walls.hpp"

#include <cmath>
#include <variant>

namespace scree::io {

using model::Vec3;

namespace {

model::Box read_container(const Entry& shape) {
  const model::Box inside{shape.at("lower").vector(), shape.at("upper").vector()};
  if (!(inside.lower.array() < inside.upper.array()).all()) {
    shape.fail("leaves no room: 'lower' must be below 'upper' in x, y and z");
  }
  return inside;
}

/// Walls of one entry move as one body, by default about its own middle.
Vec3 default_pivot(const Entry& entry, const std::string& kind, const model::Wall& wall) {
  if (const auto* surface = std::get_if<model::MeshSurface>(&wall.surface)) {
    const model::Box& box = surface->mesh->bounds();
    return 0.5 * (box.lower + box.upper);
  }
  const Entry shape = entry.at(kind);
  if (kind != "container") return shape.at("point").vector();
  return 0.5 * (shape.at("lower").vector() + shape.at("upper").vector());
}

}  // namespace

std::vector<model::Wall> read_surfaces(const Entry& entry, const std::string& kind, const SceneMeshes& meshes) {
  const Entry shape = entry.at(kind);
  if (kind == "plane") return {{"", model::Plane{shape.at("point").vector(), shape.at("normal").direction()}}};
  if (kind == "mesh") return {{"", model::MeshSurface{meshes.surface(shape)}}};
  if (kind == "cylinder") {
    Vec3 axis = Vec3::UnitZ();
    if (const auto given = shape.find("axis")) axis = given->direction();
    return {{"", model::Tube{shape.at("point").vector(), axis, shape.at("radius").positive()}}};
  }
  bool open_top = true;
  if (const auto given = shape.find("open_top")) open_top = given->flag();
  return model::container("", read_container(shape), 0, open_top);
}

model::WallMotion read_motion(const Entry& entry, const Vec3& pivot) {
  model::WallMotion motion;
  if (const auto value = entry.find("velocity")) motion.velocity = value->vector();
  if (entry.has("amplitude") != entry.has("frequency")) {
    entry.fail("a shake needs both 'amplitude' and 'frequency'");
  }
  if (const auto value = entry.find("amplitude")) motion.amplitude = value->vector();
  if (const auto value = entry.find("frequency")) motion.frequency = value->positive();
  if (const auto value = entry.find("phase")) motion.phase = value->number();
  if (const auto value = entry.find("spin")) motion.spin = value->vector();
  motion.pivot = pivot;
  if (const auto value = entry.find("pivot")) motion.pivot = value->vector();
  return motion;
}

void read_motion(const Entry& entry, const std::string& kind, std::vector<model::Wall>& walls) {
  const Entry section = entry.at("motion");
  model::WallMotion motion = read_motion(section, default_pivot(entry, kind, walls.front()));
  if (const auto belt = section.find("belt")) {
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
