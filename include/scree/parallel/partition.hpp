#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "scree/parallel/comm.hpp"

namespace scree::parallel {

/// This rank's share of points in space, each with the work that it makes.
struct WeightedPoints {
  std::span<const double> coordinates;  ///< x, y, z per point
  std::span<const double> weights;      ///< one per point, not negative

  [[nodiscard]] std::size_t size() const { return weights.size(); }
};

/// A distributed undirected graph on the points. Vertex k of this rank has the neighbours
/// edges[first_edge[k]] .. edges[first_edge[k + 1] - 1], given by global number: vertices are numbered rank by rank.
struct Graph {
  std::vector<int> first_edge;
  std::vector<std::int64_t> edges;
};

/// Whether a partition may move any point, or should leave most of them on their present ranks.
enum class Movement { any, little };

/// A way to cut points into parts of equal weight, one part per rank.
struct Partitioner {
  std::string_view name;
  std::string_view description;
  bool uses_graph;  ///< others look at places alone, and may get an empty graph

  /// Collective: the part (a rank) of each local point. Ranks without points are allowed, and so are points that
  /// coincide and fewer points than ranks.
  std::vector<int> (*partition)(const Comm&, const WeightedPoints&, const Graph&, Movement);
};

/// Those that this build has, the default one first.
[[nodiscard]] const std::vector<Partitioner>& partitioners();

/// Throws InputError with the names there are.
[[nodiscard]] const Partitioner& find_partitioner(std::string_view name);

/// Collective: weight of the heaviest part over the mean, 1 where nothing weighs.
[[nodiscard]] double imbalance_of(const Comm& comm, double local_weight);

}  // namespace scree::parallel
