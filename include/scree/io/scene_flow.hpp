#pragma once

#include "scree/dynamics/flow.hpp"
#include "scree/io/scene_document.hpp"
#include "scree/io/scene_fills.hpp"

namespace scree::io {

/// One entry of the section `sources`.
[[nodiscard]] dynamics::Source read_source(const Entry& entry, const Ingredients& ingredients);

/// One entry of the section `sinks`.
[[nodiscard]] dynamics::Sink read_sink(const Entry& entry);

}  // namespace scree::io
