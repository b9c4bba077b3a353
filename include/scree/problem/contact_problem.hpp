#pragma once

#include <memory>

#include "scree/parallel/petsc.hpp"
#include "scree/problem/constraint_set.hpp"
#include "scree/problem/contact_operator.hpp"

namespace scree::problem {

/// Find x in K with the law between x and w = N x + r. For a convex law x minimises
/// q(x) = 1/2 x.N x + r.x over K (seed 000 eq. 10, seed 003 eq. 10).
struct ContactProblem {
  std::unique_ptr<const ContactOperator> N;
  parallel::Vector r;
  ConstraintSet K;

  /// A zero impulse vector of this problem. Collective.
  [[nodiscard]] parallel::Vector make_vector() const { return parallel::Vector::like(r); }
};

}  // namespace scree::problem
