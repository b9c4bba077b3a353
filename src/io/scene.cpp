#include "scree/io/scene.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <numbers>
#include <sstream>
#include <utility>

#include "scree/dynamics/push_apart.hpp"
#include "scree/io/periodic.hpp"
#include "scree/io/room.hpp"
#include "scree/io/scene_fills.hpp"
#include "scree/io/scene_flow.hpp"
#include "scree/io/scene_joints.hpp"
#include "scree/io/scene_materials.hpp"
#include "scree/io/scene_measurements.hpp"
#include "scree/io/scene_settings.hpp"
#include "scree/io/scene_shapes.hpp"
#include "scree/io/scene_walls.hpp"
#include "scree/parallel/error.hpp"
#include "scree/parallel/even_split.hpp"

namespace scree::io {

namespace {

using model::Vec3;

/// Reads the entries of a document into a Scene, section by section.
class SceneReader {
 public:
  SceneReader(const SceneDocument& document, std::string file, FileReader read)
      : root_(document.root()), meshes_(std::filesystem::path(file).parent_path(), std::move(read)) {
    scene_.file = std::move(file);
  }

  Scene read() {
    read_head();
    scene_.materials = read_materials(root_);
    scene_.material_pairs = read_material_pairs(root_, scene_.materials);
    read_settings(root_, scene_);
    scene_.shapes = std::make_shared<const std::vector<model::Shape>>(read_shapes(root_, meshes_));
    if (const auto walls = root_.find("walls")) {
      for (const Entry& wall : walls->items()) read_wall(wall);
      check_room(0.0);
    }
    if (const auto fills = root_.find("fills")) {
      for (const Entry& fill : fills->items()) read_one_fill(fill);
    }
    if (const auto bodies = root_.find("bodies")) {
      for (const Entry& body : bodies->items()) read_body(body);
    }
    if (const auto joints = root_.find("joints")) {
      for (const Entry& joint : joints->items())
        scene_.joints.push_back(read_joint(joint, std::ssize(scene_.joints), {scene_.bodies, body_names_}));
    }
    read_flow();
    if (scene_.body_count == 0 && scene_.files.empty() && scene_.sources.empty())
      root_.fail("has no bodies: add an entry to 'fills', 'bodies' or 'sources'");
    scene_.measurements = read_measurements(root_, {scene_.walls, scene_.bodies, body_names_});
    check_room(widest_body());
    check_periods();
    return std::move(scene_);
  }

 private:
  void read_head();
  void read_wall(const Entry& entry);
  void add_wall(const Entry& entry, model::Wall wall);
  void read_one_fill(const Entry& entry);
  void check_region(const Entry& entry, const Region& region) const;
  void read_flow();
  void read_body(const Entry& entry);
  model::Body read_single_body(const Entry& entry) const;
  model::Wall read_driven_body(const Entry& entry, const model::Body& body) const;
  void add_body(const Entry& entry, model::Body body, const std::string& name);
  std::string read_body_name(const Entry& entry) const;
  void check_room(double diameter) const;
  void check_periods() const;

  double widest_body() const;
  double largest_radius() const;

