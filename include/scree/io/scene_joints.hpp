#pragma once

#include <string>
#include <vector>

#include "scree/dynamics/stabilisation.hpp"
#include "scree/io/scene_document.hpp"
#include "scree/model/bodies.hpp"
#include "scree/model/joint.hpp"

namespace scree::io {

/// The listed bodies of a scene as joints name them.
struct NamedBodies {
  const std::vector<model::Body>& bodies;
  const std::vector<std::string>& names;  ///< empty: none
};

/// Reads an entry of `joints`. The bodies are as they are at the start.
[[nodiscard]] model::Joint read_joint(const Entry& entry, std::int64_t id, const NamedBodies& bodies);

/// Reads `contact.stabilisation` into what is given so far.
void read_stabilisation(const Entry& entry, dynamics::Stabilisation& stabilisation);

}  // namespace scree::io
