#include "scree/io/scene_materials.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <string>
#include <utility>

namespace scree::io {

using model::Material;
using model::MaterialPair;

namespace {

/// The keys that a material and a pair of materials have in common, where they are given.
template <typename Target>
void read_surface(const Entry& entry, Target& target) {
  if (const auto value = entry.find("friction")) target.friction = value->non_negative();
  if (const auto value = entry.find("restitution")) target.restitution = value->within(0.0, 1.0);
  if (const auto value = entry.find("compliance")) target.compliance = value->non_negative();
  if (const auto value = entry.find("damping")) target.damping = value->non_negative();
}

}  // namespace

std::vector<Material> read_materials(const Entry& root) {
  std::vector<Material> materials;
  if (const auto list = root.find("materials")) {
    for (const auto& [name, entry] : list->members()) {
      Material material{.name = name};
      if (const auto value = entry.find("density")) material.density = value->positive();
      read_surface(entry, material);
      materials.push_back(material);
    }
  }
  if (materials.empty()) materials.push_back({.name = "default"});
  return materials;
}

std::vector<MaterialPair> read_material_pairs(const Entry& root, const std::vector<Material>& materials) {
  std::vector<MaterialPair> pairs;
  const auto list = root.find("material_pairs");
  if (!list) return pairs;
  const std::vector<std::string> names = names_of(materials);
  std::set<std::pair<int, int>> known;
  for (const Entry& entry : list->items()) {
    const Entry between = entry.at("between");
    const std::vector<Entry> partners = between.items();
    if (partners.size() != 2) between.fail("must be two names of materials, which may be the same");
    const int a = static_cast<int>(partners[0].choice(names)), b = static_cast<int>(partners[1].choice(names));
    if (!known.insert(std::minmax(a, b)).second) between.fail("stands here twice: keep one of the entries");
    MaterialPair pair{a, b,
                      surface_between(materials[static_cast<std::size_t>(a)], materials[static_cast<std::size_t>(b)])};
    read_surface(entry, pair.surface);
    if (const auto law = entry.find("law")) pair.surface.law = model::laws()[law->choice(names_of(model::laws()))].law;
    pairs.push_back(pair);
  }
  return pairs;
}

int material_of(const Entry& entry, const std::vector<Material>& materials) {
  const std::vector<std::string> names = names_of(materials);
  if (const auto chosen = entry.find("material")) return static_cast<int>(chosen->choice(names));
  if (names.size() > 1) entry.fail(fmt::format("needs the key 'material': one of {}", fmt::join(names, ", ")));
  return 0;
}

}  // namespace scree::io
