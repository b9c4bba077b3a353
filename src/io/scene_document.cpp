#include "scree/io/scene_document.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <set>

#include "scree/parallel/error.hpp"

namespace scree::io {

namespace {

// Far beyond any scene, and near enough that volumes and moments of inertia neither overflow nor vanish.
constexpr double largest_number = 1e30;
constexpr double smallest_number = 1e-30;

std::string join_path(const std::string& path, const std::string& key) { return path.empty() ? key : path + "." + key; }

// A message is one line, whatever the text that it quotes.
std::string on_one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20; }, ' ');
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

// The part of a known path that follows `pattern`, up to its next dot or bracket; nothing if it does not follow.
std::optional<std::string> next_step(std::string_view known, const std::string& pattern) {
  if (!known.starts_with(pattern)) return std::nullopt;
  std::string_view rest = known.substr(pattern.size());
  if (!pattern.empty()) {
    if (rest.starts_with("[]")) return "[]";
    if (!rest.starts_with(".")) return std::nullopt;
    rest.remove_prefix(1);
  }
  return std::string(rest.substr(0, rest.find_first_of(".[")));
}

std::vector<std::string> steps_below(const std::string& pattern) {
  std::vector<std::string> steps;
  for (const std::string_view known : scene_keys()) {
    const auto step = next_step(known, pattern);
    if (step && !step->empty() && std::find(steps.begin(), steps.end(), *step) == steps.end()) steps.push_back(*step);
  }
  return steps;
}

// "fills[0].radius" -> fills, 0, radius
std::vector<std::string> split_path(const std::string& path) {
  std::vector<std::string> steps{""};
  for (const char c : path) {
    if (c == '.' || c == '[') {
      steps.emplace_back();
    } else if (c != ']') {
      steps.back() += c;
    }
  }
  return steps;
}

std::optional<std::size_t> as_index(const std::string& step) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
  if (error != std::errc{} || end != step.data() + step.size()) return std::nullopt;
  return index;
}

}  // namespace

