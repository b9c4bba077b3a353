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

std::vector<Vec3> read_points(const Entry& hull, const SceneMeshes& meshes) {
  if (hull.one_of({"points", "file"}) == "file") return meshes.read(hull).vertices;
  if (hull.has("scale")) hull.at("scale").fail("is for a 'file' only");
  std::vector<Vec3> points;
  for (const Entry& point : hull.at("points").items()) points.push_back(point.vector());
  return points;
}

model::Form read_convex_form(const std::string& name, const Entry& entry, const std::string& kind,
                             const SceneMeshes& meshes) {
  const Entry form = entry.at(kind);
  if (kind == "box") {
    const Entry size = form.at("size");
    const Vec3 edges = size.vector();
    if (!(edges.array() > 0.0).all()) size.fail("must be three positive edges: a box needs a thickness");
    return model::Cuboid{0.5 * edges};
  }
  if (kind == "capsule") return model::Capsule{form.at("radius").positive(), 0.5 * form.at("length").positive()};
  if (kind == "cylinder") return model::Cylinder{form.at("radius").positive(), 0.5 * form.at("height").positive()};
  return collision::hull_of_points(name, read_points(form, meshes));
}

model::Part read_part(const std::string& name, const Entry& entry, const SceneMeshes& meshes) {
  const std::string kind = entry.one_of({"sphere", "box", "capsule", "cylinder", "hull"});
  const Vec3 at = entry.at("at").vector();
  if (kind == "sphere") return model::make_part(entry.at("sphere").at("radius").positive(), at);
  const auto shape =
      std::make_shared<const Shape>(model::make_shape(name, read_convex_form(name, entry, kind, meshes)));
  return model::make_part(shape, at, read_turn(entry));
}

Shape read_shape(const std::string& name, const Entry& entry, const SceneMeshes& meshes) {
  const std::string kind = entry.one_of({"box", "capsule", "cylinder", "hull", "cluster"});
  std::optional<model::Solid> solid;
  if (const auto given = entry.find("solid")) {
    if (kind != "hull" && kind != "cluster") given->fail("is for hulls and clusters: the mass of others is known");
    solid = meshes.solid(*given);
  }
  if (kind != "cluster") return model::make_shape(name, read_convex_form(name, entry, kind, meshes), solid);
  model::Cluster cluster;
  for (const Entry& part : entry.at("cluster").items()) cluster.parts.push_back(read_part(name, part, meshes));
  if (cluster.parts.empty()) entry.at("cluster").fail("has no parts: give it at least one");
  return model::make_shape(name, std::move(cluster), solid);
}

}  // namespace

std::vector<Shape> read_shapes(const Entry& root, const SceneMeshes& meshes) {
  std::vector<Shape> shapes;
  const auto section = root.find("shapes");
  if (!section) return shapes;
  for (const auto& [name, entry] : section->members()) {
    try {
      shapes.push_back(read_shape(name, entry, meshes));
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
  std::vector<collision::Touch> touches;
  touch_wall(collision::placed(body, shapes), wall, std::numeric_limits<double>::infinity(), touches);
  double depth = -std::numeric_limits<double>::infinity();
  for (const collision::Touch& touch : touches) depth = std::max(depth, -touch.gap);
  return depth;
}

}  // namespace scree::io
