#pragma once

#include <optional>
#include <string>

#include "scree/io/fill.hpp"
#include "scree/model/wall.hpp"

namespace scree::io {

/// Geometric plausibility of a scene. Each function says what is wrong, or nothing.

/// Two walls must leave room for a sphere of this diameter between them. Sees planes that face each other, and tubes
/// that are parallel to the other wall.
[[nodiscard]] std::optional<std::string> lack_of_room(const model::Wall& a, const model::Wall& b, double diameter);

/// A tube must be wider than the largest sphere.
[[nodiscard]] std::optional<std::string> lack_of_room(const model::Wall& wall, double diameter);

/// A region must lie on the free side of a wall.
[[nodiscard]] std::optional<std::string> region_behind(const Region& region, const model::Wall& wall);

/// Whether two regions share a volume.
[[nodiscard]] bool regions_overlap(const Region& a, const Region& b);

}  // namespace scree::io
