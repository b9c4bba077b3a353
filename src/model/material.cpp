#include "scree/model/material.hpp"

#include <algorithm>

namespace scree::model {

Surface surface_between(const Material& a, const Material& b) {
  return {std::min(a.friction, b.friction), std::min(a.restitution, b.restitution), a.compliance + b.compliance,
          std::max(a.damping, b.damping),  // none is less than any
          std::nullopt};
}

SurfaceTable::SurfaceTable(const std::vector<Material>& materials, const std::vector<MaterialPair>& exceptions)
    : count_(materials.size()) {
  surfaces_.reserve(count_ * count_);
  for (const Material& a : materials)
    for (const Material& b : materials) surfaces_.push_back(surface_between(a, b));
  for (const MaterialPair& pair : exceptions)
    surfaces_[index_of(pair.a, pair.b)] = surfaces_[index_of(pair.b, pair.a)] = pair.surface;
}

bool SurfaceTable::is_rigid() const {
  return std::ranges::all_of(surfaces_, [](const Surface& surface) { return surface.compliance == 0.0; });
}

LawSet SurfaceTable::own_laws() const {
  LawSet laws;
  for (const Surface& surface : surfaces_)
    if (surface.law) laws.insert(*surface.law);
  return laws;
}

}  // namespace scree::model
