#include "scree/parallel/rcb.hpp"

#include <bit>

#include "scree/parallel/bisection.hpp"
#include "scree/parallel/bounds.hpp"

namespace scree::parallel {

namespace {

/// A whole number for each double, in the same order. Zeros of either sign are the same place.
std::uint64_t ordered_bits(double value) {
  constexpr std::uint64_t sign = 1ULL << 63U;
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

std::vector<std::uint64_t> along_longest_side(const Comm& comm, std::span<const double> coordinates) {
  const Bounds bounds = bounds_of(comm, coordinates);
  std::size_t axis = 0;
  for (std::size_t other : {1U, 2U})
    if (bounds.side(other) > bounds.side(axis)) axis = other;
  std::vector<std::uint64_t> keys(coordinates.size() / 3);
  for (std::size_t k = 0; k < keys.size(); ++k) keys[k] = ordered_bits(coordinates[3 * k + axis]);
  return keys;
}

}  // namespace

std::vector<int> partition_by_planes(const Comm& comm, const WeightedPoints& points, int parts) {
  return partition_by_bisection(comm, points, parts, along_longest_side);
}

}  // namespace scree::parallel
