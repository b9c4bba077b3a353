#include "scree/parallel/partition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "scree/parallel/error.hpp"
#include "scree/parallel/hilbert.hpp"
#include "scree/parallel/parmetis.hpp"
#include "scree/parallel/rcb.hpp"

namespace scree::parallel {

const std::vector<Partitioner>& partitioners() {
  static const std::vector<Partitioner> list{
#ifdef SCREE_WITH_PARMETIS
      {"parmetis", "graph of near bodies, few contacts across ranks (ParMETIS)", true, partition_by_parmetis},
#endif
      {"rcb", "recursive coordinate bisection", false,
       [](const Comm& comm, const WeightedPoints& points, const Graph&, Movement) {
         return partition_by_planes(comm, points, comm.size());
       }},
      {"hilbert", "pieces of a Hilbert curve", false,
       [](const Comm& comm, const WeightedPoints& points, const Graph&, Movement) {
         return partition_by_hilbert_curve(comm, points, comm.size());
       }},
  };
  return list;
}

const Partitioner& find_partitioner(std::string_view name) {
  const auto found = std::ranges::find(partitioners(), name, &Partitioner::name);
  if (found != partitioners().end()) return *found;
  std::string names;
  for (const Partitioner& partitioner : partitioners())
    names += fmt::format("{}{}", names.empty() ? "" : ", ", partitioner.name);
  if (name == "parmetis")
    throw InputError("this build has no parmetis (-DSCREE_WITH_PARMETIS=OFF): choose one of " + names);
  throw InputError(fmt::format("unknown partitioner '{}': choose one of {}", name, names));
}

double imbalance_of(const Comm& comm, double local_weight) {
  const double total = comm.sum(local_weight);
  return total > 0.0 ? comm.max(local_weight) * comm.size() / total : 1.0;
}

}  // namespace scree::parallel