const std::vector<std::string_view>& scene_keys() {
  static const std::vector<std::string_view> keys{
      "name",
      "seed",
      "gravity",
      "drag.linear",
      "drag.angular",
      "periodic.x",
      "periodic.y",
      "periodic.z",
      "materials.*.density",
      "materials.*.friction",
      "materials.*.restitution",
      "materials.*.compliance",
      "materials.*.damping",
      "material_pairs[].between[]",
      "material_pairs[].friction",
      "material_pairs[].restitution",
      "material_pairs[].compliance",
      "material_pairs[].damping",
      "material_pairs[].law",
      "walls[].name",
      "walls[].material",
      "walls[].plane.point",
      "walls[].plane.normal",
      "walls[].container.lower",
      "walls[].container.upper",
      "walls[].container.open_top",
      "walls[].cylinder.point",
      "walls[].cylinder.axis",
      "walls[].cylinder.radius",
      "walls[].mesh.file",
      "walls[].mesh.scale",
      "walls[].mesh.position",
      "walls[].mesh.turn.axis",
      "walls[].mesh.turn.angle",
      "walls[].motion.velocity",
      "walls[].motion.amplitude",
      "walls[].motion.frequency",
      "walls[].motion.phase",
      "walls[].motion.spin",
      "walls[].motion.pivot",
      "walls[].motion.belt",
      "shapes.*.box.size",
      "shapes.*.capsule.radius",
      "shapes.*.capsule.length",
      "shapes.*.cylinder.radius",
      "shapes.*.cylinder.height",
      "shapes.*.hull.points[]",
      "shapes.*.hull.file",
      "shapes.*.hull.scale",
      "shapes.*.cluster[].sphere.radius",
      "shapes.*.cluster[].box.size",
      "shapes.*.cluster[].capsule.radius",
      "shapes.*.cluster[].capsule.length",
      "shapes.*.cluster[].cylinder.radius",
      "shapes.*.cluster[].cylinder.height",
      "shapes.*.cluster[].hull.points[]",
      "shapes.*.cluster[].hull.file",
      "shapes.*.cluster[].hull.scale",
      "shapes.*.cluster[].at",
      "shapes.*.cluster[].turn.axis",
      "shapes.*.cluster[].turn.angle",
      "shapes.*.solid.file",
      "shapes.*.solid.scale",
      "fills[].region.box.lower",
      "fills[].region.box.upper",
      "fills[].region.cylinder.point",
      "fills[].region.cylinder.radius",
      "fills[].region.cylinder.height",
      "fills[].radius.min",
      "fills[].radius.max",
      "fills[].radius.median",
      "fills[].radius.deviation",
      "fills[].radius.table[]",
      "fills[].shape",
      "fills[].turned",
      "fills[].count",
      "fills[].mass",
      "fills[].material",
      "fills[].lattice",
      "fills[].spacing",
      "fills[].jitter",
      "fills[].velocity",
      "fills[].file",
      "bodies[].name",
      "bodies[].shape",
      "bodies[].turn.axis",
      "bodies[].turn.angle",
      "bodies[].inertia",
      "bodies[].array.count",
      "bodies[].array.spacing",
      "bodies[].position",
      "bodies[].radius",
      "bodies[].velocity",
      "bodies[].force",
      "bodies[].torque",
      "bodies[].spin",
      "bodies[].mass",
      "bodies[].material",
      "bodies[].motion.velocity",
      "bodies[].motion.amplitude",
      "bodies[].motion.frequency",
      "bodies[].motion.phase",
      "bodies[].motion.spin",
      "bodies[].motion.pivot",
      "joints[].kind",
      "joints[].bodies[]",
      "joints[].anchor",
      "joints[].anchors",
      "joints[].axis",
      "joints[].length",
      "joints[].limits",
      "joints[].motor.speed",
      "joints[].motor.torque",
      "joints[].motor.force",
      "joints[].compliance",
      "joints[].angular_compliance",
      "joints[].damping",
      "joints[].collide",
      "sources[].name",
      "sources[].region.box.lower",
      "sources[].region.box.upper",
      "sources[].region.cylinder.point",
      "sources[].region.cylinder.radius",
      "sources[].region.cylinder.height",
      "sources[].radius.min",
      "sources[].radius.max",
      "sources[].radius.median",
      "sources[].radius.deviation",
      "sources[].radius.table[]",
      "sources[].shape",
      "sources[].turned",
      "sources[].mass",
      "sources[].material",
      "sources[].velocity",
      "sources[].rate",
      "sources[].mass_rate",
      "sources[].start",
      "sources[].end",
      "sources[].total",
      "sinks[].name",
      "sinks[].inside.lower",
      "sinks[].inside.upper",
      "sinks[].outside.lower",
      "sinks[].outside.upper",
      "sinks[].behind.point",
      "sinks[].behind.normal",
      "measurements[].name",
      "measurements[].every",
      "measurements[].state[]",
      "measurements[].flow.point",
      "measurements[].flow.normal",
      "measurements[].flow.radius",
      "measurements[].force[]",
      "measurements[].profile.axis",
      "measurements[].profile.lower",
      "measurements[].profile.upper",
      "measurements[].profile.bins",
      "time.step",
      "time.steps",
      "time.end",
      "contact.margin",
      "contact.skin",
      "contact.recovery_speed",
      "contact.stabilisation.kind",
      "contact.stabilisation.gain",
      "contact.stabilisation.compliance",
      "contact.stabilisation.damping",
      "contact.restitution_threshold",
      "contact.warm_start",
      "contact.push_apart",
      "solver.name",
      "solver.law",
      "solver.measure",
      "solver.tolerance",
      "solver.max_iterations",
      "solver.check_every",
      "solver.bounds",
      "solver.facets",
      "solver.coupling",
      "solver.local_sweeps",
      "solver.options.*",
      "decomposition.partitioner",
      "decomposition.rebalance",
      "decomposition.threshold",
      "output.every",
      "output.contacts",
      "output.format",
      "output.fields[]",
      "output.every_kth_body",
      "output.log_every",
      "output.checkpoint_every",
      "output.checkpoint_minutes",
      "output.on_error",
  };
  return keys;
}

Override parse_override(const std::string& assignment) {
  const auto equals = assignment.find('=');
  if (equals == 0 || equals == std::string::npos) {
    throw InputError(
        fmt::format("--set {}: must be key.path=value, for example --set time.step=0.001", on_one_line(assignment)));
  }
  return {assignment.substr(0, equals), assignment.substr(equals + 1), "--set " + on_one_line(assignment)};
}

SceneDocument::SceneDocument(const std::string& text, std::string file, std::vector<Override> overrides)
    : file_(std::move(file)) {
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(text);
    if (documents.size() > 1)
      throw InputError(file_ + ": holds several YAML documents: put each into a file of its own");
    if (!documents.empty()) root_.reset(documents.front());
  } catch (const YAML::Exception& error) {
    throw InputError(fmt::format("{}:{}: malformed YAML: {}", file_, error.mark.line + 1, on_one_line(error.msg)));
  }
  if (!root_.IsMap()) throw InputError(file_ + ": must be a map of keys such as materials, walls, fills, time");
  for (Override& change : overrides) apply(change);
  check_keys(root_, "", "");
}

