#include "scree/problem/block_lu.hpp"

#include <Eigen/Core>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace scree::problem {

using model::Mat3;
using model::Vec3;

namespace {

Graph graph_of(const BlockMatrix& W) {
  // The transposed pattern, whose rows are sorted because those of W come in turn.
  std::vector<int> first(W.first.size() + 1, 0), row(W.column.size());
  for (const int j : W.column) ++first.data()[j + 2];
  std::partial_sum(first.begin(), first.end(), first.begin());
  for (int i = 0; i < W.size(); ++i)
    for (int k = W.first.data()[i]; k < W.first.data()[i + 1]; ++k)
      row.data()[first.data()[W.column.data()[k] + 1]++] = i;

  Graph graph;
  graph.other.reserve(W.column.size());
  for (int i = 0; i < W.size(); ++i) {
    std::set_union(W.column.begin() + W.first.data()[i], W.column.begin() + W.first.data()[i + 1],
                   row.begin() + first.data()[i], row.begin() + first.data()[i + 1], std::back_inserter(graph.other));
    graph.first.push_back(static_cast<int>(graph.other.size()));
  }
  return graph;
}

/// By places in the order: the blocks below the diagonal of each column of L (elimination tree and its fill).
std::vector<std::vector<int>> fill_of(const std::vector<int>& order, const Graph& graph) {
  const auto size = static_cast<int>(order.size());
  std::vector<int> place(order.size());
  for (int k = 0; k < size; ++k) place.data()[order.data()[k]] = k;
  std::vector<std::vector<int>> below(order.size()), children(order.size());
  std::vector<int> seen(order.size(), -1);
  for (int k = 0; k < size; ++k) {
    std::vector<int>& own = below.data()[k];
    const auto add = [&](int j) {
      if (j <= k || seen.data()[j] == k) return;
      seen.data()[j] = k;
      own.push_back(j);
    };
    for (const int neighbour : graph[order.data()[k]]) add(place.data()[neighbour]);
    for (const int child : children.data()[k])
      for (const int j : below.data()[child]) add(j);
    std::ranges::sort(own);
    if (!own.empty()) children.data()[own.front()].push_back(k);
  }
  return below;
}

}  // namespace

BlockLu::BlockLu(const BlockMatrix& W, FrontStorage storage)
    : W_(W),
      front_of_(static_cast<std::size_t>(W.size())),
      slot_(static_cast<std::size_t>(W.size())),
      storage_(std::move(storage)) {
  const Graph graph = graph_of(W);
  const std::vector<int> order = elimination_order(graph);
  analyse(order, graph);
  link(order, graph);
  const auto rows = 3 * static_cast<std::size_t>(W.size());
  rhs_.resize(rows), residual_.resize(rows), correction_.resize(rows), own_.resize(rows), swaps_.resize(rows);
}

void BlockLu::analyse(const std::vector<int>& order, const Graph& graph) {
  const auto below = fill_of(order, graph);
  const auto size = static_cast<int>(order.size());
  const auto height = [&](int k) { return static_cast<int>(below.data()[k].size()); };
  for (int first = 0; first < size;) {
    int last = first;
    for (; last + 1 < size && height(last) > 0 && below.data()[last].front() == last + 1; ++last) {
      // A front takes the next block if that adds few zeros to those it has.
      const int columns = last + 1 - first, zeros = columns * (height(last + 1) + 1 - height(last));
      constexpr int few_zeros = 8;
      constexpr double small_share = 0.1;
      if (zeros > std::max<double>(few_zeros, small_share * (columns + 1) * (columns + height(last + 1)))) break;
    }
    make_front(order, first, last, below);
    first = last + 1;
  }
  children_.resize(fronts_.size());
  for (std::size_t k = 0; k < fronts_.size(); ++k) {
    Front& front = fronts_[k];
    if (front.rest.empty()) continue;
    front.parent = front_of_.data()[front.rest.front()];
    children_.data()[front.parent].push_back(static_cast<int>(k));
  }
}

