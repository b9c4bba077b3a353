#pragma once

#include <vector>

#include "scree/collision/manifold.hpp"
#include "scree/model/bodies.hpp"
#include "scree/model/shape.hpp"

namespace scree::collision {

/// A body that is in no list of bodies yet, where it is.
[[nodiscard]] Placed placed(const model::Body& body, const std::vector<model::Shape>& shapes);

}  // namespace scree::collision
