#include "scree/problem/block_matrix.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "scree/parallel/exchange.hpp"

namespace scree::problem {

using model::Mat3;
using model::Vec3;
using parallel::Comm;

namespace {

/// Touches in groups of the same number: a block or a degree of freedom.
class Groups {
 public:
  template <typename Number>
  Groups(const std::vector<Touch>& touches, std::int64_t count, Number&& number)
      : first_(static_cast<std::size_t>(count) + 1, 0), touches_(touches.size()) {
    for (const Touch& touch : touches) ++first_[static_cast<std::size_t>(number(touch)) + 1];
    for (std::size_t k = 1; k < first_.size(); ++k) first_[k] += first_[k - 1];
    std::vector<std::size_t> next = first_;
    for (const Touch& touch : touches) touches_[next[static_cast<std::size_t>(number(touch))]++] = touch;
  }
  [[nodiscard]] std::span<const Touch> operator[](std::int64_t number) const {
    const auto k = static_cast<std::size_t>(number);
    return std::span(touches_).subspan(first_[k], first_[k + 1] - first_[k]);
  }

 private:
  std::vector<std::size_t> first_;
  std::vector<Touch> touches_;
};

/// Collective: the entries of all ranks, those of a block at one degree of freedom together.
std::vector<Touch> gather_touches(const Comm& comm, int first_row, std::vector<Factors::Entry> entries) {
  for (Factors::Entry& entry : entries) entry.row += first_row;
  if (comm.size() > 1) entries = parallel::gather_everywhere(comm, entries);
  return join_entries(std::move(entries));
}

/// Collective: C of all ranks; empty if there is none anywhere.
std::vector<double> gather_compliance(const Comm& comm, const Factors& factors) {
  std::vector<double> compliance = factors.compliance;
  if (!comm.any(!compliance.empty())) return {};
  compliance.resize(static_cast<std::size_t>(factors.rows), 0.0);
  return parallel::gather_everywhere(comm, compliance);
}

/// Adds rows to N: N_ij is the sum of a s^T over the degrees of freedom at which block i reads a and block j writes s.
class RowMaker {
 public:
  RowMaker(int blocks, const Groups& writes) : writes_(writes), place_(static_cast<std::size_t>(blocks), -1) {}

  void add_row(int i, std::span<const Touch> reads, BlockMatrix& N) {
    columns_.clear();
    find(i);
    for (const Touch& read : reads)
      for (const Touch& write : writes_[read.dof]) find(write.block);
    std::ranges::sort(columns_);
    for (const int j : columns_) {
      place_[static_cast<std::size_t>(j)] = static_cast<int>(N.column.size());
      N.column.push_back(j);
      N.value.emplace_back(Mat3::Zero());
    }
    for (const Touch& read : reads)
      for (const Touch& write : writes_[read.dof]) value(write.block, N) += read.value * write.value.transpose();
    N.first.push_back(static_cast<int>(N.column.size()));
  }
  /// The block in column j of the row added last.
  [[nodiscard]] Mat3& value(int j, BlockMatrix& N) const {
    return N.value[static_cast<std::size_t>(place_[static_cast<std::size_t>(j)])];
  }
  void forget_row() {
    for (const int j : columns_) place_[static_cast<std::size_t>(j)] = -1;
  }

 private:
  void find(int j) {
    int& place = place_[static_cast<std::size_t>(j)];
    if (place < 0) columns_.push_back(j);
    place = 0;
  }

  const Groups& writes_;
  std::vector<int> place_;  ///< of the columns of the present row; -1: not in it
  std::vector<int> columns_;
};

}  // namespace

Vec3 BlockMatrix::product(int row, const double* x) const {
  Vec3 sum = Vec3::Zero();
  for (int k = first.data()[row]; k < first.data()[row + 1]; ++k)
    sum += value.data()[k] * Vec3::Map(x + 3 * column.data()[k]);
  return sum;
}

BlockMatrix gather_blocks(const Comm& comm, Factors factors) {
  const auto first_row = static_cast<int>(comm.sum_below(factors.rows));
  const int blocks = static_cast<int>(comm.sum(std::int64_t{factors.rows})) / 3;
  const std::int64_t dofs = comm.sum(std::int64_t{factors.dofs});
  const Groups reads(gather_touches(comm, first_row, std::move(factors.reads)), blocks,
                     [](const Touch& t) { return t.block; });
  const Groups writes(gather_touches(comm, first_row, std::move(factors.writes)), dofs,
                      [](const Touch& t) { return t.dof; });
  const std::vector<double> compliance = gather_compliance(comm, factors);

  BlockMatrix N;
  RowMaker maker(blocks, writes);
  for (int i = 0; i < blocks; ++i) {
    maker.add_row(i, reads[i], N);
    if (!compliance.empty()) maker.value(i, N).diagonal() += Vec3::Map(compliance.data() + 3 * i);
    maker.forget_row();
  }
  return N;
}

}  // namespace scree::problem
