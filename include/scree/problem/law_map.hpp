#pragma once

#include "scree/model/geometry.hpp"
#include "scree/problem/constraint_set.hpp"

namespace scree::problem {

/// P(y) of a block and its derivative; where it has a kink, one of its one-sided derivatives.
struct LawMap {
  model::Vec3 value;
  model::Mat3 derivative;
};

/// How the bounds of friction enter the derivative.
enum class BoundsInDerivative { variable, constant };

/// The map P by which x solves the law exactly if x = P(x - rho w), for any rho > 0 that is the same for all rows: the
/// projection on to the set, for Coulomb's law that of Alart and Curnier, in which x_n is cut off at 0 and x_T at the
/// disc of radius mu y_n. Its derivative is not symmetric, but for `constant`, which takes the radius for given (seed
/// 000 section 3.3).
[[nodiscard]] LawMap law_map(const ConstraintSet& set, int block, const model::Vec3& y,
                             BoundsInDerivative bounds = BoundsInDerivative::variable);

}  // namespace scree::problem
