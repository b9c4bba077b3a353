#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scree/parallel/comm.hpp"

namespace scree::parallel {

/// A distributed undirected graph on points in space. Vertex k of this rank has the neighbours
/// edges[first_edge[k]] .. edges[first_edge[k + 1] - 1], given by global number: vertices are numbered rank by rank.
struct Graph {
  std::vector<int> first_edge;
  std::vector<std::int64_t> edges;
};

/// Collective: the part (0 .. parts-1) of each local point along ParMETIS's space-filling curve. Coordinates are
/// x, y, z per point. Ranks without points are allowed.
[[nodiscard]] std::vector<int> partition_by_curve(const Comm& comm, std::span<const double> coordinates, int parts);

/// Collective: the part of each local point by ParMETIS's geometric k-way partitioning of the graph, which keeps the
/// number of cut edges small. Ranks without points are allowed.
[[nodiscard]] std::vector<int> partition_by_graph(const Comm& comm, std::span<const double> coordinates,
                                                  const Graph& graph, int parts);

}  // namespace scree::parallel
