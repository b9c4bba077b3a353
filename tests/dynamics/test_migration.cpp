// Bodies that go from rank to rank: contacts and what is remembered of them go along.
// ranks: 1 2 3 4 7 16
#include <algorithm>
#include <set>
#include <utility>

#include "scree/collision/contacts.hpp"
#include "scree/dynamics/search.hpp"
#include "scree/model/decomposition.hpp"
#include "support/sphere_bed.hpp"

using namespace scree;
using namespace scree::test;
using dynamics::Neighbourhood;
using dynamics::recall;
using dynamics::search;
using dynamics::send_to_first_bodies;
using model::Bodies;
using model::Vec3;

namespace {

model::Body sphere(std::int64_t id, const Vec3& position, double radius = 0.5) {
  return model::make_sphere(id, position, radius, 1000.0, 0);
}

Vec3 impulse_of(const collision::ContactId& id) { return {1.0 + static_cast<double>(id.first), 2.0, -3.0}; }

/// Collective: how many pairs there are, and whether every one has the impulse that it was given before.
std::pair<std::int64_t, bool> remembered(const Bodies& bodies, const Neighbourhood& found) {
  bool good = true;
  const auto& list = found.pairs;
  for (std::size_t k = 0; k < list.pairs.size(); ++k)
    good = good && list.impulses[k] == impulse_of(collision::id_of(bodies, list.pairs[k].a, list.pairs[k].b));
  return {world().sum(static_cast<std::int64_t>(found.pairs.pairs.size())), !world().any(!good)};
}

void set_impulses(const Bodies& bodies, Neighbourhood& found) {
  found.pairs.impulses.clear();
  for (const auto& [a, b] : found.pairs.pairs)
    found.pairs.impulses.push_back(impulse_of(collision::id_of(bodies, a, b)));
}

}  // namespace

BOOST_AUTO_TEST_CASE(ranks_become_empty_and_fill_again) {
  const Bed bed = random_bed(9, 200, Sizes::uniform);
  Bodies bodies = owned_part(bed, Placement::scattered);
  Neighbourhood found = search(world(), bodies, {}, {0.15, 0.15}, {});
  const std::int64_t pairs = remembered(bodies, found).first;
  BOOST_TEST(pairs > 100);
  for (int round = 0; round < 2 * world().size(); ++round) {
    set_impulses(bodies, found);
    auto memories = recall(bodies, found.pairs);
    bodies.drop_ghosts();
    // By turns all go to one rank, and all are dealt out again.
    std::vector<int> target(static_cast<std::size_t>(bodies.owned()), round / 2);
    if (round % 2 == 1)
      for (int k = 0; k < bodies.owned(); ++k) target[k] = static_cast<int>(bodies.id[k] % world().size());
    (void)migrate(world(), bodies, target, {});
    if (round % 2 == 0) BOOST_TEST(bodies.owned() == (world().rank() == round / 2 ? 200 : 0));
    send_to_first_bodies(world(), bodies, memories);
    found = search(world(), bodies, {}, {0.15, 0.15}, std::move(memories));
    BOOST_TEST((remembered(bodies, found) == std::pair(pairs, true)), "round " << round);
    BOOST_TEST(same_bed(collect(bodies), bed));
  }
}

BOOST_AUTO_TEST_CASE(a_pair_in_contact_migrates_in_every_step) {
  // A crowd per rank, in a row; two touching bodies pass through all of them, one crowd a step, and join each.
  const int ranks = world().size(), crowd = 40;
  Bed bed{sphere(0, {-9.6, 0.2, 0.3}), sphere(1, {-9.6, 0.2, 1.31})};
  std::vector<int> rank{0, 0};
  for (int r = 0; r < ranks; ++r)
    for (int k = 0; k < crowd; ++k) {
      bed.push_back(sphere(std::ssize(bed), {10.0 * r + 0.3 + 0.2 * (k % 5), 0.1 + 0.2 * (k / 5), 0.5}));
      rank.push_back(r);
    }
  Bodies bodies = owned_part(bed, rank);
  Neighbourhood found = search(world(), bodies, {}, {0.1, 0.1}, {});
  std::set<int> owners;
  for (int stop = 0; stop < ranks; ++stop) {
    std::ranges::fill(found.pairs.impulses, Vec3(1.0, 2.0, 3.0));
    for (int k = 0; k < bodies.owned(); ++k)
      if (bodies.id[k] < 2) bodies.position[k].x() += 10.0;
    found = search(world(), bodies, {}, {0.1, 0.1}, recall(bodies, found.pairs));
    int mine = 0;
    for (std::size_t k = 0; k < found.pairs.pairs.size(); ++k)
      if (const auto [a, b] = found.pairs.pairs[k]; bodies.id[a] == 0 && bodies.id[b] == 1) {
        ++mine;
        BOOST_TEST((found.pairs.impulses[k] == Vec3(1.0, 2.0, 3.0)), "the impulse was lost at stop " << stop);
      }
    BOOST_TEST(world().sum(static_cast<std::int64_t>(mine)) == 1);
    for (int k = 0; k < bodies.owned(); ++k)
      if (bodies.id[k] == 0) owners.insert(world().rank());
  }
  // Nearly every stop is another rank's.
  BOOST_TEST(world().sum(static_cast<std::int64_t>(owners.size())) >= (ranks + 1) / 2);
}