  Entry root_;
  SceneMeshes meshes_;
  std::vector<Entry> wall_entries_;  // where each wall of the scene comes from
  std::vector<std::string> body_names_;
  Scene scene_;
};

void SceneReader::read_head() {
  scene_.name = std::filesystem::path(scene_.file).stem().string();
  if (const auto name = root_.find("name")) {
    scene_.name = name->text();
    const bool plain = std::all_of(scene_.name.begin(), scene_.name.end(), [](unsigned char c) {
      return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
    });
    if (!plain || scene_.name.front() == '.') {
      name->fail("names the result directory: use letters, digits, '-', '_' and '.' only");
    }
  }
  if (const auto seed = root_.find("seed")) scene_.seed = static_cast<std::uint64_t>(seed->integer(0));
  if (const auto gravity = root_.find("gravity")) scene_.step.gravity = gravity->vector();
  if (const auto drag = root_.find("drag")) {
    if (const auto rate = drag->find("linear")) scene_.step.drag.linear = rate->non_negative();
    if (const auto rate = drag->find("angular")) scene_.step.drag.angular = rate->non_negative();
  }
  if (const auto periodic = root_.find("periodic")) scene_.space = read_periodicity(*periodic);
}

void SceneReader::read_wall(const Entry& entry) {
  const std::string kind = entry.one_of({"plane", "container", "cylinder", "mesh"});
  std::vector<model::Wall> walls = read_surfaces(entry, kind, meshes_);
  if (kind == "container") open_periodic_sides(scene_.space, walls);
  if (entry.has("motion") && !walls.empty()) read_motion(entry, kind, walls);
  std::string name = fmt::format("{} {}", kind, scene_.walls.size());
  if (const auto given = entry.find("name")) name = given->text();
  for (model::Wall& wall : walls) {
    wall.name = name + wall.name;  // sides of a container have their own
    wall.material = material_of(entry, scene_.materials);
    add_wall(entry, std::move(wall));
  }
}

void SceneReader::add_wall(const Entry& entry, model::Wall wall) {
  if (const auto wrong = misfit(scene_.space, wall)) entry.fail(*wrong);
  scene_.walls.push_back(std::move(wall));
  wall_entries_.push_back(entry);
}

void SceneReader::read_one_fill(const Entry& entry) {
  const Ingredients ingredients{scene_.materials, *scene_.shapes};
  if (entry.has("file")) {
    scene_.files.push_back(read_file_fill(entry, ingredients, scene_.file));
    return;
  }
  const Fill fill = read_fill(entry, ingredients);
  check_region(entry.at("region"), fill.region);
  for (std::size_t k = 0; k < scene_.fills.size(); ++k) {
    if (regions_overlap(fill.region, scene_.fills[k].region)) {
      entry.at("region").fail(fmt::format("overlaps that of fills[{}]: move them apart", k));
    }
  }
  scene_.body_count += fill.count;
  scene_.fills.push_back(fill);
}

/// It must lie on the free side of all walls and within the first period.
void SceneReader::check_region(const Entry& entry, const Region& region) const {
  for (const model::Wall& wall : scene_.walls) {
    if (const auto wrong = region_behind(region, wall)) entry.fail(*wrong);
  }
  if (const auto wrong = misfit(scene_.space, region)) entry.fail(*wrong);
}

void SceneReader::read_flow() {
  if (const auto sources = root_.find("sources")) {
    for (const Entry& entry : sources->items()) {
      scene_.sources.push_back(read_source(entry, {scene_.materials, *scene_.shapes}));
      check_region(entry.at("region"), scene_.sources.back().region);
    }
  }
  if (const auto sinks = root_.find("sinks")) {
    for (const Entry& entry : sinks->items()) scene_.sinks.push_back(read_sink(entry));
  }
}

/// One body, or as many as its array has.
void SceneReader::read_body(const Entry& entry) {
  model::Body body = read_single_body(entry);
  const auto array = entry.find("array");
  if (entry.has("motion")) return add_wall(entry, read_driven_body(entry, body));
  if (!array) return add_body(entry, body, read_body_name(entry));
  if (entry.has("name")) entry.at("name").fail("an array of bodies has no name: joints call its bodies by number");
  const Vec3 spacing = array->at("spacing").vector();
  const std::vector<Entry> counts = array->at("count").items();
  if (counts.size() != 3) array->at("count").fail("must be three numbers: bodies along x, y and z");
  const std::int64_t count[3] = {counts[0].integer(1), counts[1].integer(1), counts[2].integer(1)};
  constexpr std::int64_t most = 10'000'000;
  for (const std::int64_t along : count)
    if (along > most || count[0] > most / along) array->at("count").fail("is too many bodies to list: use 'fills'");
  const Vec3 first(body.position);
  for (std::int64_t z = 0; z < count[2]; ++z)
    for (std::int64_t y = 0; y < count[1]; ++y)
      for (std::int64_t x = 0; x < count[0]; ++x) {
        const Vec3 place(static_cast<double>(x), static_cast<double>(y), static_cast<double>(z));
        Vec3::Map(body.position) = first + spacing.cwiseProduct(place);
        add_body(entry, body, "");
      }
}

model::Body SceneReader::read_single_body(const Entry& entry) const {
  const Vec3 position = entry.at("position").vector();
  const int material = material_of(entry, scene_.materials);
  const int number = shape_of(entry, *scene_.shapes);
  const bool is_sphere = number == model::sphere;
  if (!is_sphere && entry.has("radius"))
    entry.at("radius").fail("the 'shape' has a size already: leave one of the two out");
  const double radius = is_sphere ? entry.at("radius").positive() : 0.0;
  const double volume = is_sphere ? 4.0 / 3.0 * std::numbers::pi * radius * radius * radius
                                  : (*scene_.shapes)[static_cast<std::size_t>(number)].volume;
  const auto mass = entry.find("mass");
  const double density = mass ? mass->positive() / volume : scene_.materials[material].density;
  model::Body body = is_sphere
                         ? model::make_sphere(0, position, radius, density, material)
                         : model::make_body(0, position, read_turn(entry), *scene_.shapes, number, density, material);
  if (mass) body.mass = mass->positive();  // exactly
  if (const auto inertia = entry.find("inertia")) {
    Vec3::Map(body.inertia) = inertia->vector();
    const Vec3 moments(body.inertia);
    if (!(moments.array() > 0.0).all()) inertia->fail("must be three positive moments");
    // I_x + I_y - I_z is twice the integral of z^2 over the mass.
    if (2.0 * moments.maxCoeff() > (1.0 + 1e-9) * moments.sum())
      inertia->fail("no body has a moment larger than the other two together: make it smaller");
  }
  if (const auto velocity = entry.find("velocity")) Vec3::Map(body.velocity) = velocity->vector();
  if (const auto spin = entry.find("spin")) Vec3::Map(body.spin) = spin->vector();
  return body;
}

/// A body with a motion of its own is a wall that has the form of a body.
model::Wall SceneReader::read_driven_body(const Entry& entry, const model::Body& body) const {
  for (const char* const key : {"mass", "inertia", "velocity", "spin", "force", "torque", "array"})
    if (entry.has(key)) entry.at(key).fail("a body with a 'motion' moves whatever touches it: leave this out");
  const bool is_sphere = body.shape == model::sphere;
  const std::shared_ptr<const model::Shape> shape =
      is_sphere ? nullptr
                : std::make_shared<const model::Shape>((*scene_.shapes)[static_cast<std::size_t>(body.shape)]);
  const Vec3 position(body.position);
  model::Wall wall{
      entry.path(),
      is_sphere ? model::make_part(body.radius, position) : model::make_part(shape, position, read_turn(entry)),
      static_cast<int>(body.material), read_motion(entry.at("motion"), position)};
  if (const auto name = entry.find("name")) wall.name = name->text();
  return wall;
}

void SceneReader::add_body(const Entry& entry, model::Body body, const std::string& name) {
  if (const auto wrong = misfit(scene_.space, Vec3(body.position))) entry.at("position").fail(*wrong);
  for (const model::Wall& wall : scene_.walls) {
    if (!is_endless(wall) || scene_.push_apart) continue;
    const double depth = depth_in_wall(body, *scene_.shapes, wall);
    if (depth > allowed_overlap * body.radius) {
      entry.fail(
          fmt::format("starts {:.6g} m inside the wall '{}': move it, or set contact.push_apart", depth, wall.name));
    }
  }
  body.id = scene_.body_count;
  if (entry.has("force") || entry.has("torque")) {
    dynamics::BodyForce load{body.id};
    if (const auto force = entry.find("force")) load.force = force->vector();
    if (const auto torque = entry.find("torque")) load.torque = torque->vector();
    scene_.forces.push_back(load);
  }
  body_names_.push_back(name);
  ++scene_.body_count;
  scene_.bodies.push_back(body);
}

/// Empty if the body has none.
std::string SceneReader::read_body_name(const Entry& entry) const {
  const auto given = entry.find("name");
  if (!given) return "";
  const std::string name = given->text();
  if (name.find_first_not_of("0123456789") == std::string::npos)
    given->fail("is a number, which joints would take for an index: use a letter");
  if (std::ranges::find(body_names_, name) != body_names_.end())
    given->fail("is the name of another body too: choose another one");
  return name;
}

/// How much room between walls the widest body needs at least (m).
double SceneReader::widest_body() const {
  const auto width = [&](int shape, double radius) {
    return shape == model::sphere ? 2.0 * radius : narrowest_width((*scene_.shapes)[static_cast<std::size_t>(shape)]);
  };
  double widest = 0.0;
  for (const Fill& fill : scene_.fills) widest = std::max(widest, width(fill.shape, fill.radius_max));
  for (const dynamics::Source& source : scene_.sources)
    widest = std::max(widest, width(source.recipe.shape, source.recipe.radius_max));
  for (const model::Body& body : scene_.bodies)
    widest = std::max(widest, width(static_cast<int>(body.shape), body.radius));
  return widest;
}

double SceneReader::largest_radius() const {
  double radius = 0.0;
  for (const Fill& fill : scene_.fills) radius = std::max(radius, fill.radius_max);
  for (const dynamics::Source& source : scene_.sources) radius = std::max(radius, source.recipe.radius_max);
  for (const model::Body& body : scene_.bodies) radius = std::max(radius, body.radius);
  return radius;
}

void SceneReader::check_room(double diameter) const {
  const std::vector<model::Wall>& walls = scene_.walls;
  for (std::size_t a = 0; a < walls.size(); ++a) {
    if (const auto wrong = lack_of_room(walls[a], diameter)) wall_entries_[a].fail(*wrong);
    for (std::size_t b = 0; b < a; ++b) {
      if (const auto wrong = lack_of_room(walls[b], walls[a], diameter)) wall_entries_[a].fail(*wrong);
    }
  }
}

void SceneReader::check_periods() const {
  const double radius = largest_radius();
  const double shortest = model::shortest_period(radius, (scene_.step.margin + scene_.step.skin) * radius);
  for (const auto& [axis, name] : {std::pair(0, "x"), std::pair(1, "y"), std::pair(2, "z")})
    if (scene_.space.along(axis) && scene_.space.length[axis] < shortest)
      root_.at("periodic")
          .at(name)
          .fail(fmt::format("the period is {:.6g} m, too short for the largest bodies: make it at least {:.6g} m",
                            scene_.space.length[axis], shortest));
}

std::string read_text(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) {
    throw InputError(file.string() + ": no such file: check the name and the working directory");
  }
  if (std::filesystem::is_directory(file, error)) {
    throw InputError(file.string() + ": is a directory: name a file in it");
  }
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream || stream.bad())
    throw InputError(fmt::format("{}: cannot be read: {}", file.string(), std::strerror(errno)));
  return text.str();
}

}  // namespace