void BlockLu::make_front(const std::vector<int>& order, int first, int last,
                         const std::vector<std::vector<int>>& below) {
  Front front;
  for (int k = first; k <= last; ++k) {
    front.pivots.push_back(order.data()[k]);
    front_of_.data()[order.data()[k]] = static_cast<int>(fronts_.size());
  }
  for (const int k : below.data()[last]) front.rest.push_back(order.data()[k]);
  const double p = 3.0 * static_cast<double>(front.pivots.size()), q = 3.0 * static_cast<double>(front.rest.size());
  front.first_swap = first;
  cost_.entries += static_cast<std::int64_t>((p + q) * (p + q));
  cost_.operations += p * p * p / 3.0 + p * p * q + p * q * q;
  fronts_.push_back(std::move(front));
}

void BlockLu::link(const std::vector<int>& order, const Graph& graph) {
  const auto place_of = [&](int i, int j) {
    const auto begin = W_.column.begin() + W_.first.data()[i], end = W_.column.begin() + W_.first.data()[i + 1];
    const auto found = std::lower_bound(begin, end, j);
    return found != end && *found == j ? static_cast<int>(found - W_.column.begin()) : -1;
  };
  std::vector<int> place(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) place.data()[order[k]] = static_cast<int>(k);
  for (int k = 0; k < W_.size(); ++k) {
    first_link_.push_back(static_cast<int>(links_.size()));
    diagonal_.push_back(place_of(k, k));
    for (const int j : graph[k])
      if (place.data()[j] > place.data()[k]) links_.push_back({j, place_of(k, j), place_of(j, k)});
  }
  first_link_.push_back(static_cast<int>(links_.size()));
}

void BlockLu::find_alone(std::span<const Mat3> Q) {
  alone_.resize(Q.size());
  for (std::size_t k = 0; k < Q.size(); ++k) alone_[k] = Q[k].isZero(0.0) ? 1 : 0;
}

void BlockLu::find_present(Front& front) {
  const auto add = [&](const std::vector<int>& blocks) {
    for (const int k : blocks)
      if (alone_.data()[k] == 0) present_.push_back(k);
    return static_cast<int>(present_.size()) - front.first_present;
  };
  front.first_present = static_cast<int>(present_.size());
  front.pivot_count = add(front.pivots);
  front.present = add(front.rest);
}

void BlockLu::assemble(const Front& front, std::span<const Mat3> P, std::span<const Mat3> Q) {
  const std::span<const int> blocks = blocks_of(front);
  for (int s = 0; s < front.present; ++s) slot_.data()[blocks.data()[s]] = s;
  const Eigen::Index rows = 3 * front.present;
  Eigen::Map<Eigen::MatrixXd> matrix(front.matrix, rows, rows);
  matrix.setZero();
  for (int s = 0; s < front.pivot_count; ++s) {
    const int k = blocks.data()[s];
    matrix.block<3, 3>(3 * s, 3 * s) = P.data()[k] + Q.data()[k] * W_.value.data()[diagonal_.data()[k]];
    for (int l = first_link_.data()[k]; l < first_link_.data()[k + 1]; ++l) {
      const Link& link = links_.data()[l];
      if (alone_.data()[link.j] != 0) continue;
      const int t = slot_.data()[link.j];
      if (link.right >= 0) matrix.block<3, 3>(3 * s, 3 * t).noalias() = Q.data()[k] * W_.value.data()[link.right];
      if (link.below >= 0) matrix.block<3, 3>(3 * t, 3 * s).noalias() = Q.data()[link.j] * W_.value.data()[link.below];
    }
  }
}

void BlockLu::take_update(const Front& front, const Front& child) {
  const std::span<const int> passed = blocks_of(child).subspan(static_cast<std::size_t>(child.pivot_count));
  const auto count = static_cast<int>(passed.size());
  const std::ptrdiff_t rows = 3 * front.present, child_rows = 3 * child.present;
  for (int j = 0; j < count; ++j)
    for (int c = 0; c < 3; ++c) {
      const double* const from = child.matrix + (3 * (child.pivot_count + j) + c) * child_rows + 3 * child.pivot_count;
      double* const to = front.matrix + (3 * slot_.data()[passed.data()[j]] + c) * rows;
      for (int i = 0; i < count; ++i) Vec3::Map(to + 3 * slot_.data()[passed.data()[i]]) += Vec3::Map(from + 3 * i);
    }
}

