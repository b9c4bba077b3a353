#pragma once

#include <cstdint>
#include <vector>

#include "scree/parallel/comm.hpp"
#include "scree/parallel/matrix.hpp"

namespace scree::problem {

/// N = A S + C in sparse form: w = A v + C x and v = S x for a motion v that is numbered through all ranks. A rank has
/// the rows of A and the columns of S of its own impulses.
struct Factors {
  struct Entry {
    int row;           ///< of this rank's impulses
    std::int64_t dof;  ///< of the whole motion
    double value;
  };
  int rows = 0;                    ///< impulses of this rank
  int dofs = 0;                    ///< of the motion, on this rank
  std::vector<Entry> reads;        ///< A; entries at the same place add up
  std::vector<Entry> writes;       ///< S, transposed
  std::vector<double> compliance;  ///< C, per row; empty: none
};

/// Collective: N as a distributed matrix (MPIAIJ) that has its whole diagonal. PETSc keeps, per rank, a number for each
/// rank: this is for methods that need a matrix, not for the path of every time step. Throws StateError if the rows or
/// the motion are too many for PETSc's integers.
[[nodiscard]] parallel::Matrix multiply(const parallel::Comm& comm, const Factors& factors);

}  // namespace scree::problem
