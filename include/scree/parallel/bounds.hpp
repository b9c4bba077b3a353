#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "scree/parallel/comm.hpp"

namespace scree::parallel {

/// The smallest box around points of all ranks.
struct Bounds {
  std::array<double, 3> lower{};
  std::array<double, 3> upper{};

  [[nodiscard]] double side(std::size_t axis) const { return upper[axis] - lower[axis]; }
  [[nodiscard]] double longest_side() const;
};

/// Collective: the bounds of points x, y, z, x, y, z, ..., the origin alone where no rank has any.
[[nodiscard]] Bounds bounds_of(const Comm& comm, std::span<const double> coordinates);

}  // namespace scree::parallel
