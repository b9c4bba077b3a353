#include "scree/problem/linearised_law.hpp"

#include "scree/problem/law_map.hpp"

namespace scree::problem {

using model::Vec3;

Vec3 law_residual(const ConstraintSet& set, int block, const Vec3& x, const Vec3& y) {
  return x - law_map(set, block, y).value;
}

LinearisedLaw linearise_law(const ConstraintSet& set, int block, const Vec3& x, const Vec3& y) {
  const LawMap map = law_map(set, block, y);
  return {x - map.value, map.derivative};
}

}  // namespace scree::problem
