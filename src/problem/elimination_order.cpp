#include "scree/problem/elimination_order.hpp"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <stdexcept>

#ifdef SCREE_WITH_PARMETIS
#include <metis.h>
#endif

namespace scree::problem {

namespace {

std::vector<int> by_minimum_degree(const Graph& graph) {
  std::vector<double> values(graph.other.size());  // the ordering asks for a matrix, of which it takes the pattern
  const Eigen::Map<const Eigen::SparseMatrix<double>> matrix(graph.size(), graph.size(),
                                                             static_cast<Eigen::Index>(graph.other.size()),
                                                             graph.first.data(), graph.other.data(), values.data());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order;
  Eigen::AMDOrdering<int>()(Eigen::SparseMatrix<double>(matrix).selfadjointView<Eigen::Upper>(), order);
  return {order.indices().data(), order.indices().data() + graph.size()};
}

#ifdef SCREE_WITH_PARMETIS
std::vector<int> by_nested_dissection(const Graph& graph) {
  idx_t size = graph.size();
  std::vector<idx_t> first = {0}, edges, order(static_cast<std::size_t>(size)), place(order);
  for (int k = 0; k < size; ++k) {
    for (const int other : graph[k])
      if (other != k) edges.push_back(other);
    first.push_back(static_cast<idx_t>(edges.size()));
  }
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 42;  // the same factors in every run
  const int status = METIS_NodeND(&size, first.data(), edges.data(), nullptr, options, order.data(), place.data());
  if (status != METIS_OK) throw std::runtime_error("METIS could not order the matrix");
  return {order.begin(), order.end()};
}
#endif

}  // namespace

std::vector<int> elimination_order(const Graph& graph) {
#ifdef SCREE_WITH_PARMETIS
  constexpr int many = 2000;
  if (graph.size() >= many) return by_nested_dissection(graph);
#endif
  return by_minimum_degree(graph);
}

}  // namespace scree::problem
