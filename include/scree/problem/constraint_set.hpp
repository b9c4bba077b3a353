#pragma once

#include <petscvec.h>

#include <optional>
#include <vector>

#include "scree/model/contact_law.hpp"
#include "scree/model/geometry.hpp"
#include "scree/problem/admissible_set.hpp"
#include "scree/problem/friction.hpp"

namespace scree::problem {

using model::has_fixed_bounds;
using model::is_convex;
using model::Law;
using model::LawInfo;
using model::laws;
using model::LawSet;
using model::name_of;

/// K, the product of the admissible sets of this rank's blocks of three rows: contacts, then joints.
struct ConstraintSet {
  Law law = Law::frictionless;         ///< of contacts that have none of their own
  Friction friction;                   ///< per contact; there are as many contacts as entries
  std::vector<double> bound;           ///< radius of the section, per contact (box, prism, cylinder; N s)
  int facets = 8;                      ///< of the polygon in the tangential plane (prism, polyhedral): even, 4 or more
  std::vector<RowBounds> joints = {};  ///< the last blocks
  LawSet exceptions = {};              ///< the laws that contacts have of their own, the same on every rank
  std::vector<std::optional<Law>> own_law = {};  ///< per contact, where there are exceptions

  [[nodiscard]] LawSet all_laws() const;
  [[nodiscard]] Law law_of(int contact) const {
    return exceptions.empty() ? law : own_law[static_cast<std::size_t>(contact)].value_or(law);
  }
  [[nodiscard]] bool obeys_coulomb(int block) const { return !is_joint(block) && law_of(block) == Law::coulomb; }

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

  /// free <- 1 for components of x strictly between their bounds, 0 for active ones; the tangential components of a
  /// disc or polygon go together. For sections that do not grow.
  void mark_free(Vec x, Vec free) const;

  /// The largest t for which x - t g stays in this rank's part of K. For sections that do not grow.
  [[nodiscard]] double reach(Vec x, Vec g) const;

  /// De Saxce's shift: what stands in place of w in the law of one block. For `coulomb` w + mu |w_T| n, else w.
  [[nodiscard]] model::Vec3 shifted(int block, const model::Vec3& w) const;
};

}  // namespace scree::problem