FrontLu BlockLu::lu_of(const Front& front) {
  return {front.matrix, 3 * front.present, 3 * front.pivot_count, swaps_.data() + 3 * front.first_swap};
}

bool BlockLu::factorise(std::span<const Mat3> P, std::span<const Mat3> Q) {
  find_alone(Q);
  own_inverse_.resize(alone_.size());
  for (std::size_t k = 0; k < alone_.size(); ++k)
    if (alone_[k] != 0) {
      if (!(std::abs(P[k].determinant()) > 0.0)) return false;
      own_inverse_[k] = P[k].inverse();
    }
  if (storage_.size < cost_.entries) {
    storage_ = {};  // makes room
    storage_ = {std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(cost_.entries)), cost_.entries};
  }
  present_.clear();
  double* free = storage_.numbers.get();
  for (std::size_t f = 0; f < fronts_.size(); ++f) {
    Front& front = fronts_[f];
    find_present(front);
    front.matrix = free;
    free += 9 * std::ptrdiff_t{front.present} * front.present;
    assemble(front, P, Q);
    for (const int child : children_[f]) take_update(front, fronts_.data()[child]);
    if (!lu_of(front).eliminate()) return false;
  }
  return true;
}

void BlockLu::substitute(std::span<const Mat3> Q, std::span<const double> b, std::span<double> d) {
  std::ranges::copy(b, rhs_.begin());
  const auto of = [](auto& values, int k) { return Vec3::Map(values.data() + 3 * k); };
  bool any_alone = false;
  for (int k = 0; k < W_.size(); ++k) {
    const bool alone = alone_.data()[k] != 0;
    of(d, k) = alone ? Vec3(own_inverse_.data()[k] * of(b, k)) : Vec3(Vec3::Zero());
    any_alone |= alone;
  }
  for (int k = 0; any_alone && k < W_.size(); ++k)
    if (alone_.data()[k] == 0) of(rhs_, k) -= Q.data()[k] * W_.product(k, d.data());
  const auto gather = [&](const Front& front) {
    int s = 0;
    for (const int k : blocks_of(front)) of(own_, s++) = of(rhs_, k);
  };
  const auto scatter = [&](const Front& front, int count) {
    const std::span<const int> blocks = blocks_of(front);
    for (int s = 0; s < count; ++s) of(rhs_, blocks.data()[s]) = of(own_, s);
  };
  for (const Front& front : fronts_) {
    gather(front);
    lu_of(front).solve_lower(own_.data());
    scatter(front, front.present);
  }
  for (auto front = fronts_.rbegin(); front != fronts_.rend(); ++front) {
    gather(*front);
    lu_of(*front).solve_upper(own_.data());
    scatter(*front, front->pivot_count);
  }
  for (int k = 0; k < W_.size(); ++k)
    if (alone_.data()[k] == 0) of(d, k) = of(rhs_, k);
}

void BlockLu::solve(std::span<const Mat3> P, std::span<const Mat3> Q, std::span<const double> b, std::span<double> d) {
  constexpr double small = 1e-12;
  substitute(Q, b, d);
  double left_over = 0.0, asked = 0.0;
  for (int k = 0; k < W_.size(); ++k) {
    const Vec3 right = Vec3::Map(b.data() + 3 * k);
    const Vec3 rest = right - P.data()[k] * Vec3::Map(d.data() + 3 * k) - Q.data()[k] * W_.product(k, d.data());
    Vec3::Map(residual_.data() + 3 * k) = rest;
    left_over += rest.squaredNorm();
    asked += right.squaredNorm();
  }
  if (left_over <= small * small * asked) return;
  substitute(Q, residual_, correction_);
  for (std::size_t k = 0; k < residual_.size(); ++k) d[k] += correction_[k];
}

}  // namespace scree::problem
