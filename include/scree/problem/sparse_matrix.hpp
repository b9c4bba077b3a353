#pragma once

#include <cstdint>
#include <vector>

#include "scree/parallel/comm.hpp"
#include "scree/parallel/even_split.hpp"
#include "scree/parallel/exchange.hpp"

namespace scree::problem {

/// One entry of a sparse matrix, by the numbers of the whole matrix. Entries at the same place add up.
struct SparseEntry {
  std::int64_t row;
  std::int64_t column;
  double value;
};

/// A sparse matrix whose entries lie on the ranks in any way.
struct SparseMatrix {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<SparseEntry> entries;
};

/// Collective: sends each record to the rank that `destination` names. They arrive in the order of their senders.
template <typename Record, typename Destination>
[[nodiscard]] std::vector<Record> route(const parallel::Comm& comm, const std::vector<Record>& outgoing,
                                        Destination&& destination) {
  parallel::Mail mail;
  for (const Record& record : outgoing) parallel::append(mail[destination(record)], record);
  std::vector<Record> arrived;
  for (const auto& [rank, bytes] : parallel::deliver(comm, mail)) {
    const auto part = parallel::records<Record>(bytes);
    arrived.insert(arrived.end(), part.begin(), part.end());
  }
  return arrived;
}

/// Collective: the entries of the columns (or rows) that are this rank's part of the split.
[[nodiscard]] std::vector<SparseEntry> columns_of_rank(const parallel::Comm& comm, const parallel::EvenSplit& split,
                                                       const std::vector<SparseEntry>& entries);
[[nodiscard]] std::vector<SparseEntry> rows_of_rank(const parallel::Comm& comm, const parallel::EvenSplit& split,
                                                    const std::vector<SparseEntry>& entries);

/// Collective: largest |a_ij - a_ji| of a square matrix, relative to its largest entry.
[[nodiscard]] double asymmetry(const parallel::Comm& comm, const SparseMatrix& matrix);

}  // namespace scree::problem
