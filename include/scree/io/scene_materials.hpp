#pragma once

#include <vector>

#include "scree/io/scene_document.hpp"
#include "scree/model/material.hpp"

namespace scree::io {

/// The key `materials` of a scene; one with all defaults where there is none.
[[nodiscard]] std::vector<model::Material> read_materials(const Entry& root);

/// The key `material_pairs`: what a pair does not say follows from its materials.
[[nodiscard]] std::vector<model::MaterialPair> read_material_pairs(const Entry& root,
                                                                   const std::vector<model::Material>& materials);

/// The index of the material that the entry names; it may leave that out if there is only one.
[[nodiscard]] int material_of(const Entry& entry, const std::vector<model::Material>& materials);

}  // namespace scree::io
