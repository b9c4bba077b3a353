#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "scree/problem/block_matrix.hpp"

namespace scree::problem {

/// What a factorisation will need, known from the pattern alone.
struct FactorCost {
  std::int64_t entries = 0;  ///< numbers in L and U
  double operations = 0.0;   ///< multiplications with additions

  [[nodiscard]] double bytes() const {
    constexpr double with_updates = 1.5;  // fronts that wait for their parents
    return with_updates * sizeof(double) * static_cast<double>(entries);
  }
};

/// LU factors of P + Q W for many block diagonal P and Q: W is symmetric in its pattern after zeros are added. The
/// blocks are ordered by approximate minimum degree once; fronts of the elimination tree (multifrontal method) are
/// dense and pivoted each within itself, so that the pattern never changes.
///
/// A row with Q = 0 is a block by itself. Such rows, of contacts that are open, leave the fronts.
class BlockLu {
 public:
  /// Keeps a reference to W.
  explicit BlockLu(const BlockMatrix& W);

  [[nodiscard]] const FactorCost& cost() const { return cost_; }

  /// Tells whether P + Q W is regular, as far as rounding shows.
  [[nodiscard]] bool factorise(std::span<const model::Mat3> P, std::span<const model::Mat3> Q);

  /// d <- (P + Q W)^-1 b with one step of refinement. P and Q are those of `factorise`.
  void solve(std::span<const model::Mat3> P, std::span<const model::Mat3> Q, std::span<const double> b,
             std::span<double> d);

  /// The same without refinement.
  void substitute(std::span<const model::Mat3> Q, std::span<const double> b, std::span<double> d);

 private:
  using Matrix = Eigen::MatrixXd;

  /// Two blocks that meet in W: j is eliminated after the block that has the link.
  struct Link {
    int j;
    int right, below;  ///< places in W of the entries (k, j) and (j, k); -1: zero
  };
  /// Blocks that are eliminated together.
  struct Front {
    std::vector<int> pivots;  ///< blocks
    std::vector<int> rest;    ///< later blocks that they meet, in the order of elimination
    int parent = -1;          ///< the front that takes the update
    // Of the last factorisation:
    std::vector<int> present;  ///< blocks that do not stand alone: pivots, then rest
    int pivot_count = 0;       ///< of these
    Matrix lu, right, below;   ///< of the pivots; U and L beside them
    Eigen::VectorXi swaps;     ///< rows that pivoting exchanged, in turn
    Matrix update;             ///< what is left for the parent, until it has taken it
  };

  void analyse(const std::vector<int>& order, const std::vector<std::vector<int>>& neighbours);
  void make_front(const std::vector<int>& order, int first, int last, const std::vector<std::vector<int>>& below);
  void link(const std::vector<int>& order, const std::vector<std::vector<int>>& neighbours);
  void assemble(Front& front, std::span<const model::Mat3> P, std::span<const model::Mat3> Q);
  [[nodiscard]] bool eliminate(Front& front);

  const BlockMatrix& W_;
  FactorCost cost_;
  std::vector<Front> fronts_;               ///< children before parents
  std::vector<std::vector<int>> children_;  ///< of each front
  std::vector<int> front_of_;               ///< of each block
  std::vector<int> first_link_, diagonal_;  ///< of each block; the place in W
  std::vector<Link> links_;
  std::vector<char> alone_;  ///< blocks with Q = 0
  std::vector<model::Mat3> own_inverse_;
  std::vector<int> slot_;  ///< of a block in the front at work; -1: not in it
  Matrix work_;
  std::vector<double> rhs_, residual_, correction_;
};

}  // namespace scree::problem
