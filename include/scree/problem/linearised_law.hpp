#pragma once

#include "scree/model/geometry.hpp"
#include "scree/problem/constraint_set.hpp"

namespace scree::problem {

/// The law of a block as an equation, linearised: F(x) = x - P(y) with y = x - rho w, and C = P'(y), so that
/// F' = I - C (I - rho N). P is the projection of the block's set; for Coulomb's law that of Alart and Curnier: x_n is
/// cut off at 0, and x_T at the disc whose radius is mu times the x_n to come.
struct LinearisedLaw {
  model::Vec3 F;
  model::Mat3 C;
};

[[nodiscard]] LinearisedLaw linearise_law(const ConstraintSet& set, int block, const model::Vec3& x,
                                          const model::Vec3& y);

/// F alone.
[[nodiscard]] model::Vec3 law_residual(const ConstraintSet& set, int block, const model::Vec3& x, const model::Vec3& y);

}  // namespace scree::problem
