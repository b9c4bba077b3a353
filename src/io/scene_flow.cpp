#include "scree/io/scene_flow.hpp"

namespace scree::io {

namespace {

/// What the log and the JSON call it: by default its place in the list.
std::string name_of(const Entry& entry) {
  const auto given = entry.find("name");
  return given ? given->text() : entry.path();
}

}  // namespace

dynamics::Source read_source(const Entry& entry, const Ingredients& ingredients) {
  dynamics::Source source{name_of(entry), read_region(entry.at("region")), read_recipe(entry, ingredients)};
  source.by_mass = entry.one_of({"rate", "mass_rate"}) == "mass_rate";
  source.rate = entry.at(source.by_mass ? "mass_rate" : "rate").positive();
  if (const auto start = entry.find("start")) source.start = start->non_negative();
  if (const auto end = entry.find("end")) source.end = end->non_negative();
  if (!(source.start < source.end)) entry.at("end").fail("must come after 'start'");
  if (const auto total = entry.find("total")) source.total = total->integer(1);
  const model::Box bounds = bounds_of(source.region);
  if ((bounds.upper - bounds.lower).minCoeff() < 2.0 * source.recipe.radius_max)
    entry.at("region").fail("has no room for the largest body: make it larger");
  return source;
}

dynamics::Sink read_sink(const Entry& entry) {
  const std::string kind = entry.one_of({"inside", "outside", "behind"});
  const Entry shape = entry.at(kind);
  if (kind == "inside") return {name_of(entry), dynamics::Sink::Inside{read_box(shape)}};
  if (kind == "outside") return {name_of(entry), dynamics::Sink::Outside{read_box(shape)}};
  return {name_of(entry), model::Plane{shape.at("point").vector(), shape.at("normal").direction()}};
}

}  // namespace scree::io
