#pragma once

#include <type_traits>
#include <vector>

#include "support/support.hpp"

namespace scree::test {

/// Collective: the records of all ranks, rank by rank, on every rank. For oracles that look at everything at once.
template <typename Record>
[[nodiscard]] std::vector<Record> gather_everywhere(const std::vector<Record>& local) {
  static_assert(std::is_trivially_copyable_v<Record>);
  const parallel::Comm& comm = world();
  const int bytes = static_cast<int>(local.size() * sizeof(Record));
  std::vector<int> counts(comm.size()), starts(comm.size(), 0);
  MPI_Allgather(&bytes, 1, MPI_INT, counts.data(), 1, MPI_INT, comm.handle());
  for (int rank = 1; rank < comm.size(); ++rank) starts[rank] = starts[rank - 1] + counts[rank - 1];
  std::vector<Record> all((starts.back() + counts.back()) / sizeof(Record));
  MPI_Allgatherv(local.data(), bytes, MPI_BYTE, all.data(), counts.data(), starts.data(), MPI_BYTE, comm.handle());
  return all;
}

}  // namespace scree::test
