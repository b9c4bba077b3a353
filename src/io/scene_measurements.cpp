#include "scree/io/scene_measurements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>

namespace scree::io {

namespace {

StateMeasure read_state(const Entry& entry) {
  static const std::vector<std::string> names{"bodies",   "kinetic_energy", "potential_energy",
                                              "momentum", "coordination",   "penetration"};
  StateMeasure state;
  for (const Entry& item : entry.items())
    state.quantities.push_back(static_cast<StateMeasure::Quantity>(item.choice(names)));
  if (state.quantities.empty()) entry.fail("must name at least one quantity");
  return state;
}

FlowMeasure read_flow(const Entry& entry) {
  FlowMeasure flow{{entry.at("point").vector(), entry.at("normal").direction()},
                   std::numeric_limits<double>::infinity()};
  if (const auto radius = entry.find("radius")) flow.radius = radius->positive();
  return flow;
}

/// A body of this name, or walls: a container is all of its sides.
ForceMeasure::Target read_target(const Entry& entry, const NamedThings& things) {
  ForceMeasure::Target target{entry.text(), -1, {}};
  const auto body = std::ranges::find(things.body_names, target.name);
  if (body != things.body_names.end() && !target.name.empty())
    target.body = things.bodies[static_cast<std::size_t>(body - things.body_names.begin())].id;
  for (std::size_t k = 0; k < things.walls.size(); ++k) {
    const std::string& name = things.walls[k].name;
    const bool is_side = name.starts_with(target.name + "-lower-") || name.starts_with(target.name + "-upper-");
    if (name == target.name || is_side) target.walls.push_back(static_cast<int>(k));
  }
  if (target.body < 0 && target.walls.empty())
    entry.fail(fmt::format("no body and no wall has the name '{}': give it one with 'name'", target.name));
  if (target.body >= 0 && !target.walls.empty())
    entry.fail(fmt::format("both a body and a wall have the name '{}': give them different ones", target.name));
  return target;
}

ForceMeasure read_force(const Entry& entry, const NamedThings& things) {
  ForceMeasure force;
  for (const Entry& item : entry.items()) force.targets.push_back(read_target(item, things));
  if (force.targets.empty()) entry.fail("must name at least one body or wall");
  return force;
}

ProfileMeasure read_profile(const Entry& entry) {
  constexpr std::int64_t most = 100'000;
  const ProfileMeasure profile{static_cast<int>(entry.at("axis").choice({"x", "y", "z"})), entry.at("lower").number(),
                               entry.at("upper").number(),
                               static_cast<int>(std::min(entry.at("bins").integer(1), most + 1))};
  if (profile.bins > most) entry.at("bins").fail(fmt::format("must be at most {}", most));
  if (!(profile.lower < profile.upper)) entry.fail("'lower' must be below 'upper'");
  return profile;
}

std::string read_file_name(const Entry& entry, const std::vector<Measurement>& others) {
  const std::string name = entry.text();
  const bool is_plain = !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_';
  });
  if (!is_plain) entry.fail("names a file: use letters, digits, '-' and '_' only");
  if (std::ranges::find(others, name, &Measurement::name) != others.end())
    entry.fail("is the name of another measurement too: choose another one");
  return name;
}

}  // namespace

std::vector<Measurement> read_measurements(const Entry& root, const NamedThings& things) {
  std::vector<Measurement> all;
  const auto section = root.find("measurements");
  if (!section) return all;
  for (const Entry& entry : section->items()) {
    Measurement one{read_file_name(entry.at("name"), all), entry.at("every").integer(1), StateMeasure{}};
    const std::string kind = entry.one_of({"state", "flow", "force", "profile"});
    const Entry what = entry.at(kind);
    if (kind == "state") one.what = read_state(what);
    if (kind == "flow") one.what = read_flow(what);
    if (kind == "force") one.what = read_force(what, things);
    if (kind == "profile") one.what = read_profile(what);
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace scree::io
