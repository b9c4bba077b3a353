#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "scree/parallel/partition.hpp"

namespace scree::parallel {

/// Collective: a key per point. A cut separates points of smaller keys from points of larger ones.
using Ruler = std::function<std::vector<std::uint64_t>(const Comm&, std::span<const double> coordinates)>;

/// Collective: halves the points at a weighted median of the ruler's keys, hands the halves to halves of the ranks and
/// goes on there, until parts 0 .. parts-1 are left. Rulers are asked anew for each cut, about the points to be cut.
///
/// Each rank takes part in log2(ranks) cuts and holds about its share of the points at a time: nothing is gathered, and
/// no list has an entry per rank. Points of equal keys are divided by their weight too.
[[nodiscard]] std::vector<int> partition_by_bisection(const Comm& comm, const WeightedPoints& points, int parts,
                                                      const Ruler& ruler);

}  // namespace scree::parallel
