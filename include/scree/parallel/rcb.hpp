#pragma once

#include <vector>

#include "scree/parallel/partition.hpp"

namespace scree::parallel {

/// Collective: recursive coordinate bisection. Each cut is a plane across the longest side of the box around the points
/// to be cut (M. J. Berger and S. H. Bokhari, IEEE Transactions on Computers 36, 1987).
[[nodiscard]] std::vector<int> partition_by_planes(const Comm& comm, const WeightedPoints& points, int parts);

}  // namespace scree::parallel
