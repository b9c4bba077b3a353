#pragma once

#include <map>
#include <utility>
#include <vector>

#include "scree/collision/contacts.hpp"
#include "scree/model/decomposition.hpp"
#include "support/sphere_bed.hpp"

namespace scree::test {

/// A distributed bed with the contacts between its bodies and with walls, each owned by one rank. Where bodies lie
/// decides nothing: any placement of owners is allowed.
struct ContactScene {
  model::Bodies bodies;
  parallel::Halo halo;
  collision::ContactSet contacts;
};

/// Collective: everything nearer than `reach` is a contact.
[[nodiscard]] inline ContactScene make_scene(const Bed& bed, const std::vector<int>& owner,
                                             const std::vector<model::Wall>& walls, double reach) {
  ContactScene scene;
  model::Bodies& bodies = scene.bodies;
  bodies = owned_part(bed, owner);
  const auto lattice = model::CellLattice::for_bodies(world(), bodies);
  const parallel::Halo whole = build_ghost_layer(world(), lattice, bodies, 0.5 * reach);

  auto near = collision::find_near_pairs(bodies, reach);
  std::erase_if(near, [&](const collision::Pair& pair) {
    return model::contact_owner(owner[bodies.id[pair.a]], owner[bodies.id[pair.b]]) != world().rank();
  });
  std::vector<char> needed(bodies.size(), 0);
  for (const auto& pair : near)
    for (const int body : {pair.a, pair.b}) needed[body] = body >= bodies.owned() ? 1 : 0;
  std::vector<int> new_index;
  scene.halo = prune_ghosts(world(), whole, bodies, needed, new_index);
  for (auto& pair : near)
    for (int* body : {&pair.a, &pair.b})
      if (*body >= bodies.owned()) *body = new_index[*body];
  const auto near_walls = collision::find_near_walls(bodies, walls, reach);
  near.insert(near.end(), near_walls.begin(), near_walls.end());

  std::vector<char> mirrored(bodies.size(), 0);
  for (const auto& neighbour : scene.halo.neighbours())
    for (const int item : neighbour.sent) mirrored[item] = 1;
  const auto stage_of = [&](const collision::Pair& pair) {
    if (pair.a >= bodies.owned() || pair.b >= bodies.owned()) return collision::Stage::interface;
    const bool shared = mirrored[pair.a] || (pair.b >= 0 && mirrored[pair.b]);
    return shared ? collision::Stage::shared : collision::Stage::interior;
  };
  collision::PairList list;
  for (int stage = 0; stage < collision::stage_count; ++stage) {
    for (const auto& pair : near)
      if (static_cast<int>(stage_of(pair)) == stage) list.pairs.push_back(pair);
    list.stage_end[stage] = static_cast<int>(list.pairs.size());
  }
  scene.contacts = find_contacts(bodies, walls, list, reach, 0.0);
  return scene;
}

}  // namespace scree::test
