#include "scree/problem/front_lu.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <utility>

#include "scree/model/lanes.hpp"

namespace scree::problem {

namespace {

constexpr int block = 3;

/// C -= A B for `vectors` vectors of rows and `columns` columns, which stay in registers.
template <typename Rows, int vectors, int columns>
void subtract_tile(int depth, const double* A, const double* B, double* C, std::ptrdiff_t stride) {
  constexpr int lanes = lanes::lanes_of<Rows>;
  Rows sum[columns][vectors] = {};
  for (int k = 0; k < depth; ++k) {
    Rows a[vectors];
    for (int v = 0; v < vectors; ++v) a[v] = lanes::load<Rows>(A + k * stride + v * lanes);
    for (int j = 0; j < columns; ++j) {
      const double b = B[j * stride + k];
      for (int v = 0; v < vectors; ++v) sum[j][v] += a[v] * b;
    }
  }
  for (int j = 0; j < columns; ++j)
    for (int v = 0; v < vectors; ++v) {
      double* const c = C + j * stride + v * lanes;
      lanes::store<Rows>(lanes::load<Rows>(c) - sum[j][v], c);
    }
}

template <int columns>
void subtract_columns(int rows, int depth, const double* A, const double* B, double* C, std::ptrdiff_t stride) {
  using lanes::Lanes;
  using Four = double __attribute__((vector_size(32)));
  using Two = double __attribute__((vector_size(16)));
  int i = 0;
  const auto tile = [&]<typename Rows, int vectors>() {
    for (constexpr int step = vectors * lanes::lanes_of<Rows>; i + step <= rows; i += step)
      subtract_tile<Rows, vectors, columns>(depth, A + i, B, C + i, stride);
  };
  tile.template operator()<Lanes, 2>();
  tile.template operator()<Lanes, 1>();
  tile.template operator()<Four, 1>();
  tile.template operator()<Two, 1>();
  tile.template operator()<double, 1>();
}

/// C -= A B, of matrices with the same stride. The number of columns is a multiple of 3. Eigen packs its operands,
/// which pays for large ones only.
void subtract_product(int rows, int columns, int depth, const double* A, const double* B, double* C,
                      std::ptrdiff_t stride) {
  constexpr int large = 96;
  if (std::min({rows, columns, depth}) >= large) {
    using Stride = Eigen::OuterStride<>;
    using Const = Eigen::Map<const Eigen::MatrixXd, 0, Stride>;
    Eigen::Map<Eigen::MatrixXd, 0, Stride>(C, rows, columns, Stride(stride)).noalias() -=
        Const(A, rows, depth, Stride(stride)) * Const(B, depth, columns, Stride(stride));
    return;
  }
  int j = 0;
  for (; j + 2 * block <= columns; j += 2 * block)
    subtract_columns<2 * block>(rows, depth, A, B + j * stride, C + j * stride, stride);
  for (; j < columns; j += block) subtract_columns<block>(rows, depth, A, B + j * stride, C + j * stride, stride);
}

/// The middle of a range, at a whole block.
int middle(int first, int last) { return first + block * ((last - first) / block / 2); }

/// y -= factor x.
void subtract_multiple(double factor, const double* x, double* y, int count) {
#pragma omp simd
  for (int i = 0; i < count; ++i) y[i] -= factor * x[i];
}

}  // namespace

bool FrontLu::eliminate(int first, int last) {
  if (last - first <= block) return eliminate_few(first, last);
  const int half = middle(first, last);
  if (!eliminate(first, half)) return false;
  pass_on(first, half, half, last);
  return eliminate(half, last);
}

bool FrontLu::eliminate_few(int first, int last) {
  for (int k = first; k < last; ++k) {
    if (!exchange(k)) return false;
    double* const below = at(k + 1, k);
    const int rows = size_ - k - 1;
    const double inverse = 1.0 / *at(k, k);
#pragma omp simd
    for (int i = 0; i < rows; ++i) below[i] *= inverse;
    for (int j = k + 1; j < last; ++j) subtract_multiple(*at(k, j), below, at(k + 1, j), rows);
  }
  return true;
}

/// Brings the largest entry of the pivot's column into its row.
bool FrontLu::exchange(int pivot) {
  const auto smaller = [](double a, double b) { return std::abs(a) < std::abs(b); };
  const auto largest = std::max_element(at(pivot, pivot), at(pivots_, pivot), smaller);
  const double size = std::abs(*largest);
  if (!(size > 0.0) || !std::isfinite(size)) return false;
  const int row = static_cast<int>(largest - at(0, pivot));
  swaps_[pivot] = row;
  if (row != pivot)
    for (int j = 0; j < size_; ++j) std::swap(*at(pivot, j), *at(row, j));
  return true;
}

/// What the pivots first to last, eliminated among themselves, make of the columns from .. to.
void FrontLu::pass_on(int first, int last, int from, int to) const {
  solve_rows(first, last, from, to);
  subtract_product(size_ - last, to - from, last - first, at(last, first), at(first, from), at(last, from), size_);
}

/// The rows of U in these columns: L^-1 from the left.
void FrontLu::solve_rows(int first, int last, int from, int to) const {
  if (last - first > block) {
    const int half = middle(first, last);
    solve_rows(first, half, from, to);
    subtract_product(last - half, to - from, half - first, at(half, first), at(first, from), at(half, from), size_);
    return solve_rows(half, last, from, to);
  }
  for (int j = from; j < to; ++j)
    for (int k = first; k < last; ++k)
      for (int i = k + 1; i < last; ++i) *at(i, j) -= *at(i, k) * *at(k, j);
}

void FrontLu::solve_lower(double* y) const {
  for (int k = 0; k < pivots_; ++k) std::swap(y[k], y[swaps_[k]]);
  for (int k = 0; k < pivots_; ++k) subtract_multiple(y[k], at(k + 1, k), y + k + 1, size_ - k - 1);
}

void FrontLu::solve_upper(double* y) const {
  for (int k = pivots_; k < size_; ++k) subtract_multiple(y[k], at(0, k), y, pivots_);
  for (int k = pivots_ - 1; k >= 0; --k) {
    y[k] /= *at(k, k);
    subtract_multiple(y[k], at(0, k), y, k);
  }
}

}  // namespace scree::problem
