#pragma once

#include <petscvec.h>

#include <optional>
#include <string_view>
#include <vector>

#include "scree/model/geometry.hpp"
#include "scree/problem/admissible_set.hpp"

namespace scree::problem {

/// The admissible set of a contact impulse x = (x_n, x_t, x_o) (seed 000, table 1), and the law between it and w. All
/// but the last are convex: w lies in the dual of the tangent cone at x.
enum class Law {
  frictionless,  ///< x_n >= 0, x_t = x_o = 0
  box,           ///< x_n >= 0, |x_t|, |x_o| <= bound: friction bounds are data
  pyramid,       ///< x_n >= 0, |x_t|, |x_o| <= mu x_n
  prism,         ///< x_n >= 0, (x_t, x_o) in the regular polygon inscribed in the disc of radius bound
  polyhedral,    ///< the same with radius mu x_n
  cylinder,      ///< x_n >= 0, |(x_t, x_o)| <= bound (Tresca)
  cone,          ///< |(x_t, x_o)| <= mu x_n, and w in the dual cone (convex; seed 000 eq. 12, seed 003 eq. 9)
  coulomb,       ///< the same set, and w + mu |w_T| n in the dual cone (De Saxce): a sliding contact stays
};

struct LawInfo {
  Law law;
  std::string_view name;
  std::string_view description;
};
[[nodiscard]] const std::vector<LawInfo>& laws();
[[nodiscard]] std::string_view name_of(Law law);
[[nodiscard]] std::optional<Law> law_named(std::string_view name);

[[nodiscard]] constexpr bool has_fixed_bounds(Law law) {
  return law == Law::box || law == Law::prism || law == Law::cylinder;
}
[[nodiscard]] constexpr bool is_convex(Law law) { return law != Law::coulomb; }

/// K, the product of the admissible sets of this rank's blocks of three rows: contacts, which all have the same law,
/// then joints.
struct ConstraintSet {
  Law law = Law::frictionless;
  std::vector<double> friction;        ///< mu, per contact; there are as many contacts as entries
  std::vector<double> bound;           ///< radius of the section, per contact (box, prism, cylinder; N s)
  int facets = 8;                      ///< of the polygon in the tangential plane (prism, polyhedral): even, 4 or more
  std::vector<RowBounds> joints = {};  ///< the last blocks

  [[nodiscard]] int contact_count() const { return static_cast<int>(friction.size()); }
  [[nodiscard]] bool is_joint(int block) const { return block >= contact_count(); }

  /// The set of one block.
  [[nodiscard]] AdmissibleSet operator[](int block) const;

  /// x <- P_K(x): the nearest admissible point, block by block.
  void project(Vec x) const;

  /// The same in the metric that `metric`, positive, is the diagonal of.
  void project(Vec x, Vec metric) const;

  /// y <- P_T(g), the projection of -g onto the tangent cone of K at x, negated: zero exactly where x is optimal
  /// (seed 003 eq. 14 for frictionless contacts).
  void project_gradient(Vec x, Vec g, Vec y) const;

  /// free <- 1 for components of x strictly between their bounds, 0 for active ones. For sets of bounds
  /// and cylinders, on whose rim both tangential components count as active.
  void mark_free(Vec x, Vec free) const;

  /// De Saxce's shift: what stands in place of w in the law of one block. For `coulomb` w + mu |w_T| n, else w.
  [[nodiscard]] model::Vec3 shifted(int block, const model::Vec3& w) const;
};

}  // namespace scree::problem
