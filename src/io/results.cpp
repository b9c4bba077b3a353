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
    : comm_(comm), directory_(directory), output_(scene.output), names_{"bodies"} {
  make_directory(comm, directory / "frames");
  if (!scene.shapes->empty()) names_.emplace_back("shapes");
  if (scene.output.contacts) names_.emplace_back("contacts");
  if (first == 0) drop_other_indices();
  // The state that is gone on from has its frame already, if one was due there.
  const std::int64_t last_kept = is_due(first) && first > 0 ? first : first - 1;
  if (output_.format == OutputFormat::hdf5) {
    xdmf_.emplace(comm, directory, names_, last_kept);
  } else {
    for (const std::string& name : names_) paraview_.emplace_back(comm, directory, name, last_kept);
  }
  parallel::all_or_none(comm, [&] {
    if (comm.is_root()) write_file(directory / "walls.json", walls_json(scene));
  });
}

/// An index that this run does not write would show results of another.
void Results::drop_other_indices() const {
  parallel::all_or_none(comm_, [&] {
    if (!comm_.is_root()) return;
    for (const char* name : {"bodies", "shapes", "contacts"})
      for (const char* kind : {".pvd", ".xdmf"}) std::filesystem::remove(directory_ / (std::string(name) + kind));
  });
}

bool Results::has(std::int64_t step) const { return xdmf_ ? xdmf_->has(step) : paraview_.front().has(step); }

void Results::write_if_due(dynamics::Simulation& simulation, const dynamics::StepReport& report, bool last) {
  const auto scope = simulation.timer().measure("output");
  if ((!last && !is_due(report.step)) || has(report.step)) return;
  std::vector<NamedCloud> clouds;
  for (const std::string& name : names_) {
    if (name == "bodies") clouds.push_back({name, cloud_of_bodies(comm_, simulation, output_.selection)});
    if (name == "shapes") clouds.push_back({name, surfaces_of_bodies(simulation, output_.selection)});
    if (name == "contacts") clouds.push_back({name, cloud_of_contacts(simulation, output_.selection)});
  }
  if (xdmf_) bytes_written_ += xdmf_->write(report.step, report.time, clouds);
  for (std::size_t k = 0; k < paraview_.size(); ++k)
    bytes_written_ += paraview_[k].write(report.step, report.time, clouds[k].cloud);
}

void Results::write_failed(dynamics::Simulation& simulation) const {
  const std::int64_t step = simulation.steps_made();
  const double time = static_cast<double>(step) * simulation.options().step;
  ParaviewSeries(comm_, directory_, "failed").write(step, time, cloud_of_bodies(comm_, simulation));
}

}  // namespace scree::io
