#include "scree/problem/sparse_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace scree::problem {

using parallel::Comm;
using parallel::EvenSplit;

std::vector<SparseEntry> columns_of_rank(const Comm& comm, const EvenSplit& split,
                                         const std::vector<SparseEntry>& entries) {
  return route(comm, entries, [&](const SparseEntry& entry) { return split.part_of(entry.column); });
}

std::vector<SparseEntry> rows_of_rank(const Comm& comm, const EvenSplit& split,
                                      const std::vector<SparseEntry>& entries) {
  return route(comm, entries, [&](const SparseEntry& entry) { return split.part_of(entry.row); });
}

double asymmetry(const Comm& comm, const SparseMatrix& matrix) {
  // Both entries of a pair meet at the rank of the smaller number. What is left of their sum with opposite signs
  // counts.
  const EvenSplit split{matrix.rows, comm.size()};
  const auto smaller = [](const SparseEntry& entry) { return std::min(entry.row, entry.column); };
  auto entries = route(comm, matrix.entries, [&](const SparseEntry& entry) { return split.part_of(smaller(entry)); });
  const auto place = [](const SparseEntry& entry) {
    return std::tuple(std::min(entry.row, entry.column), std::max(entry.row, entry.column));
  };
  std::ranges::stable_sort(entries, {}, place);
  double largest = 0.0, difference = 0.0;
  for (std::size_t k = 0; k < entries.size();) {
    double upper = 0.0, lower = 0.0;
    const auto here = place(entries[k]);
    for (; k < entries.size() && place(entries[k]) == here; ++k)
      (entries[k].row <= entries[k].column ? upper : lower) += entries[k].value;
    const bool diagonal = std::get<0>(here) == std::get<1>(here);
    largest = std::max({largest, std::abs(upper), std::abs(lower)});
    if (!diagonal) difference = std::max(difference, std::abs(upper - lower));
  }
  double sizes[2] = {difference, largest};
  comm.max(sizes);
  return sizes[1] > 0.0 ? sizes[0] / sizes[1] : 0.0;
}

}  // namespace scree::problem