void SceneDocument::apply(Override& change) {
  const auto refuse = [&](const std::string& why) { throw InputError(change.origin + ": " + why); };
  YAML::Node value;
  try {
    value = YAML::Load(change.value);
  } catch (const YAML::Exception& error) {
    refuse("malformed YAML value: " + on_one_line(error.msg));
  }
  YAML::Node node;
  node.reset(root_);
  std::string path;
  for (const std::string& step : split_path(change.path)) {
    if (step.empty()) refuse("a key is missing in the path " + on_one_line(change.path));
    if (node.IsSequence()) {
      const auto index = as_index(step);
      if (!index) refuse(fmt::format("{} is a list: choose an entry by its index, {}[0]", path, path));
      if (*index >= node.size()) refuse(fmt::format("{} has only {} entries, counted from 0", path, node.size()));
      path += "[" + step + "]";
      node.reset(node[*index]);
    } else {
      if (node.IsDefined() && node.IsScalar()) refuse(path + " is a value, it has no keys below it");
      path = join_path(path, step);
      node.reset(node[step]);
    }
  }
  node = value;
  change.path = path;
  overrides_.push_back(change);
}

std::string SceneDocument::place_of(const YAML::Node& node, const std::string& path) const {
  for (auto change = overrides_.rbegin(); change != overrides_.rend(); ++change) {
    const bool below =
        path.starts_with(change->path) &&
        (path.size() == change->path.size() || path[change->path.size()] == '.' || path[change->path.size()] == '[');
    if (below) return change->origin;
  }
  const YAML::Mark mark = node.IsDefined() ? node.Mark() : YAML::Mark::null_mark();
  return mark.is_null() ? file_ : fmt::format("{}:{}", file_, mark.line + 1);
}

void SceneDocument::check_keys(const YAML::Node& node, const std::string& path, const std::string& pattern) const {
  if (node.IsMap()) {
    check_map(node, path, pattern);
  } else if (node.IsSequence()) {
    const std::vector<std::string> known = steps_below(pattern);
    if (std::find(known.begin(), known.end(), "[]") == known.end()) return;  // a vector: judged where it is read
    for (std::size_t k = 0; k < node.size(); ++k) check_keys(node[k], fmt::format("{}[{}]", path, k), pattern + "[]");
  }
}

void SceneDocument::check_map(const YAML::Node& node, const std::string& path, const std::string& pattern) const {
  const std::vector<std::string> known = steps_below(pattern);
  if (known.empty() || known.front() == "[]") return;  // a value or a list is wanted: judged where it is read
  const bool any_name = known.front() == "*";
  std::set<std::string> seen;
  for (const auto& member : node) {
    if (!member.first.IsScalar()) Entry(*this, member.first, path).fail("keys must be words");
    const std::string key = member.first.Scalar();
    const std::string member_path = join_path(path, key);
    const Entry entry(*this, member.first, member_path);
    if (!any_name && std::find(known.begin(), known.end(), key) == known.end()) {
      const auto nearest = std::min_element(known.begin(), known.end(), [&](const auto& a, const auto& b) {
        return edit_distance(a, key) < edit_distance(b, key);
      });
      entry.fail(
          fmt::format("unknown key, the nearest known key is '{}' (known here: {})", *nearest, fmt::join(known, ", ")));
    }
    if (!seen.insert(key).second) entry.fail("stands here twice: keep one");
    check_keys(member.second, member_path, join_path(pattern, any_name ? "*" : key));
  }
}

std::optional<Entry> Entry::find(const std::string& key) const {
  if (!node_.IsMap()) fail(fmt::format("must be a map of keys, is {}", quoted()));
  const YAML::Node child = node_[key];
  if (!child.IsDefined() || child.IsNull()) return std::nullopt;
  return Entry(*document_, child, join_path(path_, key));
}

Entry Entry::at(const std::string& key) const {
  const auto child = find(key);
  if (!child) fail(fmt::format("needs the key '{}'", key));
  return *child;
}

std::vector<Entry> Entry::items() const {
  if (!node_.IsSequence()) fail(fmt::format("must be a list, is {}", quoted()));
  std::vector<Entry> result;
  for (std::size_t k = 0; k < node_.size(); ++k) {
    result.emplace_back(*document_, node_[k], fmt::format("{}[{}]", path_, k));
  }
  return result;
}

