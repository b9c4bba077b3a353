#pragma once

#include <functional>

#include "scree/model/geometry.hpp"
#include "scree/problem/constraint_set.hpp"

namespace scree::problem {

/// What a sweep makes of the impulse `start` of a block whose own problem is w = N x + q: its solution, or a step
/// towards it. What it leaves alone must be the solution.
using LocalSolver = std::function<model::Vec3(const ConstraintSet& set, int block, const model::Mat3& N,
                                              const model::Vec3& q, const model::Vec3& start)>;

/// How a sweep relaxes blocks.
struct Relaxation {
  LocalSolver local = {};  ///< none: each block's own problem is solved exactly, in the fastest way
  bool backward = false;   ///< in the opposite order, on all ranks
};

}  // namespace scree::problem
