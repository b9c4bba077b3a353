#include "scree/parallel/parmetis.hpp"

#include <parmetis.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "scree/parallel/error.hpp"
#include "scree/parallel/hilbert.hpp"

namespace scree::parallel {

namespace {

/// ParMETIS wants at least one vertex on every rank: it works among those that have some.
class Workers {
 public:
  Workers(const Comm& comm, std::size_t points) {
    MPI_Comm_split(comm.handle(), points > 0 ? 0 : MPI_UNDEFINED, comm.rank(), &comm_);
    if (comm_ == MPI_COMM_NULL) return;
    int size = 0;
    MPI_Comm_size(comm_, &size);
    vertex_ranges_.resize(static_cast<std::size_t>(size) + 1, 0);
    auto count = static_cast<idx_t>(points);
    MPI_Allgather(&count, 1, IDX_T, vertex_ranges_.data() + 1, 1, IDX_T, comm_);
    for (std::size_t k = 1; k < vertex_ranges_.size(); ++k) vertex_ranges_[k] += vertex_ranges_[k - 1];
  }
  ~Workers() {
    if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  [[nodiscard]] bool has_points() const { return comm_ != MPI_COMM_NULL; }
  [[nodiscard]] MPI_Comm* comm() { return &comm_; }
  [[nodiscard]] idx_t* vertex_ranges() { return vertex_ranges_.data(); }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::vector<idx_t> vertex_ranges_;
};

/// With hardly more points than parts a graph says nothing, and ParMETIS is not made for it.
bool too_few(std::int64_t points, int parts) { return points < 8 * static_cast<std::int64_t>(parts); }

/// ParMETIS divides by extents that may be zero and compares numbers that it never set, without harm to its result: its
/// floating-point exceptions are not the caller's.
template <typename Call>
void run_parmetis(Call&& call) {
  std::fenv_t environment;
  std::feholdexcept(&environment);
  const int status = call();
  std::fesetenv(&environment);
  if (status != METIS_OK) throw std::runtime_error("ParMETIS could not partition the bodies");
}

/// Collective: weights as ParMETIS takes them, whole numbers whose sum it can still express.
std::vector<idx_t> whole_weights(const Comm& comm, std::span<const double> weights) {
  constexpr double largest_sum = 5e8;
  constexpr double finest = 1000.0;  // of the mean weight: enough for any balance
  double total = 0.0;
  for (const double weight : weights) total += weight;
  total = comm.sum(total);
  const auto count = static_cast<double>(comm.sum(static_cast<std::int64_t>(weights.size())));
  const double scale = total > 0.0 ? std::min(largest_sum, finest * count) / total : 0.0;
  std::vector<idx_t> whole(weights.size());
  std::ranges::transform(weights, whole.begin(), [&](double weight) { return 1 + static_cast<idx_t>(scale * weight); });
  return whole;
}

/// Of the largest part over the mean. Told to be finer than a few vertices, ParMETIS ends further away from it.
real_t tolerated_imbalance(double vertices_in_part) {
  return static_cast<real_t>(1.0 + std::clamp(5.0 / vertices_in_part, 0.005, 0.02));
}

/// The arguments that ParMETIS's functions have in common, in its own types.
struct Arguments {
  Arguments(const Comm& comm, const WeightedPoints& points, const Graph& graph, std::int64_t vertices)
      : first_edge(graph.first_edge.begin(), graph.first_edge.end()),
        edges(graph.edges.begin(), graph.edges.end()),
        weights(whole_weights(comm, points.weights)),
        xyz(points.coordinates.begin(), points.coordinates.end()),
        sizes(points.size(), 1),
        parts(comm.size()),
        share(static_cast<std::size_t>(comm.size()), real_t(1) / static_cast<real_t>(comm.size())),
        part(points.size(), comm.rank()),
        imbalance(tolerated_imbalance(static_cast<double>(vertices) / comm.size())) {
    edges.reserve(1);  // ParMETIS dislikes a null pointer even where there are no edges
  }

  std::vector<idx_t> first_edge, edges, weights;
  std::vector<real_t> xyz;
  std::vector<idx_t> sizes;  ///< what it costs to move a vertex
  idx_t parts;
  std::vector<real_t> share;
  std::vector<idx_t> part;  ///< the result
  real_t imbalance;
  idx_t weights_of_vertices_only = 2, from_zero = 0, dimensions = 3, constraints = 1, edge_cut = 0;
  idx_t options[4] = {1, 0, 42, PARMETIS_PSR_COUPLED};  // with a seed; part = rank
};

void partition_anew(Workers& workers, Arguments& a) {
  run_parmetis([&] {
    return ParMETIS_V3_PartGeomKway(workers.vertex_ranges(), a.first_edge.data(), a.edges.data(), a.weights.data(),
                                    nullptr, &a.weights_of_vertices_only, &a.from_zero, &a.dimensions, a.xyz.data(),
                                    &a.constraints, &a.parts, a.share.data(), &a.imbalance, a.options, &a.edge_cut,
                                    a.part.data(), workers.comm());
  });
}

void adapt_partition(Workers& workers, Arguments& a) {
  // What the messages of many steps cost against one migration: a high price of cut edges, as the manual advises.
  real_t messages_to_migration = 1000.0F;
  run_parmetis([&] {
    return ParMETIS_V3_AdaptiveRepart(workers.vertex_ranges(), a.first_edge.data(), a.edges.data(), a.weights.data(),
                                      a.sizes.data(), nullptr, &a.weights_of_vertices_only, &a.from_zero,
                                      &a.constraints, &a.parts, a.share.data(), &a.imbalance, &messages_to_migration,
                                      a.options, &a.edge_cut, a.part.data(), workers.comm());
  });
}

}  // namespace

std::vector<int> partition_by_parmetis(const Comm& comm, const WeightedPoints& points, const Graph& graph,
                                       Movement movement) {
  const std::int64_t count = comm.sum(static_cast<std::int64_t>(points.size()));
  if (count > std::numeric_limits<idx_t>::max())
    throw InputError("this ParMETIS counts no further than 32 bits: choose the partitioner hilbert or rcb");
  if (too_few(count, comm.size())) return partition_by_hilbert_curve(comm, points, comm.size());
  if (comm.size() == 1) return std::vector<int>(points.size(), 0);

  Arguments arguments(comm, points, graph, count);
  const bool has_empty_ranks = comm.any(points.size() == 0);
  Workers workers(comm, points.size());
  if (workers.has_points()) {
    if (movement == Movement::little && !has_empty_ranks) {
      adapt_partition(workers, arguments);
    } else {
      partition_anew(workers, arguments);
    }
  }
  return {arguments.part.begin(), arguments.part.end()};
}

}  // namespace scree::parallel
