#pragma once

#include <string>
#include <vector>

#include "scree/io/measurements.hpp"
#include "scree/io/scene_document.hpp"
#include "scree/model/wall.hpp"

namespace scree::io {

/// What measurements may name.
struct NamedThings {
  const std::vector<model::Wall>& walls;
  const std::vector<model::Body>& bodies;      ///< listed ones
  const std::vector<std::string>& body_names;  ///< theirs, empty where there is none
};

/// The section `measurements` of a scene.
[[nodiscard]] std::vector<Measurement> read_measurements(const Entry& root, const NamedThings& things);

}  // namespace scree::io
