#pragma once

#include <vector>

#include "scree/model/geometry.hpp"
#include "scree/parallel/comm.hpp"
#include "scree/problem/factors.hpp"

namespace scree::problem {

/// A sparse square matrix of 3x3 blocks, row by row. Every row has its diagonal block.
struct BlockMatrix {
  std::vector<int> first = {0};  ///< the entries of row k begin at first[k] and end before first[k + 1]
  std::vector<int> column;       ///< ascending in a row
  std::vector<model::Mat3> value;

  [[nodiscard]] int size() const { return static_cast<int>(first.size()) - 1; }
  /// (A x)_row, x having three entries a block.
  [[nodiscard]] model::Vec3 product(int row, const double* x) const;
};

/// Collective: the whole N on every rank, its blocks rank by rank. For problems that fit into the memory of each.
[[nodiscard]] BlockMatrix gather_blocks(const parallel::Comm& comm, Factors factors);

}  // namespace scree::problem
