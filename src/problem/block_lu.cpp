#include "scree/problem/block_lu.hpp"

#include <Eigen/LU>
#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>

namespace scree::problem {

using model::Mat3;
using model::Vec3;

namespace {

/// The blocks that each one meets, in a row or in a column.
std::vector<std::vector<int>> neighbours_of(const BlockMatrix& W) {
  std::vector<std::vector<int>> neighbours(static_cast<std::size_t>(W.size()));
  for (int i = 0; i < W.size(); ++i)
    for (int k = W.first.data()[i]; k < W.first.data()[i + 1]; ++k) {
      const int j = W.column.data()[k];
      if (j == i) continue;
      neighbours.data()[i].push_back(j);
      neighbours.data()[j].push_back(i);
    }
  for (auto& list : neighbours) {
    std::ranges::sort(list);
    list.erase(std::ranges::unique(list).begin(), list.end());
  }
  return neighbours;
}

/// The order of elimination: blocks by approximate minimum degree.
std::vector<int> order_of(const std::vector<std::vector<int>>& neighbours) {
  const auto size = static_cast<int>(neighbours.size());
  Eigen::SparseMatrix<double> graph(size, size);
  graph.reserve(Eigen::VectorXi::NullaryExpr(
      size, [&](Eigen::Index k) { return static_cast<int>(neighbours[static_cast<std::size_t>(k)].size()) + 1; }));
  for (int j = 0; j < size; ++j) {
    graph.insert(j, j) = 1.0;
    for (const int i : neighbours.data()[j]) graph.insert(i, j) = 1.0;
  }
  graph.makeCompressed();
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order;
  Eigen::AMDOrdering<int>()(graph, order);
  return {order.indices().data(), order.indices().data() + size};
}

/// By places in the order: the blocks below the diagonal of each column of L (elimination tree and its fill).
std::vector<std::vector<int>> fill_of(const std::vector<int>& order, const std::vector<std::vector<int>>& neighbours) {
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
    for (const int neighbour : neighbours.data()[order.data()[k]]) add(place.data()[neighbour]);
    for (const int child : children.data()[k])
      for (const int j : below.data()[child]) add(j);
    std::ranges::sort(own);
    if (!own.empty()) children.data()[own.front()].push_back(k);
  }
  return below;
}

}  // namespace

BlockLu::BlockLu(const BlockMatrix& W)
    : W_(W), front_of_(static_cast<std::size_t>(W.size())), slot_(static_cast<std::size_t>(W.size()), -1) {
  const auto neighbours = neighbours_of(W);
  const std::vector<int> order = order_of(neighbours);
  analyse(order, neighbours);
  link(order, neighbours);
  const auto rows = 3 * static_cast<std::size_t>(W.size());
  rhs_.resize(rows), residual_.resize(rows), correction_.resize(rows);
}

void BlockLu::analyse(const std::vector<int>& order, const std::vector<std::vector<int>>& neighbours) {
  const auto below = fill_of(order, neighbours);
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
  cost_.entries += static_cast<std::int64_t>(p * (p + 2.0 * q));
  cost_.operations += p * p * p / 3.0 + p * p * q + p * q * q;
  fronts_.push_back(std::move(front));
}

void BlockLu::link(const std::vector<int>& order, const std::vector<std::vector<int>>& neighbours) {
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
    for (const int j : neighbours.data()[k])
      if (place.data()[j] > place.data()[k]) links_.push_back({j, place_of(k, j), place_of(j, k)});
  }
  first_link_.push_back(static_cast<int>(links_.size()));
}

void BlockLu::assemble(Front& front, std::span<const Mat3> P, std::span<const Mat3> Q) {
  front.present.clear();
  const auto add_present = [&](const std::vector<int>& blocks) {
    for (const int k : blocks)
      if (alone_.data()[k] == 0) front.present.push_back(k);
  };
  add_present(front.pivots);
  front.pivot_count = static_cast<int>(front.present.size());
  add_present(front.rest);
  const auto size = static_cast<int>(front.present.size());
  for (int s = 0; s < size; ++s) slot_.data()[front.present.data()[s]] = s;
  work_.setZero(3 * size, 3 * size);
  for (int s = 0; s < front.pivot_count; ++s) {
    const int k = front.present.data()[s];
    work_.block<3, 3>(3 * s, 3 * s) += P.data()[k] + Q.data()[k] * W_.value.data()[diagonal_.data()[k]];
    for (int l = first_link_.data()[k]; l < first_link_.data()[k + 1]; ++l) {
      const Link& link = links_.data()[l];
      const int t = slot_.data()[link.j];
      if (alone_.data()[link.j] != 0) continue;
      if (link.right >= 0) work_.block<3, 3>(3 * s, 3 * t) += Q.data()[k] * W_.value.data()[link.right];
      if (link.below >= 0) work_.block<3, 3>(3 * t, 3 * s) += Q.data()[link.j] * W_.value.data()[link.below];
    }
  }
}

