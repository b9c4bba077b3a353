#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace scree::model {

struct Material {
  std::string name;
  double density = 1000.0;   ///< kg/m^3
  double friction = 0.0;     ///< Coulomb coefficient mu
  double restitution = 0.0;  ///< Newton's coefficient, 0 (no rebound) to 1
};

/// What a pair of touching materials has in common.
struct Surface {
  double friction;
  double restitution;
};

/// The weaker partner decides: the smaller coefficient of friction and of restitution.
[[nodiscard]] inline Surface surface_between(const Material& a, const Material& b) {
  return {std::min(a.friction, b.friction), std::min(a.restitution, b.restitution)};
}

}  // namespace scree::model
