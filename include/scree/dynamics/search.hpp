#pragma once

#include <cstdint>
#include <vector>

#include "scree/collision/pairs.hpp"
#include "scree/model/bodies.hpp"
#include "scree/model/wall.hpp"
#include "scree/parallel/comm.hpp"
#include "scree/parallel/halo.hpp"
#include "scree/parallel/partition.hpp"

namespace scree::dynamics {

/// How far a search looks (m): surfaces nearer than this are paired. Looking far for walls costs nothing.
struct Reach {
  double bodies;
  double walls;
};

/// Who may touch whom until bodies moved further than the reach of the search allows.
struct Neighbourhood {
  parallel::Halo halo;        ///< keeps the ghosts up to date
  collision::PairList pairs;  ///< pairs whose contacts this rank owns, with the memory of their impulses
  Reach reach{0.0, 0.0};
};

/// Collective: spreads bodies over the ranks for the first time, so that each has the same work if surfaces nearer than
/// `reach` (m) will touch, those of walls included.
void distribute(const parallel::Comm& comm, model::Bodies& bodies, const std::vector<model::Wall>& walls, double reach,
                const parallel::Partitioner& partitioner = parallel::partitioners().front());

/// Collective: spreads bodies anew so that each rank has the same work (one number per owned body), and moves as few as
/// the partitioner can. Ghosts are dropped; memories travel with the bodies. Returns how many bodies left this rank.
std::int64_t redistribute(const parallel::Comm& comm, model::Bodies& bodies, const std::vector<double>& work,
                          double reach, const parallel::Partitioner& partitioner,
                          std::vector<collision::ContactMemory>& memories);

/// The pairs that had an impulse.
[[nodiscard]] std::vector<collision::ContactMemory> recall(const model::Bodies& bodies,
                                                           const collision::PairList& pairs);

/// Collective: moves each memory to the rank that owns the contact's first body, from wherever it is.
void send_to_first_bodies(const parallel::Comm& comm, const model::Bodies& bodies,
                          std::vector<collision::ContactMemory>& memories);

/// Collective: moves strayed bodies to the ranks of their surroundings, mirrors ghosts, and finds all pairs of surfaces
/// within `reach`. Memories must be where one of their bodies is; they follow their contacts wherever those are owned
/// now.
[[nodiscard]] Neighbourhood search(const parallel::Comm& comm, model::Bodies& bodies,
                                   const std::vector<model::Wall>& walls, Reach reach,
                                   std::vector<collision::ContactMemory> memories);

}  // namespace scree::dynamics
