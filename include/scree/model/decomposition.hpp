#pragma once

#include <vector>

#include "scree/model/bodies.hpp"
#include "scree/parallel/comm.hpp"
#include "scree/parallel/exchange.hpp"
#include "scree/parallel/halo.hpp"

namespace scree::model {

/// The coarse lattice of cells through which ranks find each other. A cell has a home rank, computed by all alike,
/// that answers who has bodies in it; so nobody needs to know all ranks.
struct CellLattice {
  double edge;  ///< m; in periodic directions stretched so that a whole number of cells fills a period
  Periodicity space = {};

  /// Cells about as large as eight mean bodies by volume, so that large bodies cover few and small ones share one.
  /// Collective.
  [[nodiscard]] static CellLattice for_bodies(const parallel::Comm& comm, const Bodies& bodies);
};

/// Collective: the rank that should own each owned body. A rank keeps its bodies in a cell while it has at least a
/// tenth of those with their centre there; smaller groups join the rank that has most of them (the lowest of equals).
///
/// So borders lie where the partition put them, and do not jump to the edges of cells, but bodies that stray into the
/// midst of another rank's join it: subdomains stay compact while bodies flow.
[[nodiscard]] std::vector<int> owners_without_strays(const parallel::Comm& comm, const CellLattice& lattice,
                                                     const Bodies& bodies);

/// Collective: moves each owned body k to rank target[k]; what `luggage` packs for it travels along.
/// Returns the luggage that arrived. Ghosts are dropped.
[[nodiscard]] parallel::Mail migrate(const parallel::Comm& comm, Bodies& bodies, const std::vector<int>& target,
                                     const parallel::Mail& luggage);

/// Collective: mirrors every body whose reach (radius + `margin`) may touch the reach of a body of another rank there
/// as a ghost. Mirroring is symmetric between ranks. Returns the plan that keeps the ghosts up to date.
///
/// In periodic space bodies must lie in the first period. A body that touches another one through a boundary is
/// mirrored as the image that does so; a rank may then have ghosts of its own bodies, and be its own neighbour.
[[nodiscard]] parallel::Halo build_ghost_layer(const parallel::Comm& comm, const CellLattice& lattice, Bodies& bodies,
                                               double margin);

/// Collective among neighbours: drops the ghosts not in `needed` (one flag per body) on both sides of the plan.
/// Local indices of the ghosts change: new_index[k] is that of ghost k, or -1 for one that was dropped.
[[nodiscard]] parallel::Halo prune_ghosts(const parallel::Comm& comm, const parallel::Halo& halo, Bodies& bodies,
                                          const std::vector<char>& needed, std::vector<int>& new_index);

/// The rank that owns a contact between bodies of ranks p and q: a rule that both compute alike. Between two ranks it
/// is always the same one, so that only one of them needs ghosts of the other.
[[nodiscard]] inline int contact_owner(int p, int q) {
  const bool lower = ((p + q) % 2) != 0;
  return (p < q) == lower ? p : q;
}

}  // namespace scree::model
