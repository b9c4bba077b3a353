#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scree/io/fill.hpp"
#include "scree/parallel/comm.hpp"

namespace scree::io {

/// Random sequential addition reaches this share of a region's volume at most, and long before that it gets slow.
inline constexpr double densest_random_fill = 0.38;

/// Collective: this rank's places for the bodies of a random fill; the places of all ranks, one after another, are
/// `fill.count`, and the same on any number of ranks. Throws InputError, which begins with `origin`, if fewer find
/// room.
///
/// Random sequential addition: points are tried in a random order, and each stays that is no nearer than a diameter
/// (with spacing) to one that stays already, until there are enough. Points belong to cells as wide as a diameter, and
/// both point and turn follow from the cell, so that whether a point stays can be found from the cells around it alone.
[[nodiscard]] std::vector<model::Vec3> random_sites(const parallel::Comm& comm, const Fill& fill, std::uint64_t seed,
                                                    int fill_number, const std::string& origin);

}  // namespace scree::io