Scene parse_scene(const std::string& text, const std::string& file, const std::vector<Override>& overrides,
                  const FileReader& read) {
  const SceneDocument document(text, file, overrides);
  Scene scene = SceneReader(document, file, read ? read : read_text).read();
  scene.text = text;
  return scene;
}

Scene load_scene(const parallel::Comm& comm, const std::filesystem::path& file,
                 const std::vector<Override>& overrides) {
  const FileReader read = [&](const std::filesystem::path& wanted) {
    std::string text;
    parallel::all_or_none(comm, [&] {
      if (comm.is_root()) text = read_text(wanted);
      if (text.size() > std::size_t{1} << 30) throw InputError(wanted.string() + ": is larger than 1 GB");
    });
    comm.broadcast(text);
    return text;
  };
  Scene scene = parse_scene(read(file), file.string(), overrides, read);
  for (FileFill& fill : scene.files) {
    fill.count = count_bodies(comm, fill.file);
    scene.body_count += fill.count;
  }
  return scene;
}

namespace {

/// Collective: bodies of files against each other and against those of fills; all others have been seen one by one.
void check_overlaps_of_files(const parallel::Comm& comm, const Scene& scene, const dynamics::Setup& setup) {
  if (const auto overlap = dynamics::deepest_overlap(comm, setup, allowed_overlap))
    throw InputError(
        fmt::format("{}: fills: bodies number {} and {} overlap by {:.3g} m: move one of them, or set "
                    "contact.push_apart",
                    scene.file, overlap->first, overlap->second, overlap->depth));
}

void push_apart(const parallel::Comm& comm, const Scene& scene, dynamics::Setup& setup) {
  const double left = dynamics::push_apart(comm, setup, allowed_overlap);
  if (left > allowed_overlap)
    throw InputError(
        fmt::format("{}: contact.push_apart: bodies still overlap by {:.3g} radii after {} rounds: give "
                    "them more room",
                    scene.file, left, dynamics::most_push_rounds));
}

}  // namespace

