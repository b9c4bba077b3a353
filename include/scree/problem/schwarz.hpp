#pragma once

#include <petscmat.h>

#include <memory>
#include <vector>

#include "scree/parallel/comm.hpp"
#include "scree/parallel/matrix.hpp"
#include "scree/problem/block_lu.hpp"

namespace scree::problem {

/// Additive Schwarz preconditioner of a distributed matrix: each rank has factors of its own rows and of those that
/// meet them. On one rank it is the inverse.
class Schwarz {
 public:
  /// Collective. Rows that are `overlap` steps away from a rank's own are in its part.
  Schwarz(const parallel::Comm& comm, Mat K, int overlap);
  ~Schwarz();
  Schwarz(const Schwarz&) = delete;
  Schwarz& operator=(const Schwarz&) = delete;

  /// Collective: what factors of K as it is now will cost this rank. K has the pattern that it had; entries that are
  /// zero are left out. Throws InputError if the factors do not fit into the memory that is left.
  FactorCost analyse(Mat K);

  /// Collective: factors of K as it is now. False if some rank's part is singular. Throws as `analyse` does.
  [[nodiscard]] bool factorise(Mat K);

  /// Collective: out <- about K^-1 in. `symmetric`: where parts overlap their answers are added, which conjugate
  /// gradients need; else each row takes that of its own rank, which is better.
  void apply(Vec in, Vec out, bool symmetric);

 private:
  void take_blocks(Mat part);

  const parallel::Comm& comm_;
  IS rows_ = nullptr;  ///< of this rank's part
  VecScatter pick_ = nullptr;
  Vec local_ = nullptr;
  int first_own_ = 0;  ///< place of this rank's own rows in its part
  Mat* parts_ = nullptr;
  BlockMatrix blocks_;  ///< of this rank's part, three rows together; the last are filled up with the identity
  std::unique_ptr<BlockLu> lu_;
  std::vector<model::Mat3> zero_, identity_;
  std::vector<double> b_, d_;
};

}  // namespace scree::problem
