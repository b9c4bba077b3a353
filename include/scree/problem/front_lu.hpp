#pragma once

#include <cstddef>

// Dense kernels of fronts: matrices of n rows and columns, column by column, n and the number of pivots multiples of 3.

namespace scree::problem {

/// A dense matrix whose leading rows and columns, the pivots, are eliminated in place: P F = L U there, and what is
/// left of the others is F22 - L21 U12. Rows are exchanged among the pivots only.
class FrontLu {
 public:
  FrontLu(double* entries, int size, int pivots, int* swaps)
      : F_(entries), size_(size), pivots_(pivots), swaps_(swaps) {}

  /// Tells whether all pivots are finite and not zero.
  [[nodiscard]] bool eliminate() {
    if (!eliminate(0, pivots_)) return false;
    if (pivots_ < size_) pass_on(0, pivots_, pivots_, size_);
    return true;
  }
  /// y <- L^-1 P y; what stands below the pivots becomes y2 - L21 y1.
  void solve_lower(double* y) const;
  /// y1 <- U^-1 (y1 - U12 y2).
  void solve_upper(double* y) const;

 private:
  [[nodiscard]] double* at(int row, int column) const { return F_ + static_cast<std::ptrdiff_t>(column) * size_ + row; }
  [[nodiscard]] bool eliminate(int first, int last);
  [[nodiscard]] bool eliminate_few(int first, int last);
  [[nodiscard]] bool exchange(int pivot);
  void pass_on(int first, int last, int from, int to) const;
  void solve_rows(int first, int last, int from, int to) const;

  double* F_;
  int size_, pivots_;
  int* swaps_;  ///< the row that each pivot's row was exchanged with, in turn
};

}  // namespace scree::problem
