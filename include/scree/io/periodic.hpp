#pragma once

#include <optional>
#include <string>

#include "scree/io/fill.hpp"
#include "scree/io/scene_document.hpp"
#include "scree/model/periodicity.hpp"
#include "scree/model/wall.hpp"

namespace scree::io {

/// Reads the section `periodic` of a scene: a range for each axis along which space repeats itself.
[[nodiscard]] model::Periodicity read_periodicity(const Entry& section);

/// What of a scene does not fit into periodic space. Each function says what is wrong, or nothing.

/// A wall must look the same in every period, at any time.
[[nodiscard]] std::optional<std::string> misfit(const model::Periodicity& space, const model::Wall& wall);

/// A region must lie within the first period.
[[nodiscard]] std::optional<std::string> misfit(const model::Periodicity& space, const Region& region);

/// The centre of a body must lie within the first period.
[[nodiscard]] std::optional<std::string> misfit(const model::Periodicity& space, const model::Vec3& centre);

/// A container has no walls where space repeats itself.
void open_periodic_sides(const model::Periodicity& space, std::vector<model::Wall>& container);

}  // namespace scree::io
