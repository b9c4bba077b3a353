#include "scree/io/results.hpp"

#include "scree/io/atomic_file.hpp"
#include "scree/io/json.hpp"
#include "scree/io/shape_surfaces.hpp"
#include "scree/parallel/page_pool.hpp"

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
void write_points(JsonWriter& json, const std::vector<model::Vec3>& points) {
  json.key("vertices");
  json.begin_array();
  for (const model::Vec3& point : points) json.value(numbers(point));
  json.end_array();
}

template <typename Faces>
void write_faces(JsonWriter& json, const Faces& faces) {
  json.key("faces");
  json.begin_array();
  for (const auto& face : faces) json.value(std::span<const double>(std::vector<double>(face.begin(), face.end())));
  json.end_array();
}

void write_form(JsonWriter& json, const model::Hull& hull) {
  json.field("kind", "hull");
  write_points(json, hull.vertices);
  write_faces(json, hull.faces);
}

void write_part(JsonWriter& json, const model::Part& part);

void write_form(JsonWriter& json, const model::Cluster& cluster) {
  json.field("kind", "cluster");
  json.key("parts");
  json.begin_array();
  for (const model::Part& part : cluster.parts) {
    json.begin_object();
    write_part(json, part);
    json.end_object();
  }
  json.end_array();
}

void write_part(JsonWriter& json, const model::Part& part) {
  if (part.shape) {
    std::visit([&](const auto& form) { write_form(json, form); }, part.shape->form);
  } else {
    json.field("kind", "sphere");
    json.field("radius", part.radius);
  }
  json.field("position", numbers(part.pose.position));
  const model::Quat turn(part.pose.turn);
  json.field("attitude", std::span<const double>(turn.coeffs().data(), 4));
}

void write_surface(JsonWriter& json, const model::Plane& plane) {
  json.field("kind", "plane");
  json.field("point", numbers(plane.point));
  json.field("normal", numbers(plane.normal));
}
void write_surface(JsonWriter& json, const model::Tube& tube) {
  json.field("kind", "cylinder");
  json.field("point", numbers(tube.point));
  json.field("axis", numbers(tube.axis));
  json.field("radius", tube.radius);
}
void write_surface(JsonWriter& json, const model::Part& part) {
  json.field("kind", "body");
  json.key("part");
  json.begin_object();
  write_part(json, part);
  json.end_object();
}
void write_surface(JsonWriter& json, const model::MeshSurface& surface) {
  json.field("kind", "mesh");
  write_points(json, surface.mesh->vertices());
  write_faces(json, surface.mesh->triangles());
}

void write_motion(JsonWriter& json, const model::WallMotion& motion) {
  json.key("motion");
  json.begin_object();
  json.field("velocity", numbers(motion.velocity));
  json.field("amplitude", numbers(motion.amplitude));
  json.field("frequency", motion.frequency);
  json.field("phase", motion.phase);
  json.field("spin", numbers(motion.spin));
  json.field("pivot", numbers(motion.pivot));
  json.end_object();
}

// What a picture needs beside the bodies; walls where they are at time 0.
std::string walls_json(const Scene& scene) {
  JsonWriter json;
  json.begin_object();
  json.field("scene", scene.name);
  json.field("gravity", numbers(scene.step.gravity));
  json.field("step", scene.step.step);
  json.key("walls");
  json.begin_array();
  for (const model::Wall& wall : scene.walls) {
    json.begin_object();
    json.field("name", wall.name);
    std::visit([&](const auto& surface) { write_surface(json, surface); }, wall.surface);
    if (!wall.motion.is_rest()) write_motion(json, wall.motion);
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
  parallel::return_kept_pages();  // what is written is gathered first
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
