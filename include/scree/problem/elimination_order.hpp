#pragma once

#include <span>
#include <vector>

namespace scree::problem {

/// The pattern of a matrix that is symmetric in it: of each vertex those that it meets, itself among them, ascending.
struct Graph {
  std::vector<int> first = {0};  ///< where the list of each vertex begins in `other`, and where the last ends
  std::vector<int> other;

  [[nodiscard]] int size() const { return static_cast<int>(first.size()) - 1; }
  [[nodiscard]] std::span<const int> operator[](int vertex) const {
    return {other.data() + first.data()[vertex], other.data() + first.data()[vertex + 1]};
  }
};

/// An order in which the vertices of a graph are eliminated so that factors of a matrix of its pattern fill up little.
/// Few vertices are ordered by approximate minimum degree, many by nested dissection (METIS; minimum degree in builds
/// without it), whose factors of beds of bodies are smaller.
[[nodiscard]] std::vector<int> elimination_order(const Graph& graph);

}  // namespace scree::problem
