#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "scree/parallel/partition.hpp"
#include "support/gather.hpp"

// Points in space that every rank could name, and ways to spread them over the ranks.

namespace scree::test {

struct Cloud {
  std::vector<double> coordinates;
  std::vector<double> weights;

  [[nodiscard]] std::size_t size() const { return weights.size(); }
  [[nodiscard]] parallel::WeightedPoints points() const { return {coordinates, weights}; }

  void add(const std::array<double, 3>& place, double weight) {
    coordinates.insert(coordinates.end(), place.begin(), place.end());
    weights.push_back(weight);
  }
};

enum class Holders { all, unequal, one, every_other };  ///< who brings the points
inline constexpr Holders all_holders[] = {Holders::all, Holders::unequal, Holders::one, Holders::every_other};

/// The rank that brings point `number` of `count`.
[[nodiscard]] inline int holder_of(Holders holders, int number, int count) {
  const int ranks = world().size();
  switch (holders) {
    case Holders::all:
      return number * ranks / count;
    case Holders::unequal:  // the last rank brings most
      return std::max(0, ranks - 1 - number * 2 * ranks / count);
    case Holders::one:
      return ranks / 2;
    case Holders::every_other:
      return 2 * (number % ((ranks + 1) / 2));
  }
  return 0;
}

/// This rank's share of `count` random points in a box, with random weights up to `heaviest` times the lightest.
[[nodiscard]] inline Cloud random_cloud(unsigned seed, int count, double heaviest, Holders holders = Holders::all) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> x(-7.0, 5.0), y(0.0, 4.0), z(-1.0, 2.0), weight(1.0, heaviest);
  Cloud cloud;
  for (int k = 0; k < count; ++k) {
    const std::array<double, 3> place{x(random), y(random), z(random)};
    const double work = weight(random);
    if (holder_of(holders, k, count) == world().rank()) cloud.add(place, work);
  }
  return cloud;
}

/// Collective: what each part weighs.
[[nodiscard]] inline std::vector<double> part_weights(const Cloud& cloud, const std::vector<int>& part, int parts) {
  std::vector<double> weight(static_cast<std::size_t>(parts), 0.0);
  for (std::size_t k = 0; k < part.size(); ++k) weight[static_cast<std::size_t>(part[k])] += cloud.weights[k];
  world().sum(weight);
  return weight;
}

/// Collective: weight of the heaviest part over the mean.
[[nodiscard]] inline double imbalance(const Cloud& cloud, const std::vector<int>& part, int parts) {
  const auto weight = part_weights(cloud, part, parts);
  double total = 0.0;
  for (const double w : weight) total += w;
  return *std::ranges::max_element(weight) * parts / total;
}

inline void check_range(const std::vector<int>& part, std::size_t points, int parts) {
  BOOST_TEST(part.size() == points);
  BOOST_TEST(std::ranges::all_of(part, [parts](int p) { return p >= 0 && p < parts; }));
}

[[nodiscard]] inline parallel::Graph no_edges(std::size_t points) { return {std::vector<int>(points + 1, 0), {}}; }

/// A cubic lattice with `side` points along each edge, its points dealt out in layers to the ranks that `has_points`
/// names. Vertices are numbered layer by layer, so that a rank's are consecutive.
struct Lattice {
  int side;
  int first;  ///< vertex on this rank
  int last;
  Cloud cloud;
  parallel::Graph graph;

  template <typename HasPoints>
  Lattice(int side_, HasPoints&& has_points) : side(side_) {
    int holders = 0, holders_below = 0;
    for (int rank = 0; rank < world().size(); ++rank) {
      if (!has_points(rank)) continue;
      ++holders;
      if (rank < world().rank()) ++holders_below;
    }
    const int holders_up_to_here = holders_below + (has_points(world().rank()) ? 1 : 0);
    first = side * side * (side * holders_below / holders);
    last = side * side * (side * holders_up_to_here / holders);
    graph.first_edge.push_back(0);
    for (int vertex = first; vertex < last; ++vertex) {
      const int at[3] = {vertex % side, vertex / side % side, vertex / (side * side)};
      const int step[3] = {1, side, side * side};
      cloud.add({0.1 * at[0], 0.1 * at[1], 0.1 * at[2]}, 1.0);
      for (int axis = 0; axis < 3; ++axis) {
        if (at[axis] > 0) graph.edges.push_back(vertex - step[axis]);
        if (at[axis] + 1 < side) graph.edges.push_back(vertex + step[axis]);
      }
      graph.first_edge.push_back(static_cast<int>(graph.edges.size()));
    }
  }

  /// Collective: how many edges join different parts.
  [[nodiscard]] double edge_cut(const std::vector<int>& part) const {
    std::vector<double> all(static_cast<std::size_t>(side * side * side), 0.0);
    for (std::size_t k = 0; k < part.size(); ++k) all[static_cast<std::size_t>(first) + k] = part[k];
    world().sum(all);
    double cut = 0.0;
    for (std::size_t k = 0; k < part.size(); ++k)
      for (int e = graph.first_edge[k]; e < graph.first_edge[k + 1]; ++e) {
        const auto other = static_cast<std::size_t>(graph.edges[static_cast<std::size_t>(e)]);
        cut += all[other] != part[k] ? 0.5 : 0.0;
      }
    return world().sum(cut);
  }
};

}  // namespace scree::test
