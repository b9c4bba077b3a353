#pragma once

#include <vector>

#include "scree/collision/pairs.hpp"
#include "scree/model/bodies.hpp"
#include "scree/model/wall.hpp"
#include "scree/parallel/comm.hpp"
#include "scree/parallel/halo.hpp"

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

/// Collective: spreads bodies over the ranks for the first time, by ParMETIS's geometric k-way partitioning of the
/// graph of bodies nearer than `reach`.
void distribute(const parallel::Comm& comm, model::Bodies& bodies, double reach);

/// The pairs that had an impulse.
[[nodiscard]] std::vector<collision::ContactMemory> recall(const model::Bodies& bodies,
                                                           const collision::PairList& pairs);

/// Collective: moves each memory to the rank that owns the contact's first body, from wherever it is.
void send_to_first_bodies(const parallel::Comm& comm, const model::Bodies& bodies,
                          std::vector<collision::ContactMemory>& memories);

/// Collective: moves bodies to the ranks of their surroundings, mirrors ghosts, and finds all pairs of surfaces within
/// `reach`. Memories must be where one of their bodies is; they follow their contacts wherever those are owned now.
[[nodiscard]] Neighbourhood search(const parallel::Comm& comm, model::Bodies& bodies,
                                   const std::vector<model::Wall>& walls, Reach reach,
                                   std::vector<collision::ContactMemory> memories);

}  // namespace scree::dynamics
