#pragma once

#include <functional>

#include "scree/parallel/comm.hpp"

namespace scree::bench {

/// Seconds that pass on this rank.
[[nodiscard]] double wall_clock();

/// Collective: the shortest time of several calls of `work`, each as long as its slowest rank (s). As many calls as fit
/// into `budget` (s), at least two. `clock` tells the seconds that count.
[[nodiscard]] double best_seconds(const parallel::Comm& comm, double budget, const std::function<void()>& work,
                                  const std::function<double()>& clock = wall_clock);

/// Collective: bandwidth of a = b + s c on all ranks together (GB/s), on arrays far larger than any cache but the last.
[[nodiscard]] double triad_bandwidth(const parallel::Comm& comm);

/// Collective: cache lines a second that all ranks together fetch from random places of a memory of that kind. Each
/// place is known long before it is needed, so that as many lines are under way as a processor can have.
[[nodiscard]] double gather_rate(const parallel::Comm& comm);

}  // namespace scree::bench
