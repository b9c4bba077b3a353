#pragma once

#include <petscvec.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scree/model/geometry.hpp"

namespace scree::problem {

/// The admissible set of a contact impulse x = (x_n, x_t, x_o) (seed 000, table 1).
enum class Law {
  frictionless,  ///< x_n >= 0, x_t = x_o = 0
  box,           ///< x_n >= 0, |x_t|, |x_o| <= bound: friction bounds are data
  cone,          ///< |(x_t, x_o)| <= mu x_n, and w in the dual cone (convex; seed 000 eq. 12, seed 003 eq. 9)
};

struct LawInfo {
  Law law;
  std::string_view name;
  std::string_view description;
};
[[nodiscard]] const std::vector<LawInfo>& laws();
[[nodiscard]] std::string_view name_of(Law law);
[[nodiscard]] std::optional<Law> law_named(std::string_view name);

/// K, the product of the admissible sets of this rank's contacts.
struct ConstraintSet {
  Law law = Law::frictionless;
  std::vector<double> friction;  ///< mu, per contact (cone)
  std::vector<double> bound;     ///< largest tangential impulse in each direction, per contact (box; N s)

  /// x <- P_K(x): the nearest admissible point, contact by contact.
  void project(Vec x) const;

  /// y <- P_T(g), the projection of -g onto the tangent cone of K at x, negated: zero exactly where x is optimal
  /// (seed 003 eq. 14 for frictionless contacts).
  void project_gradient(Vec x, Vec g, Vec y) const;

  /// free <- 1 for components of x strictly between their bounds, 0 for active ones. For sets of bounds only.
  void mark_free(Vec x, Vec free) const;
};

/// One contact's projection in the Euclidean metric.
[[nodiscard]] model::Vec3 project_on_box(const model::Vec3& x, double bound);
[[nodiscard]] model::Vec3 project_on_cone(const model::Vec3& x, double mu);

}  // namespace scree::problem
