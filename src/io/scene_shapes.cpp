#include "scree/io/scene_shapes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "scree/collision/shape_contacts.hpp"
#include "scree/parallel/error.hpp"

namespace scree::io {

using model::Quat;
using model::Shape;
using model::Vec3;

namespace {

model::Form read_form(const std::string& name, const Entry& entry) {
  const std::string kind = entry.one_of({"box", "capsule", "cylinder", "hull"});
  const Entry form = entry.at(kind);
  if (kind == "box") {
    const Entry size = form.at("size");
    const Vec3 edges = size.vector();
    if (!(edges.array() > 0.0).all()) size.fail("must be three positive edges: a box needs a thickness");
    return model::Cuboid{0.5 * edges};
  }
  if (kind == "capsule") return model::Capsule{form.at("radius").positive(), 0.5 * form.at("length").positive()};
  if (kind == "cylinder") return model::Cylinder{form.at("radius").positive(), 0.5 * form.at("height").positive()};
  std::vector<Vec3> points;
  for (const Entry& point : form.at("points").items()) points.push_back(point.vector());
  return collision::hull_of_points(name, points);
}

}  // namespace

std::vector<Shape> read_shapes(const Entry& root) {
  std::vector<Shape> shapes;
  const auto section = root.find("shapes");
  if (!section) return shapes;
  for (const auto& [name, entry] : section->members()) {
    try {
      shapes.push_back(model::make_shape(name, read_form(name, entry)));
    } catch (const InputError& error) {
      const std::string message = error.what();
      if (message.starts_with("shape '")) entry.fail(message);
      throw;
    }
  }
  return shapes;
}

int shape_of(const Entry& entry, const std::vector<Shape>& shapes) {
  const auto given = entry.find("shape");
  if (!given) return model::sphere;
  const auto found = std::ranges::find(shapes, given->text(), &Shape::name);
  if (found == shapes.end()) {
    std::vector<std::string> names;
    for (const Shape& shape : shapes) names.push_back(shape.name);
    given->fail(fmt::format("there is no shape '{}': define it in 'shapes' (there are: {})", given->text(),
                            names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
  }
  return static_cast<int>(found - shapes.begin());
}

Quat read_turn(const Entry& entry) {
  const auto turn = entry.find("turn");
  if (!turn) return Quat::Identity();
  return Quat(Eigen::AngleAxisd(turn->at("angle").number(), turn->at("axis").direction()));
}

double narrowest_width(const Shape& shape) {
  if (const auto* cuboid = std::get_if<model::Cuboid>(&shape.form)) return 2.0 * cuboid->half.minCoeff();
  if (const auto* capsule = std::get_if<model::Capsule>(&shape.form)) return 2.0 * capsule->radius;
  if (const auto* cylinder = std::get_if<model::Cylinder>(&shape.form))
    return 2.0 * std::min(cylinder->radius, cylinder->half);
  return 0.0;
}

double depth_in_wall(const model::Body& body, const std::vector<Shape>& shapes, const model::Wall& wall) {
  if (body.shape == model::sphere) return -model::gap_to_wall(wall, Vec3(body.position), body.radius).gap;
  const Shape& shape = shapes[static_cast<std::size_t>(body.shape)];
  std::vector<collision::Touch> touches;
  touch_wall({&shape, shape.radius, Vec3(body.position), Quat(body.attitude).toRotationMatrix()}, wall,
             std::numeric_limits<double>::infinity(), touches);
  double depth = -std::numeric_limits<double>::infinity();
  for (const collision::Touch& touch : touches) depth = std::max(depth, -touch.gap);
  return depth;
}

}  // namespace scree::io
