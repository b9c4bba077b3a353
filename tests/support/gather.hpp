#pragma once

#include <vector>

#include "scree/parallel/exchange.hpp"
#include "support/support.hpp"

namespace scree::test {

/// Collective: the records of all ranks, rank by rank, on every rank. For oracles that look at everything at once.
template <typename Record>
[[nodiscard]] std::vector<Record> gather_everywhere(const std::vector<Record>& local) {
  return parallel::gather_everywhere(world(), local);
}

}  // namespace scree::test
