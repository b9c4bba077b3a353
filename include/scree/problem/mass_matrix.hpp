#pragma once

#include <petscmat.h>

#include <optional>
#include <vector>

#include "scree/parallel/comm.hpp"
#include "scree/parallel/even_split.hpp"
#include "scree/problem/sparse_matrix.hpp"

namespace scree::problem {

/// Rows of the largest block that is inverted by itself: a rigid body has 6, a few bodies tied together some more.
inline constexpr int largest_mass_block = 24;

/// Collective: M^-1 of a block diagonal M, the columns of this rank's part of the rows. The blocks are found from the
/// sparsity, wherever their rows stand. Nothing if there is a block of more than `largest_mass_block` rows. Throws
/// InputError if a block is singular.
[[nodiscard]] std::optional<std::vector<SparseEntry>> inverse_of_blocks(const parallel::Comm& comm,
                                                                        const parallel::EvenSplit& rows,
                                                                        const SparseMatrix& M);

/// A factorised M of any sparsity.
class MassFactor {
 public:
  /// Collective. Keeps a reference to `comm`. Throws InputError if M is singular.
  MassFactor(const parallel::Comm& comm, const parallel::EvenSplit& rows, const SparseMatrix& M);
  ~MassFactor();
  MassFactor(const MassFactor&) = delete;
  MassFactor& operator=(const MassFactor&) = delete;

  /// Collective: this rank's part of M^-1 B, column after column, given its part of B.
  [[nodiscard]] std::vector<double> solve(std::vector<double> B, int columns = 1) const;

 private:
  void destroy();

  const parallel::Comm& comm_;
  Mat matrix_ = nullptr;
  Mat factor_ = nullptr;
};

}  // namespace scree::problem