dynamics::Setup make_setup(const parallel::Comm& comm, const Scene& scene, std::optional<Checkpoint> checkpoint) {
  dynamics::Setup setup{.materials = scene.materials,
                        .material_pairs = scene.material_pairs,
                        .walls = scene.walls,
                        .bodies = {},
                        .forces = scene.forces,
                        .flow = {scene.sources, scene.sinks, scene.seed, 0},
                        .step = scene.step,
                        .solver = scene.solver,
                        .balance = scene.balance};
  if (!checkpoint) {
    setup.bodies = make_bodies(comm, scene);
    setup.bodies.space = scene.space;
    setup.bodies.shapes = scene.shapes;
    std::int64_t last_id = -1;  // files may give any ids
    for (const std::int64_t id : setup.bodies.id) last_id = std::max(last_id, id);
    setup.flow.first_id = comm.max(last_id) + 1;
    const parallel::EvenSplit split{std::ssize(scene.joints), comm.size()};
    const auto first = scene.joints.begin() + split.first(comm.rank());
    setup.joints.assign(first, first + split.count(comm.rank()));
    if (scene.push_apart) {
      push_apart(comm, scene, setup);
    } else if (!scene.files.empty()) {
      check_overlaps_of_files(comm, scene, setup);
    }
    return setup;
  }
  parallel::all_or_none(comm, [&] {
    for (const int material : checkpoint->bodies.material)
      if (material < 0 || material >= static_cast<int>(scene.materials.size()))
        throw InputError(scene.file +
                         ": materials: has fewer than the checkpoint needs: take the scene it was made from");
    for (const int shape : checkpoint->bodies.shape)
      if (shape < model::sphere || shape >= std::ssize(*scene.shapes))
        throw InputError(scene.file + ": shapes: has fewer than the checkpoint needs: take the scene it was made from");
  });
  setup.bodies = std::move(checkpoint->bodies);
  setup.bodies.space = scene.space;
  setup.bodies.shapes = scene.shapes;
  setup.resumed = std::move(checkpoint->progress);
  return setup;
}

}  // namespace scree::io
