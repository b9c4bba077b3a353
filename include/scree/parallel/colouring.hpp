#pragma once

#include <cstdint>
#include <vector>

#include "scree/parallel/comm.hpp"
#include "scree/parallel/halo.hpp"

namespace scree::parallel {

/// Things that tasks of several ranks use, by local index. Copies of one thing on this rank count as different users.
struct SharedItems {
  const Halo& halo;                     ///< owned items and their ghosts
  const std::vector<std::int64_t>& id;  ///< of each item; its ghosts have the same
};

/// A task uses up to two items; a negative index means none.
struct Task {
  int first;
  int second;
};

/// Collective among ranks that share items: a colour (0, 1, 2, ...) for each task, such that no item is used by two
/// ranks, nor through two copies, in one colour. Tasks of one rank may use the same copy in one colour: they run one
/// after another. Ranks take turns by priorities that are drawn like lots, so chains of waiting stay short.
[[nodiscard]] std::vector<int> colour_tasks(const Comm& comm, const SharedItems& items, const std::vector<Task>& tasks);

}  // namespace scree::parallel
