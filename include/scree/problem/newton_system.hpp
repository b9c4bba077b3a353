#pragma once

#include <petscvec.h>

#include <vector>

#include "scree/model/geometry.hpp"
#include "scree/problem/block_lu.hpp"
#include "scree/problem/block_matrix.hpp"
#include "scree/problem/contact_operator.hpp"

namespace scree::problem {

/// Collective: throws InputError on all ranks if the factors of a matrix of so many blocks, on every rank, would take
/// more than the memory that is left. Ranks may all share one machine.
void require_memory(const parallel::Comm& comm, const FactorCost& cost, int blocks);

/// The linear systems of Newton's method on a contact problem, (P + Q N) d = b with block diagonal P and Q, solved by
/// factors of the whole matrix, which every rank has and computes alike: for small and middle problems.
class NewtonSystem {
 public:
  /// Collective. Throws InputError if the factors do not fit into the memory that is left.
  explicit NewtonSystem(const ContactOperator& N);

  [[nodiscard]] const FactorCost& cost() const { return lu_.cost(); }

  /// Collective: false if the matrix is singular, as far as rounding shows. P, Q: this rank's.
  [[nodiscard]] bool factorise(const std::vector<model::Mat3>& P, const std::vector<model::Mat3>& Q);

  /// Collective, after `factorise`.
  void solve(Vec b, Vec d);

 private:
  const parallel::Comm& comm_;
  int first_ = 0;  ///< this rank's blocks begin here
  BlockMatrix N_;
  BlockLu lu_;
  std::vector<model::Mat3> P_, Q_;  ///< of all ranks
  std::vector<double> d_;
};

}  // namespace scree::problem
