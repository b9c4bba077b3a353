#include "scree/parallel/bounds.hpp"

#include <algorithm>
#include <limits>

namespace scree::parallel {

double Bounds::longest_side() const { return std::max({side(0), side(1), side(2)}); }

Bounds bounds_of(const Comm& comm, std::span<const double> coordinates) {
  constexpr double nowhere = std::numeric_limits<double>::lowest();
  std::array<double, 6> extremes;  // of x, y, z, then of -x, -y, -z: one reduction finds both ends
  extremes.fill(nowhere);
  for (std::size_t k = 0; k < coordinates.size(); ++k) {
    extremes[k % 3] = std::max(extremes[k % 3], coordinates[k]);
    extremes[3 + k % 3] = std::max(extremes[3 + k % 3], -coordinates[k]);
  }
  comm.max(extremes);
  Bounds bounds;
  if (extremes[0] == nowhere) return bounds;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    bounds.upper[axis] = extremes[axis];
    bounds.lower[axis] = -extremes[3 + axis];
  }
  return bounds;
}

}  // namespace scree::parallel
