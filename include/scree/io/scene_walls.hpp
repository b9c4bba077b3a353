#pragma once

#include <string>
#include <vector>

#include "scree/io/scene_document.hpp"
#include "scree/model/wall.hpp"

namespace scree::io {

/// Reads the key `motion` of an entry of `walls` into the walls that the entry made from the shape of this kind.
void read_motion(const Entry& entry, const Entry& shape, const std::string& kind, std::vector<model::Wall>& walls);

}  // namespace scree::io