std::vector<std::pair<std::string, Entry>> Entry::members() const {
  if (!node_.IsMap()) fail(fmt::format("must be a map of keys, is {}", quoted()));
  std::vector<std::pair<std::string, Entry>> result;
  for (const auto& member : node_) {
    const std::string key = member.first.Scalar();
    result.emplace_back(key, Entry(*document_, member.second, join_path(path_, key)));
  }
  return result;
}

std::string Entry::one_of(const std::vector<std::string>& choices) const {
  std::vector<std::string> present;
  for (const std::string& choice : choices) {
    if (has(choice)) present.push_back(choice);
  }
  if (present.size() != 1) {
    fail(fmt::format("needs one of {}, has {}", fmt::join(choices, ", "),
                     present.empty() ? "none" : fmt::format("{}", fmt::join(present, " and "))));
  }
  return present.front();
}

std::string Entry::text() const {
  if (!node_.IsScalar() || node_.Scalar().empty()) fail(fmt::format("must be a word, is {}", quoted()));
  return node_.Scalar();
}

bool Entry::flag() const {
  bool value = false;
  if (!node_.IsScalar() || !YAML::convert<bool>::decode(node_, value)) {
    fail(fmt::format("must be true or false, is {}", quoted()));
  }
  return value;
}

bool Entry::is_number() const {
  double value = 0.0;
  return node_.IsScalar() && YAML::convert<double>::decode(node_, value);
}

double Entry::number() const {
  double value = 0.0;
  if (!node_.IsScalar() || !YAML::convert<double>::decode(node_, value)) {
    fail(fmt::format("must be a number, is {}", quoted()));
  }
  if (!std::isfinite(value)) fail(fmt::format("must be finite, is {}", quoted()));
  if (std::abs(value) > largest_number) fail(fmt::format("must be at most 1e30 in size, is {}", quoted()));
  if (value != 0.0 && std::abs(value) < smallest_number)
    fail(fmt::format("must be 0 or at least 1e-30 in size, is {}", quoted()));
  return value;
}

double Entry::positive() const {
  const double value = number();
  if (value <= 0.0) fail(fmt::format("must be positive, is {}", quoted()));
  return value;
}

double Entry::non_negative() const {
  const double value = number();
  if (value < 0.0) fail(fmt::format("must not be negative, is {}", quoted()));
  return value;
}

double Entry::within(double low, double high) const {
  const double value = number();
  if (value < low || value > high) fail(fmt::format("must lie between {} and {}, is {}", low, high, quoted()));
  return value;
}

std::int64_t Entry::integer(std::int64_t low) const {
  const double value = number();
  if (value != std::floor(value) || std::abs(value) > 9e15)
    fail(fmt::format("must be a whole number, is {}", quoted()));
  if (value < static_cast<double>(low)) fail(fmt::format("must be at least {}, is {}", low, quoted()));
  return static_cast<std::int64_t>(value);
}

model::Vec3 Entry::vector() const {
  if (!node_.IsSequence() || node_.size() != 3) fail(fmt::format("must be a list of three numbers, is {}", quoted()));
  const std::vector<Entry> parts = items();
  return {parts[0].number(), parts[1].number(), parts[2].number()};
}

model::Vec3 Entry::direction() const {
  const model::Vec3 value = vector();
  const double length = value.stableNorm();
  if (!(length > 0.0)) fail("must be a direction, is zero: give a vector that is not");
  return value / length;
}

std::size_t Entry::choice(const std::vector<std::string>& choices) const {
  const std::string name = text();
  const auto found = std::find(choices.begin(), choices.end(), name);
  if (found == choices.end()) fail(fmt::format("must be one of {}, is {}", fmt::join(choices, ", "), quoted()));
  return static_cast<std::size_t>(found - choices.begin());
}

void Entry::fail(const std::string& message) const {
  const std::string place = document_->place_of(node_, path_);
  throw InputError(path_.empty() ? fmt::format("{}: {}", place, message)
                                 : fmt::format("{}: {}: {}", place, path_, message));
}

std::string Entry::quoted() const {
  if (node_.IsScalar()) return node_.Scalar().empty() ? "empty" : on_one_line(node_.Scalar());
  if (node_.IsSequence()) return fmt::format("a list of {}", node_.size());
  return node_.IsMap() ? "a map" : "empty";
}

}  // namespace scree::io
