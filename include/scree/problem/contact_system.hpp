#pragma once

#include <petscvec.h>

#include <vector>

#include "scree/model/geometry.hpp"
#include "scree/problem/block_lu.hpp"
#include "scree/problem/block_matrix.hpp"
#include "scree/problem/contact_operator.hpp"
#include "scree/problem/newton_system.hpp"

namespace scree::problem {

/// Newton's systems by factors of the whole matrix, which every rank has and computes alike: for small and middle
/// problems.
class ContactSystem final : public NewtonSystem {
 public:
  /// Collective. Throws InputError if the factors do not fit into the memory that is left.
  explicit ContactSystem(const ContactOperator& N);

  [[nodiscard]] bool factorise(const std::vector<model::Mat3>& P, const std::vector<model::Mat3>& Q) override;
  [[nodiscard]] bool solve(Vec b, Vec d) override;
  [[nodiscard]] double operations() const override { return lu_.cost().operations; }

 private:
  const parallel::Comm& comm_;
  int first_ = 0;  ///< this rank's blocks begin here
  BlockMatrix N_;
  BlockLu lu_;
  std::vector<model::Mat3> P_, Q_;  ///< of all ranks
  std::vector<double> d_;
};

}  // namespace scree::problem
