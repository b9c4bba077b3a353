#pragma once

#include <cstdint>
#include <vector>

#include "scree/model/geometry.hpp"
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

  /// A rigid body whose velocity and spin times `length` are six numbers of the motion in a row.
  struct Body {
    model::Vec3 centre;   ///< m
    double length;        ///< m
    double mass;          ///< kg
    model::Mat3 inertia;  ///< in the world frame (kg m^2)
  };
  std::vector<Body> bodies = {};  ///< this rank's, in the order of the motion; empty: not known

  /// M, where S = M^-1 A^T: this rank's rows of it, `row` among this rank's numbers of the motion; empty: not known.
  std::vector<Entry> mass = {};
};

/// What a block reads or writes at one degree of freedom.
struct Touch {
  int block;
  std::int64_t dof;
  model::Vec3 value;
};

/// Entries with the three of a block at one degree of freedom together; by blocks, then by degrees of freedom.
[[nodiscard]] std::vector<Touch> join_entries(std::vector<Factors::Entry> entries);

/// Collective: A as a distributed matrix, rows by impulses and columns by the motion.
[[nodiscard]] parallel::Matrix reads_of(const parallel::Comm& comm, const Factors& factors);

/// Collective: N as a distributed matrix (MPIAIJ) that has its whole diagonal. PETSc keeps, per rank, a number for each
/// rank: this is for methods that need a matrix, not for the path of every time step. Throws StateError if the rows or
/// the motion are too many for PETSc's integers.
[[nodiscard]] parallel::Matrix multiply(const parallel::Comm& comm, const Factors& factors);

}  // namespace scree::problem
