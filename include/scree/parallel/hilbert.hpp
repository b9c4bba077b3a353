#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "scree/parallel/partition.hpp"

namespace scree::parallel {

/// Bits per axis of the cells that a Hilbert curve visits.
inline constexpr int hilbert_bits = 21;

/// When the Hilbert curve through the 2^63 cells of a cube visits this one. Successive cells share a face.
[[nodiscard]] std::uint64_t hilbert_key(std::array<std::uint32_t, 3> cell);

/// Collective: pieces of equal weight of the Hilbert curve through all points.
[[nodiscard]] std::vector<int> partition_by_hilbert_curve(const Comm& comm, const WeightedPoints& points, int parts);

}  // namespace scree::parallel
