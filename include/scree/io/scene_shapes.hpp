#pragma once

#include <optional>
#include <vector>

#include "scree/io/scene_document.hpp"
#include "scree/io/scene_meshes.hpp"
#include "scree/model/shape.hpp"
#include "scree/model/wall.hpp"

namespace scree::io {

/// Reads the section `shapes` of a scene.
[[nodiscard]] std::vector<model::Shape> read_shapes(const Entry& root, const SceneMeshes& meshes);

/// The number of the shape that an entry names with its key `shape`; `model::sphere` if it has none.
[[nodiscard]] int shape_of(const Entry& entry, const std::vector<model::Shape>& shapes);

/// The attitude that the key `turn` of an entry gives; none if it has no such key.
[[nodiscard]] model::Quat read_turn(const Entry& entry);

/// The narrowest gap between walls that a shape may fit through (m); 0 where it is not known.
[[nodiscard]] double narrowest_width(const model::Shape& shape);

/// How deep a body reaches into a plane or a tube (m), negative if it does not.
[[nodiscard]] double depth_in_wall(const model::Body& body, const std::vector<model::Shape>& shapes,
                                   const model::Wall& wall);

}  // namespace scree::io