bool BlockLu::eliminate(Front& front) {
  const Eigen::Index p = 3 * front.pivot_count, q = work_.rows() - p;
  front.lu = work_.topLeftCorner(p, p);
  if (p > 0) {
    Eigen::PartialPivLU<Eigen::Ref<Matrix>> lu(front.lu);
    if (!(front.lu.diagonal().cwiseAbs().minCoeff() > 0.0) || !front.lu.allFinite()) return false;
    front.swaps = lu.permutationP().indices();
    front.right.resize(p, q);
    for (Eigen::Index k = 0; k < p; ++k) front.right.row(front.swaps[k]) = work_.row(k).tail(q);
    front.lu.triangularView<Eigen::UnitLower>().solveInPlace(front.right);
    front.below = work_.bottomLeftCorner(q, p);
    front.lu.triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(front.below);
  }
  if (front.parent < 0) return true;
  front.update = work_.bottomRightCorner(q, q);
  if (p > 0) front.update.noalias() -= front.below * front.right;
  return true;
}

bool BlockLu::factorise(std::span<const Mat3> P, std::span<const Mat3> Q) {
  alone_.assign(static_cast<std::size_t>(W_.size()), 0);
  own_inverse_.resize(static_cast<std::size_t>(W_.size()));
  for (int k = 0; k < W_.size(); ++k)
    if (Q.data()[k].isZero(0.0)) {
      alone_.data()[k] = 1;
      if (!(std::abs(P.data()[k].determinant()) > 0.0)) return false;
      own_inverse_.data()[k] = P.data()[k].inverse();
    }
  bool regular = true;
  for (std::size_t f = 0; f < fronts_.size() && regular; ++f) {
    Front& front = fronts_[f];
    assemble(front, P, Q);
    for (const int c : children_[f]) {
      Front& child = fronts_.data()[c];
      const int passed = static_cast<int>(child.present.size()) - child.pivot_count;
      const int* const rest = child.present.data() + child.pivot_count;
      for (int j = 0; j < passed; ++j)
        for (int i = 0; i < passed; ++i)
          work_.block<3, 3>(3 * slot_.data()[rest[i]], 3 * slot_.data()[rest[j]]) +=
              child.update.block<3, 3>(3 * i, 3 * j);
    }
    regular = eliminate(front);
    for (const int k : front.present) slot_.data()[k] = -1;
  }
  return regular;
}

void BlockLu::substitute(std::span<const Mat3> Q, std::span<const double> b, std::span<double> d) {
  std::ranges::copy(b, rhs_.begin());
  const auto of = [](auto& values, int k) { return Vec3::Map(values.data() + 3 * k); };
  for (int k = 0; k < W_.size(); ++k)
    Vec3::Map(d.data() + 3 * k) = alone_.data()[k] != 0 ? Vec3(own_inverse_.data()[k] * of(b, k)) : Vec3(Vec3::Zero());
  for (int k = 0; k < W_.size(); ++k)
    if (alone_.data()[k] == 0) Vec3::Map(rhs_.data() + 3 * k) -= Q.data()[k] * W_.product(k, d.data());
  Eigen::VectorXd own, later;
  const auto gather = [&](const auto& from, const Front& front) {
    const Eigen::Index p = 3 * front.pivot_count, all = 3 * static_cast<Eigen::Index>(front.present.size());
    own.resize(p), later.resize(all - p);
    for (Eigen::Index s = 0; s < all; s += 3)
      (s < p ? own.segment<3>(s) : later.segment<3>(s - p)) = of(from, front.present.data()[s / 3]);
  };
  for (const Front& front : fronts_) {
    if (front.pivot_count == 0) continue;
    gather(rhs_, front);
    Eigen::VectorXd turned(own.size());
    for (Eigen::Index k = 0; k < own.size(); ++k) turned[front.swaps[k]] = own[k];
    front.lu.triangularView<Eigen::UnitLower>().solveInPlace(turned);
    later.noalias() -= front.below * turned;
    for (Eigen::Index s = 0; s < static_cast<Eigen::Index>(front.present.size()); ++s)
      Vec3::Map(rhs_.data() + 3 * front.present.data()[s]) =
          s < front.pivot_count ? turned.segment<3>(3 * s) : later.segment<3>(3 * (s - front.pivot_count));
  }
  for (auto front = fronts_.rbegin(); front != fronts_.rend(); ++front) {
    if (front->pivot_count == 0) continue;
    gather(rhs_, *front);
    own.noalias() -= front->right * later;
    front->lu.triangularView<Eigen::Upper>().solveInPlace(own);
    for (int s = 0; s < front->pivot_count; ++s)
      Vec3::Map(rhs_.data() + 3 * front->present.data()[s]) = own.segment<3>(3 * s);
  }
  for (int k = 0; k < W_.size(); ++k)
    if (alone_.data()[k] == 0) Vec3::Map(d.data() + 3 * k) = of(rhs_, k);
}

void BlockLu::solve(std::span<const Mat3> P, std::span<const Mat3> Q, std::span<const double> b, std::span<double> d) {
  substitute(Q, b, d);
  for (int k = 0; k < W_.size(); ++k)
    Vec3::Map(residual_.data() + 3 * k) =
        Vec3::Map(b.data() + 3 * k) - P.data()[k] * Vec3::Map(d.data() + 3 * k) - Q.data()[k] * W_.product(k, d.data());
  substitute(Q, residual_, correction_);
  for (std::size_t k = 0; k < residual_.size(); ++k) d[k] += correction_[k];
}

}  // namespace scree::problem
