#pragma once

#include <petscvec.h>

#include <cstdint>

#include "scree/parallel/memory.hpp"

namespace scree::solvers {

/// A copy of this rank's impulses that takes no room for blocks that are zero, which most are in a bed: contacts enter
/// the problem before they touch. All zero until something is kept.
class KeptIterate {
 public:
  void keep(Vec x);
  /// x <- what was kept. x must be laid out as it was then.
  void restore(Vec x) const;

 private:
  parallel::LargeArray<std::uint8_t> bears_;  ///< eight blocks a byte
  parallel::LargeArray<double> values_;       ///< of the blocks that bear an impulse, three each
};

}  // namespace scree::solvers
