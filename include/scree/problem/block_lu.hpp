#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "scree/problem/block_matrix.hpp"
#include "scree/problem/elimination_order.hpp"
#include "scree/problem/front_lu.hpp"

namespace scree::problem {

/// What a factorisation will need, known from the pattern alone.
struct FactorCost {
  std::int64_t entries = 0;  ///< numbers in L and U, and in what fronts leave for their parents
  double operations = 0.0;   ///< multiplications with additions

  [[nodiscard]] double bytes() const { return sizeof(double) * static_cast<double>(entries); }
};

/// Room for the fronts of a factorisation, which one after another may use: fresh memory costs as much as small fronts.
struct FrontStorage {
  std::unique_ptr<double[]> numbers;
  std::int64_t size = 0;
};

/// LU factors of P + Q W for many block diagonal P and Q: W is symmetric in its pattern after zeros are added. The
/// blocks are ordered once (`elimination_order`); fronts of the elimination tree (multifrontal method) are
/// dense and pivoted each within itself, so that the pattern never changes.
///
/// A row with Q = 0 is a block by itself. Such rows, of contacts that are open, leave the fronts.
class BlockLu {
 public:
  /// Keeps a reference to W.
  explicit BlockLu(const BlockMatrix& W, FrontStorage storage = {});
  /// For the next one, after which this one is of no use.
  [[nodiscard]] FrontStorage take_storage() { return std::exchange(storage_, {}); }

  [[nodiscard]] const FactorCost& cost() const { return cost_; }
  /// What the first factorisation takes beyond the storage that was given.
  [[nodiscard]] double bytes_to_come() const {
    return cost_.bytes() - sizeof(double) * static_cast<double>(storage_.size);
  }

  /// Tells whether P + Q W is regular, as far as rounding shows.
  [[nodiscard]] bool factorise(std::span<const model::Mat3> P, std::span<const model::Mat3> Q);

  /// d <- (P + Q W)^-1 b, refined once if rounding was large. P and Q are those of `factorise`.
  void solve(std::span<const model::Mat3> P, std::span<const model::Mat3> Q, std::span<const double> b,
             std::span<double> d);

  /// The same without refinement.
  void substitute(std::span<const model::Mat3> Q, std::span<const double> b, std::span<double> d);

 private:
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
    int first_swap = 0;       ///< of its pivots, in blocks
    // Of the last factorisation:
    int first_present = 0;     ///< where its blocks in `present_` begin: pivots, then rest
    int present = 0;           ///< blocks that do not stand alone
    int pivot_count = 0;       ///< of these
    double* matrix = nullptr;  ///< L and U of the pivots; beside them what is left for the parent
  };

  void analyse(const std::vector<int>& order, const Graph& graph);
  void make_front(const std::vector<int>& order, int first, int last, const std::vector<std::vector<int>>& below);
  void link(const std::vector<int>& order, const Graph& graph);
  void find_alone(std::span<const model::Mat3> Q);
  void find_present(Front& front);
  void assemble(const Front& front, std::span<const model::Mat3> P, std::span<const model::Mat3> Q);
  void take_update(const Front& front, const Front& child);
  [[nodiscard]] FrontLu lu_of(const Front& front);
  [[nodiscard]] std::span<const int> blocks_of(const Front& front) const {
    return std::span(present_).subspan(static_cast<std::size_t>(front.first_present),
                                       static_cast<std::size_t>(front.present));
  }

  const BlockMatrix& W_;
  FactorCost cost_;
  std::vector<Front> fronts_;               ///< children before parents
  std::vector<std::vector<int>> children_;  ///< of each front
  std::vector<int> front_of_;               ///< of each block
  std::vector<int> first_link_, diagonal_;  ///< of each block; the place in W
  std::vector<Link> links_;
  std::vector<char> alone_;  ///< blocks with Q = 0
  std::vector<model::Mat3> own_inverse_;
  std::vector<int> slot_;     ///< of a block in the front at work
  std::vector<int> present_;  ///< of all fronts
  FrontStorage storage_;      ///< of the matrices of all fronts
  std::vector<int> swaps_;    ///< of all pivot rows
  std::vector<double> rhs_, own_, residual_, correction_;
};

}  // namespace scree::problem
