#include "scree/parallel/partition.hpp"

#include <algorithm>
#include <random>

#include "support/support.hpp"

using scree::parallel::Graph;
using scree::parallel::partition_by_curve;
using scree::parallel::partition_by_graph;
using scree::test::world;

namespace {

std::vector<double> random_points(int count) {
  std::mt19937 random(static_cast<unsigned>(world().rank() + 1));
  std::uniform_real_distribution<double> side(-5.0, 5.0);
  std::vector<double> coordinates(3 * static_cast<std::size_t>(count));
  for (double& x : coordinates) x = side(random);
  return coordinates;
}

void check_range(const std::vector<int>& part, std::size_t points, int parts) {
  BOOST_TEST(part.size() == points);
  BOOST_TEST(std::ranges::all_of(part, [parts](int p) { return p >= 0 && p < parts; }));
}

/// Collective: size of the largest part over the mean.
double imbalance(const std::vector<int>& part, int parts) {
  std::vector<double> count(static_cast<std::size_t>(parts), 0.0);
  for (const int p : part) count[static_cast<std::size_t>(p)] += 1.0;
  world().sum(count);
  const double mean = world().sum(static_cast<double>(part.size())) / parts;
  return *std::ranges::max_element(count) / mean;
}

Graph no_edges(std::size_t points) { return {std::vector<int>(points + 1, 0), {}}; }

/// A cubic lattice with `side` points along each edge, its points dealt out in layers to the ranks that `has_points`
/// names. Vertices are numbered layer by layer, so that a rank's are consecutive.
struct Lattice {
  int side;
  int first;  ///< vertex on this rank
  int last;
  std::vector<double> coordinates;
  Graph graph;

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
      for (int axis = 0; axis < 3; ++axis) {
        coordinates.push_back(0.1 * at[axis]);
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

}  // namespace

BOOST_AUTO_TEST_CASE(the_curve_balances_random_points) {
  const auto points = random_points(4000 / world().size());
  const auto part = partition_by_curve(world(), points, world().size());
  check_range(part, points.size() / 3, world().size());
  BOOST_TEST(imbalance(part, world().size()) < 1.1);
}

BOOST_AUTO_TEST_CASE(the_curve_balances_points_that_are_unevenly_spread_over_ranks) {
  const auto points = random_points(500 * (world().rank() + 1));
  const auto part = partition_by_curve(world(), points, world().size());
  check_range(part, points.size() / 3, world().size());
  BOOST_TEST(imbalance(part, world().size()) < 1.1);
}

BOOST_AUTO_TEST_CASE(the_curve_balances_points_that_one_rank_holds) {
  for (int holder = 0; holder < world().size(); ++holder) {
    const auto points = random_points(world().rank() == holder ? 1000 : 0);
    const auto part = partition_by_curve(world(), points, world().size());
    check_range(part, points.size() / 3, world().size());
    BOOST_TEST(imbalance(part, world().size()) < 1.1);
  }
}

BOOST_AUTO_TEST_CASE(fewer_points_than_ranks) {
  for (int count = 0; count <= world().size() + 2; ++count) {
    // All on the last rank, then one on each rank as far as they reach.
    for (const int mine : {world().rank() + 1 == world().size() ? count : 0, world().rank() < count ? 1 : 0}) {
      const auto points = random_points(mine);
      const auto size = points.size() / 3;
      check_range(partition_by_curve(world(), points, world().size()), size, world().size());
      check_range(partition_by_graph(world(), points, no_edges(size), world().size()), size, world().size());
    }
  }
}

BOOST_AUTO_TEST_CASE(points_that_coincide) {
  const std::vector<double> points(3 * 200, 1.0);
  check_range(partition_by_curve(world(), points, world().size()), 200, world().size());
  check_range(partition_by_graph(world(), points, no_edges(200), world().size()), 200, world().size());
}

BOOST_AUTO_TEST_CASE(points_in_a_plane) {
  auto points = random_points(300);
  for (std::size_t k = 2; k < points.size(); k += 3) points[k] = 0.0;
  check_range(partition_by_curve(world(), points, world().size()), 300, world().size());
  check_range(partition_by_graph(world(), points, no_edges(300), world().size()), 300, world().size());
}

BOOST_AUTO_TEST_CASE(the_graph_partition_of_a_lattice_is_balanced_and_cuts_few_edges) {
  const Lattice lattice(16, [](int) { return true; });
  for (const int parts : {world().size(), 4}) {
    const auto part = partition_by_graph(world(), lattice.coordinates, lattice.graph, parts);
    check_range(part, lattice.coordinates.size() / 3, parts);
    BOOST_TEST(imbalance(part, parts) < 1.1);
    const double cut_of_slabs = (parts - 1) * lattice.side * lattice.side;
    BOOST_TEST(lattice.edge_cut(part) <= 2.0 * cut_of_slabs);
  }
}

BOOST_AUTO_TEST_CASE(the_graph_partition_spreads_a_lattice_that_few_ranks_hold) {
  for (int holder = 0; holder < world().size(); ++holder) {
    const Lattice lattice(12, [holder](int rank) { return rank == holder || rank == (holder + 2) % world().size(); });
    const auto part = partition_by_graph(world(), lattice.coordinates, lattice.graph, world().size());
    check_range(part, lattice.coordinates.size() / 3, world().size());
    BOOST_TEST(imbalance(part, world().size()) < 1.1);
  }
}

BOOST_AUTO_TEST_CASE(bodies_without_any_contact_are_still_balanced) {
  const auto points = random_points(600);
  const auto part = partition_by_graph(world(), points, no_edges(600), world().size());
  check_range(part, 600, world().size());
  BOOST_TEST(imbalance(part, world().size()) < 1.1);
}

BOOST_AUTO_TEST_CASE(the_partition_is_reproducible) {
  const Lattice lattice(10, [](int) { return true; });
  const auto once = partition_by_graph(world(), lattice.coordinates, lattice.graph, world().size());
  const auto again = partition_by_graph(world(), lattice.coordinates, lattice.graph, world().size());
  BOOST_TEST((once == again));
}
