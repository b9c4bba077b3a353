#pragma once

#include "scree/dynamics/simulation.hpp"
#include "scree/io/point_cloud.hpp"
#include "scree/model/shape.hpp"

namespace scree::io {

/// The surface of a form as polygons, counter-clockwise seen from outside; round ones in steps of 15 degrees.
[[nodiscard]] model::Hull polygons_of(const model::Form& form);

/// The surfaces of the selected ones of the owned bodies that have a shape, with the id and the velocity of the body at
/// each corner.
[[nodiscard]] PointCloud surfaces_of_bodies(const dynamics::Simulation& simulation, const Selection& selection = {});

}  // namespace scree::io
