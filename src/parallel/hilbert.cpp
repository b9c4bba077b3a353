#include "scree/parallel/hilbert.hpp"

#include <algorithm>
#include <cmath>

#include "scree/parallel/bisection.hpp"
#include "scree/parallel/bounds.hpp"

namespace scree::parallel {

// J. Skilling, Programming the Hilbert curve, AIP Conference Proceedings 707, 2004: turns and mirrors of the sub-cubes
// are undone from the largest to the smallest, what is left is a Gray code.
std::uint64_t hilbert_key(std::array<std::uint32_t, 3> cell) {
  auto& x = cell;
  for (std::uint32_t half = 1U << (hilbert_bits - 1); half > 1; half >>= 1U) {
    const std::uint32_t rest = half - 1;
    for (std::uint32_t& coordinate : x) {
      if ((coordinate & half) != 0) {
        x[0] ^= rest;
      } else {
        const std::uint32_t swapped = (x[0] ^ coordinate) & rest;
        x[0] ^= swapped;
        coordinate ^= swapped;
      }
    }
  }
  x[1] ^= x[0];
  x[2] ^= x[1];
  std::uint32_t mirrored = 0;
  for (std::uint32_t half = 1U << (hilbert_bits - 1); half > 1; half >>= 1U)
    if ((x[2] & half) != 0) mirrored ^= half - 1;
  std::uint64_t key = 0;
  for (int bit = hilbert_bits - 1; bit >= 0; --bit)
    for (const std::uint32_t coordinate : x)
      key = key << 1U | (((coordinate ^ mirrored) >> static_cast<unsigned>(bit)) & 1U);
  return key;
}

namespace {

/// The cube that the curve fills. Its side is a power of two and its corner lies on a lattice, so that points that move
/// a little see the same curve, and most of them stay in their parts.
struct CurveCube {
  std::array<double, 3> corner;
  double side;

  explicit CurveCube(const Bounds& bounds) : corner(bounds.lower), side(bounds.longest_side()) {
    if (!(side > 0.0)) return;
    side = std::exp2(std::ceil(std::log2(2.0 * side)));
    // The corner is less than a spacing below the points, which reach no further than that. The lattice avoids the
    // origin: there are walls, where the lowest body now is on this side of it and now on that.
    const double spacing = 0.5 * side;
    for (double& coordinate : corner) coordinate = spacing * (std::floor(coordinate / spacing - 0.5) + 0.5);
  }

  [[nodiscard]] std::uint64_t key_of(const double* position) const {
    constexpr double cells = 1U << hilbert_bits;
    std::array<std::uint32_t, 3> cell{};
    for (std::size_t axis = 0; axis < 3 && side > 0.0; ++axis) {
      const double place = (position[axis] - corner[axis]) / side * cells;
      cell[axis] = static_cast<std::uint32_t>(std::clamp(place, 0.0, cells - 1.0));
    }
    return hilbert_key(cell);
  }
};

}  // namespace

std::vector<int> partition_by_hilbert_curve(const Comm& comm, const WeightedPoints& points, int parts) {
  const CurveCube cube(bounds_of(comm, points.coordinates));
  return partition_by_bisection(comm, points, parts, [&](const Comm&, std::span<const double> coordinates) {
    std::vector<std::uint64_t> keys(coordinates.size() / 3);
    for (std::size_t k = 0; k < keys.size(); ++k) keys[k] = cube.key_of(coordinates.data() + 3 * k);
    return keys;
  });
}

}  // namespace scree::parallel
