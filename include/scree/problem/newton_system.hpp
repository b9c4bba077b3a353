#pragma once

#include <petscvec.h>

#include <vector>

#include "scree/model/geometry.hpp"
#include "scree/problem/block_lu.hpp"
#include "scree/problem/block_matrix.hpp"
#include "scree/problem/contact_operator.hpp"

namespace scree::problem {

/// The linear systems of Newton's method on a contact problem, (P + Q N) d = b with block diagonal P and Q, solved by
/// factors of the whole matrix, which every rank has and computes alike: for small and middle problems.
class NewtonSystem {
 public:
  /// Collective.
  explicit NewtonSystem(const ContactOperator& N);

  /// Collective: false if the matrix is singular, as far as rounding shows; then d is left alone. P, Q: this rank's.
  [[nodiscard]] bool solve(const std::vector<model::Mat3>& P, const std::vector<model::Mat3>& Q, Vec b, Vec d);

 private:
  const parallel::Comm& comm_;
  int first_ = 0;  ///< this rank's blocks begin here
  BlockMatrix N_;
  BlockLu lu_;
  std::vector<double> d_;
};

}  // namespace scree::problem
