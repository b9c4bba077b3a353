#pragma once

#include "scree/io/scene.hpp"

namespace scree::io {

/// How a scene is computed and what is written: its keys `time`, `contact`, `solver`, `decomposition` and `output`. The
/// materials must be known, for not every solver takes every law of theirs.
void read_settings(const Entry& root, Scene& scene);

}  // namespace scree::io
