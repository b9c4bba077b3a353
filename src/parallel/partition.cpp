#include "scree/parallel/partition.hpp"

#include <parmetis.h>

#include <algorithm>
#include <array>
#include <cfenv>
#include <stdexcept>

#include "scree/parallel/exchange.hpp"

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

/// With hardly more points than parts a partitioner has nothing to choose, and ParMETIS is not made for it.
bool too_few(std::int64_t points, int parts) { return points < 8 * static_cast<std::int64_t>(parts); }

std::vector<int> deal_out(const Comm& comm, std::size_t local, std::int64_t global, int parts) {
  const std::int64_t first = comm.sum_below(static_cast<std::int64_t>(local));
  std::vector<int> part(local);
  for (std::size_t k = 0; k < local; ++k)
    part[k] = static_cast<int>((first + static_cast<std::int64_t>(k)) * parts / global);
  return part;
}

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

}  // namespace

std::vector<int> partition_by_curve(const Comm& comm, std::span<const double> coordinates, int parts) {
  const std::size_t local = coordinates.size() / 3;
  const std::int64_t global = comm.sum(static_cast<std::int64_t>(local));
  const std::int64_t size = comm.size();
  if (too_few(global, std::max(parts, comm.size()))) return deal_out(comm, local, global, parts);

  // PartGeom makes one part per rank, of as many points as that rank brings: so each brings an equal share.
  using Point = std::array<real_t, 3>;
  const std::int64_t first = comm.sum_below(static_cast<std::int64_t>(local));
  Mail questions;
  for (std::size_t k = 0; k < local; ++k) {
    const auto host = static_cast<int>((first + static_cast<std::int64_t>(k)) * size / global);
    append(questions[host], Point{static_cast<real_t>(coordinates[3 * k]), static_cast<real_t>(coordinates[3 * k + 1]),
                                  static_cast<real_t>(coordinates[3 * k + 2])});
  }
  std::vector<idx_t> vertex_ranges;
  for (std::int64_t rank = 0; rank <= size; ++rank)
    vertex_ranges.push_back(static_cast<idx_t>((rank * global + size - 1) / size));
  const Mail asked = deliver(comm, questions);
  std::vector<Point> points;
  for (const auto& [rank, bytes] : asked)
    for (const Point& point : records<Point>(bytes)) points.push_back(point);

  std::vector<idx_t> place(points.size(), 0);
  idx_t dimensions = 3;
  MPI_Comm handle = comm.handle();
  run_parmetis([&] {
    return ParMETIS_V3_PartGeom(vertex_ranges.data(), &dimensions, points.front().data(), place.data(), &handle);
  });

  // Points travelled in the order of their global numbers, and so do the answers.
  Mail answers;
  auto next = place.begin();
  for (const auto& [rank, bytes] : asked)
    for (std::size_t k = 0; k < bytes.size() / sizeof(Point); ++k)
      append(answers[rank], static_cast<int>(static_cast<std::int64_t>(*next++) * parts / size));
  std::vector<int> part;
  for (const auto& [rank, bytes] : deliver(comm, answers))
    for (const int p : records<int>(bytes)) part.push_back(p);
  return part;
}

std::vector<int> partition_by_graph(const Comm& comm, std::span<const double> coordinates, const Graph& graph,
                                    int parts) {
  const std::size_t local = coordinates.size() / 3;
  const std::int64_t global = comm.sum(static_cast<std::int64_t>(local));
  if (too_few(global, parts)) return deal_out(comm, local, global, parts);

  std::vector<idx_t> part(local, 0);
  Workers workers(comm, local);
  if (workers.has_points() && parts > 1) {
    std::vector<idx_t> first_edge(graph.first_edge.begin(), graph.first_edge.end());
    std::vector<idx_t> edges(graph.edges.begin(), graph.edges.end());
    edges.reserve(1);  // ParMETIS dislikes a null pointer even where there are no edges
    std::vector<real_t> xyz(coordinates.begin(), coordinates.end());
    std::vector<real_t> share(static_cast<std::size_t>(parts), real_t(1) / static_cast<real_t>(parts));
    idx_t unweighted = 0, from_zero = 0, dimensions = 3, constraints = 1, nparts = parts, edge_cut = 0;
    idx_t options[4] = {1, 0, 42, 0};
    real_t imbalance = 1.03F;
    run_parmetis([&] {
      return ParMETIS_V3_PartGeomKway(workers.vertex_ranges(), first_edge.data(), edges.data(), nullptr, nullptr,
                                      &unweighted, &from_zero, &dimensions, xyz.data(), &constraints, &nparts,
                                      share.data(), &imbalance, options, &edge_cut, part.data(), workers.comm());
    });
  }
  return {part.begin(), part.end()};
}

}  // namespace scree::parallel
