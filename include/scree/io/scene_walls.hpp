#pragma once

#include <string>
#include <vector>

#include "scree/io/scene_document.hpp"
#include "scree/io/scene_meshes.hpp"
#include "scree/model/wall.hpp"

namespace scree::io {

/// The surfaces of an entry of `walls` that is of this kind: `plane`, `container`, `cylinder` or `mesh`.
[[nodiscard]] std::vector<model::Wall> read_surfaces(const Entry& entry, const std::string& kind,
                                                     const SceneMeshes& meshes);

/// Reads the key `motion` of an entry of `walls` into the walls that the entry made.
void read_motion(const Entry& entry, const std::string& kind, std::vector<model::Wall>& walls);

/// Reads a `motion` without a belt. What it moves turns about `pivot` (m) if the motion does not say otherwise.
[[nodiscard]] model::WallMotion read_motion(const Entry& entry, const model::Vec3& pivot);

}  // namespace scree::io
