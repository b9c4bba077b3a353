#pragma once

#include <vector>

#include "scree/parallel/partition.hpp"

namespace scree::parallel {

/// Collective: one part per rank by ParMETIS, which keeps the number of cut edges small: geometric k-way partitioning,
/// or adaptive repartitioning where points should move little and every rank has some.
/// Only in builds with SCREE_WITH_PARMETIS.
[[nodiscard]] std::vector<int> partition_by_parmetis(const Comm& comm, const WeightedPoints& points, const Graph& graph,
                                                     Movement movement);

}  // namespace scree::parallel
