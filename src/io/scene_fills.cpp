#include "scree/io/scene_fills.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numbers>

#include "scree/io/random_fill.hpp"
#include "scree/io/scene_materials.hpp"
#include "scree/io/scene_shapes.hpp"

namespace scree::io {

namespace {

using model::BodyRecipe;
using model::Sizes;

/// Classes of radii, each with its share of the bodies.
void read_size_table(const Entry& radius, BodyRecipe& recipe) {
  if (radius.has("min") || radius.has("max") || radius.has("median"))
    radius.fail("a 'table' says all: leave the other keys out");
  recipe.sizes.kind = Sizes::Kind::table;
  recipe.radius_min = std::numeric_limits<double>::infinity();
  for (const Entry& row : radius.at("table").items()) {
    const std::vector<Entry> cells = row.items();
    if (cells.size() != 2) row.fail("must be two numbers: a radius and its share of the bodies");
    recipe.sizes.classes.push_back({cells[0].positive(), cells[1].positive()});
    recipe.radius_min = std::min(recipe.radius_min, recipe.sizes.classes.back().radius);
    recipe.radius_max = std::max(recipe.radius_max, recipe.sizes.classes.back().radius);
  }
  if (recipe.sizes.classes.empty()) radius.at("table").fail("needs at least one row: [radius, share]");
}

void read_log_normal(const Entry& radius, BodyRecipe& recipe) {
  if (radius.has("median") != radius.has("deviation"))
    radius.fail("a log-normal distribution needs both 'median' and 'deviation'");
  if (!radius.has("median")) return;
  recipe.sizes.kind = Sizes::Kind::log_normal;
  recipe.sizes.median = radius.at("median").positive();
  recipe.sizes.deviation = radius.at("deviation").positive();
  if (recipe.sizes.median < recipe.radius_min || recipe.sizes.median > recipe.radius_max)
    radius.at("median").fail("must lie between 'min' and 'max'");
}

void read_radius(const Entry& radius, BodyRecipe& recipe) {
  if (!radius.is_map()) {
    recipe.radius_min = recipe.radius_max = radius.positive();
  } else if (radius.has("table")) {
    read_size_table(radius, recipe);
  } else {
    recipe.radius_min = radius.at("min").positive();
    recipe.radius_max = radius.at("max").positive();
    if (recipe.radius_min > recipe.radius_max) radius.fail("'min' must not exceed 'max'");
    read_log_normal(radius, recipe);
  }
}

/// All of a recipe but the radii of spheres.
BodyRecipe read_kind(const Entry& entry, const Ingredients& ingredients) {
  BodyRecipe recipe;
  recipe.shape = shape_of(entry, ingredients.shapes);
  if (const auto turned = entry.find("turned")) recipe.turned = turned->flag();
  if (recipe.shape != model::sphere) {
    if (entry.has("radius")) entry.at("radius").fail("bodies with a 'shape' have its size: leave 'radius' out");
    recipe.radius_min = recipe.radius_max = ingredients.shapes[static_cast<std::size_t>(recipe.shape)].radius;
  }
  recipe.material = material_of(entry, ingredients.materials);
  recipe.density = ingredients.materials[static_cast<std::size_t>(recipe.material)].density;
  if (const auto mass = entry.find("mass")) recipe.mass = mass->positive();
  if (const auto velocity = entry.find("velocity")) recipe.velocity = velocity->vector();
  return recipe;
}

void check_width(const Entry& region, const Fill& fill) {
  constexpr double widest = 1e6;  // diameters: keeps the number of sites in 64 bits
  const model::Box bounds = bounds_of(fill.region);
  if ((bounds.upper - bounds.lower).maxCoeff() > widest * 2.0 * fill.radius_max)
    region.fail("is more than a million body diameters wide: check the units");
}

/// As many as fit on the lattice, or as the scene asks for.
void read_count(const Entry& entry, Fill& fill) {
  const std::int64_t capacity = FillSites(fill).capacity();
  if (capacity == 0) entry.at("region").fail("has no room for a single body: make it larger or 'radius' smaller");
  fill.count = capacity;
  const auto count = entry.find("count");
  if (!count) return;
  fill.count = count->integer(1);
  if (fill.count > capacity)
    count->fail(
        fmt::format("asks for {} bodies, but only {} fit: make the region larger, or 'radius' or 'spacing' smaller",
                    fill.count, capacity));
}

/// A random fill cannot say how many fit before it has been tried.
void read_random_count(const Entry& entry, Fill& fill) {
  if (entry.has("jitter")) entry.at("jitter").fail("random places are not shifted: leave it out");
  fill.jitter = 0.0;
  fill.count = entry.at("count").integer(1);
  const double diameter = 2.0 * fill.radius_max * fill.spacing;
  const double volume = std::numbers::pi / 6.0 * diameter * diameter * diameter;
  const double most = densest_random_fill * volume_of(fill.region) / volume;
  if (static_cast<double>(fill.count) > std::max(1.0, most))
    entry.at("count").fail(
        fmt::format("asks for {} bodies, but at random no more than {:.0f} have room: take a lattice, or "
                    "make the region larger",
                    fill.count, most));
}

}  // namespace

model::Box read_box(const Entry& entry) {
  const model::Box box{entry.at("lower").vector(), entry.at("upper").vector()};
  if (!(box.lower.array() < box.upper.array()).all()) entry.fail("'lower' must be below 'upper' in x, y and z");
  return box;
}

Region read_region(const Entry& entry) {
  if (entry.one_of({"box", "cylinder"}) == "box") return read_box(entry.at("box"));
  const Entry shape = entry.at("cylinder");
  return CylinderRegion{shape.at("point").vector(), shape.at("radius").positive(), shape.at("height").positive()};
}

BodyRecipe read_recipe(const Entry& entry, const Ingredients& ingredients) {
  BodyRecipe recipe = read_kind(entry, ingredients);
  if (recipe.shape == model::sphere) read_radius(entry.at("radius"), recipe);
  return recipe;
}

Fill read_fill(const Entry& entry, const Ingredients& ingredients) {
  Fill fill{read_recipe(entry, ingredients)};
  fill.region = read_region(entry.at("region"));
  if (const auto lattice = entry.find("lattice")) {
    constexpr Fill::Lattice lattices[] = {Fill::Lattice::cubic, Fill::Lattice::hexagonal, Fill::Lattice::random};
    fill.lattice = lattices[lattice->choice({"cubic", "hexagonal", "random"})];
  }
  if (const auto jitter = entry.find("jitter")) fill.jitter = jitter->non_negative();
  if (const auto spacing = entry.find("spacing")) fill.spacing = spacing->positive();
  check_width(entry.at("region"), fill);
  const bool is_random = fill.lattice == Fill::Lattice::random;
  if (is_random) read_random_count(entry, fill);
  if (fill.spacing < 1.0 + fill.jitter)
    entry.fail(fmt::format("'spacing' {} lets bodies overlap: it must be at least 1 + 'jitter' = {}", fill.spacing,
                           1.0 + fill.jitter));
  if (!is_random) read_count(entry, fill);
  return fill;
}

FileFill read_file_fill(const Entry& entry, const Ingredients& ingredients, const std::string& scene) {
  for (const char* key : {"region", "count", "lattice", "spacing", "jitter"})
    if (entry.has(key)) entry.at(key).fail("the bodies are in a 'file': leave one of the two out");
  FileFill fill{read_kind(entry, ingredients), {}};
  if (const auto radius = entry.find("radius")) {
    read_radius(*radius, fill);
    fill.has_radius = true;
  }
  fill.file = std::filesystem::path(scene).parent_path() / entry.at("file").text();
  return fill;
}

}  // namespace scree::io
