#include "scree/io/results.hpp"

#include "scree/io/atomic_file.hpp"
#include "scree/io/json.hpp"
#include "scree/io/shape_surfaces.hpp"

namespace scree::io {

namespace {

std::span<const double> numbers(const model::Vec3& v) { return {v.data(), 3}; }

void write_form(JsonWriter& json, const model::Cuboid& cuboid) {
  json.field("kind", "box");
  json.field("half", numbers(cuboid.half));
}
void write_form(JsonWriter& json, const model::Capsule& capsule) {
  json.field("kind", "capsule");
  json.field("radius", capsule.radius);
  json.field("half", capsule.half);
}
void write_form(JsonWriter& json, const model::Cylinder& cylinder) {
  json.field("kind", "cylinder");
  json.field("radius", cylinder.radius);
  json.field("half", cylinder.half);
}
void write_form(JsonWriter& json, const model::Hull& hull) {
  json.field("kind", "hull");
  json.key("vertices");
  json.begin_array();
  for (const model::Vec3& vertex : hull.vertices) json.value(numbers(vertex));
  json.end_array();
  json.key("faces");
  json.begin_array();
  for (const std::vector<int>& face : hull.faces)
    json.value(std::span<const double>(std::vector<double>(face.begin(), face.end())));
  json.end_array();
}

// What a picture needs beside the bodies.
std::string walls_json(const Scene& scene) {
  JsonWriter json;
  json.begin_object();
  json.field("scene", scene.name);
  json.field("gravity", numbers(scene.step.gravity));
  json.key("walls");
  json.begin_array();
  for (const model::Wall& wall : scene.walls) {
    json.begin_object();
    json.field("name", wall.name);
    if (const auto* plane = std::get_if<model::Plane>(&wall.surface)) {
      json.field("kind", "plane");
      json.field("point", numbers(plane->point));
      json.field("normal", numbers(plane->normal));
    } else {
      const auto& tube = std::get<model::Tube>(wall.surface);
      json.field("kind", "cylinder");
      json.field("point", numbers(tube.point));
      json.field("axis", numbers(tube.axis));
      json.field("radius", tube.radius);
    }
    json.end_object();
  }
  json.end_array();
  json.key("shapes");
  json.begin_array();
  for (const model::Shape& shape : *scene.shapes) {
    json.begin_object();
    json.field("name", shape.name);
    std::visit([&](const auto& form) { write_form(json, form); }, shape.form);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.text();
}

}  // namespace

Results::Results(const parallel::Comm& comm, const Scene& scene, const std::filesystem::path& directory,
                 std::int64_t first)
    : comm_(comm), directory_(directory), every_(scene.output.every), bodies_(comm, directory, "bodies", first) {
  make_directory(comm, directory / "frames");
  if (scene.output.contacts) contacts_.emplace(comm, directory, "contacts", first);
  if (!scene.shapes->empty()) shapes_.emplace(comm, directory, "shapes", first);
  parallel::all_or_none(comm, [&] {
    if (comm.is_root()) write_file(directory / "walls.json", walls_json(scene));
  });
}

void Results::write_if_due(dynamics::Simulation& simulation, const dynamics::StepReport& report, bool last) {
  const auto scope = simulation.timer().measure("output");
  if (!last && (every_ == 0 || report.step % every_ != 0)) return;
  bodies_.write(report.step, report.time, cloud_of_bodies(comm_, simulation));
  if (shapes_) shapes_->write(report.step, report.time, surfaces_of_bodies(simulation));
  if (contacts_) contacts_->write(report.step, report.time, cloud_of_contacts(simulation));
}

void Results::write_failed(dynamics::Simulation& simulation) const {
  const std::int64_t step = simulation.steps_made();
  const double time = static_cast<double>(step) * simulation.options().step;
  ParaviewSeries(comm_, directory_, "failed").write(step, time, cloud_of_bodies(comm_, simulation));
}

}  // namespace scree::io
