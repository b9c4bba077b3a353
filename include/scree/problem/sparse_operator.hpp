#pragma once

#include <petscvec.h>

#include <cstdint>
#include <vector>

#include "scree/parallel/comm.hpp"
#include "scree/parallel/even_split.hpp"
#include "scree/parallel/local_numbering.hpp"
#include "scree/problem/contact_operator.hpp"
#include "scree/problem/sparse_matrix.hpp"

namespace scree::problem {

/// N = A S from sparse matrices, for problems that come from files. The motion v = S x has any degrees of freedom:
/// velocities of bodies (A = H^T, S = M^-1 H), or W x itself (A = I, S = W). N need not be symmetric.
///
/// A sweep is an exact Gauss-Seidel sweep on any number of ranks: contacts whose degrees of freedom no other rank
/// changes or looks at come first, on all ranks at once; the others are relaxed by ranks that take turns, so that no
/// rank looks at what another one changes meanwhile.
class SparseOperator : public ContactOperator {
 public:
  /// Collective. `contacts` splits the rows of all contacts, three each, `dofs` the motion. A (rows of contacts,
  /// columns of dofs) and S (rows of dofs, columns of contacts) hold the entries of this rank's contacts and no other.
  /// M, if S = M^-1 A^T for one that is known: this rank's rows of it.
  SparseOperator(const parallel::Comm& comm, const parallel::EvenSplit& contacts, const parallel::EvenSplit& dofs,
                 const std::vector<SparseEntry>& A, const std::vector<SparseEntry>& S,
                 const std::vector<SparseEntry>& M = {});

  [[nodiscard]] int block_count() const override { return static_cast<int>(diagonal_.size()); }
  [[nodiscard]] std::vector<model::Mat3> diagonal_blocks() const override { return diagonal_; }
  [[nodiscard]] Factors factors() const override;
  [[nodiscard]] Motion motion_at_rest() const override;
  [[nodiscard]] std::ptrdiff_t own_motion() const override { return dofs_.own(); }
  void refresh(Motion& motion) const override;
  void block_velocities(int first, int last, const double* x, const Motion& motion, double* w) const override;
  [[nodiscard]] double local_energy(Vec x, const Motion& motion) const override;
  /// Contacts like those of spheres are solved in closed form.
  [[nodiscard]] double sweep_cost() const override;

  /// Ranks that relax their interface contacts one after another.
  [[nodiscard]] int turns() const { return turns_; }

 private:
  /// The entries of contacts, contact by contact: three at each degree of freedom.
  struct Blocks {
    struct Entry {
      int dof;  ///< slot in the motion
      double value[3];
    };
    std::vector<int> first;
    std::vector<Entry> entries;

    [[nodiscard]] const Entry* begin(int block) const {
      return entries.data() + first[static_cast<std::size_t>(block)];
    }
    [[nodiscard]] const Entry* end(int block) const { return begin(block + 1); }
  };
  struct Coefficient {
    std::int64_t row;  ///< of a contact
    std::int64_t dof;
    double value;
  };

  void find_motion(Vec x, Motion& motion) const override;
  void relax_all(Vec r, const ConstraintSet& set, Vec x, Motion& motion, const Relaxation& how) const override;

  [[nodiscard]] Blocks gather(std::int64_t first_row, int blocks, std::vector<Coefficient> coefficients) const;
  void find_diagonal();
  void plan_sweep(const parallel::EvenSplit& dofs, const std::vector<SparseEntry>& A,
                  const std::vector<SparseEntry>& S);
  [[nodiscard]] model::Vec3 velocity(int block, const Motion& motion) const;
  void add_motion(int block, const model::Vec3& x, Motion& motion) const;
  struct SweepData {
    const double* r;
    const ConstraintSet& set;
    double* x;
    Motion& motion;
    const Relaxation& how;
  };
  void relax(const std::vector<int>& blocks, const SweepData& data) const;
  template <typename Solve>
  void relax_each(const std::vector<int>& blocks, const SweepData& data, const Solve& solve) const;
  void share_changes(Motion& motion) const;

  parallel::LocalNumbering dofs_;
  Blocks reads_;   ///< A, by rows
  Blocks writes_;  ///< S, by columns
  std::vector<Factors::Entry> mass_;
  std::vector<model::Mat3> diagonal_;
  std::vector<char> like_spheres_;  ///< blocks that are diag(N_nn, N_tt, N_tt), to rounding
  std::vector<int> interior_;       ///< contacts that other ranks have nothing to do with
  std::vector<int> interface_;      ///< all others, relaxed when it is this rank's turn
  int turn_ = 0;
  int turns_ = 1;
  mutable std::vector<double> received_;  ///< ghosts as they came, before this rank's changes
};

}  // namespace scree::problem
