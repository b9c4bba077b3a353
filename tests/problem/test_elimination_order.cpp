#include "scree/problem/elimination_order.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <set>

#include "support/support.hpp"

// ranks: 1

using scree::problem::Graph;

namespace {

using Neighbours = std::vector<std::vector<int>>;

std::vector<int> elimination_order(const Neighbours& neighbours) {
  Graph graph;
  for (std::size_t k = 0; k < neighbours.size(); ++k) {
    std::set<int> all(neighbours[k].begin(), neighbours[k].end());
    all.insert(static_cast<int>(k));
    graph.other.insert(graph.other.end(), all.begin(), all.end());
    graph.first.push_back(static_cast<int>(graph.other.size()));
  }
  return scree::problem::elimination_order(graph);
}

/// A cube of n^3 vertices, each beside those that differ by one in one direction.
Neighbours cube(int n) {
  Neighbours neighbours(static_cast<std::size_t>(n * n * n));
  for (int k = 0; k < n * n * n; ++k)
    for (const int stride : {1, n, n * n})
      if (k / stride % n + 1 < n) {
        neighbours[static_cast<std::size_t>(k)].push_back(k + stride);
        neighbours[static_cast<std::size_t>(k + stride)].push_back(k);
      }
  return neighbours;
}

bool is_permutation(std::vector<int> order, std::size_t size) {
  std::vector<int> all(size);
  std::iota(all.begin(), all.end(), 0);
  std::ranges::sort(order);
  return order == all;
}

/// Entries below the diagonal of the factor, by eliminating vertex after vertex.
std::size_t fill(const Neighbours& neighbours, const std::vector<int>& order) {
  std::vector<std::set<int>> left;
  for (const auto& list : neighbours) left.emplace_back(list.begin(), list.end());
  std::size_t entries = 0;
  for (const int k : order) {
    const std::set<int> own = left[static_cast<std::size_t>(k)];
    entries += own.size();
    for (const int i : own) {
      std::set<int>& other = left[static_cast<std::size_t>(i)];
      other.insert(own.begin(), own.end());
      other.erase(i);
      other.erase(k);
    }
  }
  return entries;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_vertex_comes_once) {
  BOOST_TEST(elimination_order({}).empty());
  BOOST_TEST(is_permutation(elimination_order(Neighbours(3)), 3));
  for (const int n : {2, 5, 13})
    BOOST_TEST(is_permutation(elimination_order(cube(n)), static_cast<std::size_t>(n * n * n)));
  BOOST_TEST(is_permutation(elimination_order(Neighbours(3000)), 3000));  // nobody meets anybody
}

BOOST_AUTO_TEST_CASE(factors_are_much_smaller_than_in_the_order_given) {
  for (const int n : {6, 13}) {
    const Neighbours neighbours = cube(n);
    std::vector<int> given(neighbours.size());
    std::iota(given.begin(), given.end(), 0);
    BOOST_TEST(3 * fill(neighbours, elimination_order(neighbours)) < 2 * fill(neighbours, given));
  }
}

BOOST_AUTO_TEST_CASE(the_order_is_the_same_every_time) {
  BOOST_TEST((elimination_order(cube(13)) == elimination_order(cube(13))));
}
