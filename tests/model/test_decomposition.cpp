#include "scree/model/decomposition.hpp"

#include <array>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "support/sphere_bed.hpp"

using scree::model::Bodies;
using scree::model::Body;
using scree::model::build_ghost_layer;
using scree::model::CellLattice;
using scree::model::contact_owner;
using scree::model::migrate;
using scree::model::owners_without_strays;
using scree::model::prune_ghosts;
using scree::model::Vec3;
using scree::parallel::append;
using scree::parallel::Halo;
using scree::parallel::Mail;
using scree::parallel::records;
using namespace scree::test;

namespace {

/// A number that seems random but is the same on every rank.
unsigned dice(unsigned a, unsigned b, unsigned sides) { return std::mt19937(a * 7919U + b)() % sides; }

using Parcel = std::array<int, 3>;  ///< from, to, round

/// What `from` packs for `to`: often nothing, sometimes more than one thing, also for itself.
std::vector<Parcel> parcels(int from, int to, int round) {
  return std::vector<Parcel>(dice(100U * from + to, round, 3), Parcel{from, to, round});
}

Mail pack_luggage(int round) {
  Mail luggage;
  for (int to = 0; to < world().size(); ++to)
    for (const Parcel& parcel : parcels(world().rank(), to, round)) append(luggage[to], parcel);
  return luggage;
}

void check_luggage(const Mail& arrived, int round) {
  for (int from = 0; from < world().size(); ++from) {
    const auto letter = arrived.find(from);
    const auto found = letter == arrived.end() ? std::vector<Parcel>{} : records<Parcel>(letter->second);
    BOOST_TEST((found == parcels(from, world().rank(), round)), "luggage from " << from << " in round " << round);
  }
}

/// Sends each body to the rank that `target` (of id and round) names, several times, and checks that all arrive whole.
template <typename Target>
void migrate_and_check(const Bed& bed, Placement start, Target&& target) {
  Bodies bodies = owned_part(bed, start);
  for (int round = 0; round < 4; ++round) {
    std::vector<int> targets;
    for (int k = 0; k < bodies.owned(); ++k) targets.push_back(target(static_cast<int>(bodies.id[k]), round));
    if (!bed.empty()) bodies.add_ghost(bed[0]);
    check_luggage(migrate(world(), bodies, targets, pack_luggage(round)), round);
    BOOST_TEST(bodies.ghosts() == 0);
    for (int k = 0; k < bodies.owned(); ++k)
      BOOST_TEST(target(static_cast<int>(bodies.id[k]), round) == world().rank(), "body " << bodies.id[k]);
    BOOST_TEST(same_bed(collect(bodies), bed), "round " << round);
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(migration_keeps_every_body_whole_and_delivers_luggage) {
  const int ranks = world().size();
  const Bed bed = random_bed(1, 200, Sizes::mixed);
  for (const Placement start : placements) {
    migrate_and_check(bed, start, [&](int id, int round) { return static_cast<int>(dice(id, round, ranks)); });
    migrate_and_check(bed, start, [&](int, int round) { return round % ranks; });  // all to one
    migrate_and_check(bed, start, [&](int id, int) { return id % ranks; });        // from the second round on: nobody
  }
}

BOOST_AUTO_TEST_CASE(migration_of_fewer_bodies_than_ranks) {
  for (const int count : {0, 1, 2})
    migrate_and_check(random_bed(2, count, Sizes::equal), Placement::slabs,
                      [&](int id, int round) { return (id + 3 * round) % world().size(); });
}

BOOST_AUTO_TEST_CASE(the_lattice_is_measured_by_all_bodies) {
  const Bed bed = random_bed(3, 50, Sizes::mixed);
  double cubes = 0.0;
  for (const Body& body : bed) cubes += body.radius * body.radius * body.radius;
  for (const Placement placement : placements)
    BOOST_TEST(CellLattice::for_bodies(world(), owned_part(bed, placement)).edge == 4.0 * std::cbrt(cubes / 50.0),
               boost::test_tools::tolerance(1e-14));
  BOOST_TEST(CellLattice::for_bodies(world(), Bodies{}).edge > 0.0);
}

namespace {

using Cell = std::array<double, 3>;

Cell cell_of(const Body& body, double edge) {
  return {std::floor(body.position[0] / edge), std::floor(body.position[1] / edge),
          std::floor(body.position[2] / edge)};
}

/// Oracle: how many bodies each rank has in each cell.
std::map<Cell, std::vector<int>> census(const Bed& bed, const std::vector<int>& rank, double edge) {
  std::map<Cell, std::vector<int>> count;
  for (std::size_t k = 0; k < bed.size(); ++k) {
    auto& by_rank = count[cell_of(bed[k], edge)];
    by_rank.resize(world().size());
    ++by_rank[rank[k]];
  }
  return count;
}

/// The rank that should have the bodies that rank `mine` has in a cell: the one that has most if `mine` has few.
int expected_owner(const std::vector<int>& by_rank, int mine) {
  int all = 0;
  for (const int count : by_rank) all += count;
  if (10 * by_rank[mine] >= all) return mine;
  return static_cast<int>(std::ranges::max_element(by_rank) - by_rank.begin());
}

}  // namespace

BOOST_AUTO_TEST_CASE(few_among_many_join_them_and_others_stay) {
  const CellLattice lattice{4.0};  // about sixty bodies to a cell, on both sides of 0
  int strays = 0, others = 0;
  for (const unsigned seed : {4U, 5U, 6U})
    for (const Placement placement : placements) {
      const Bed bed = random_bed(seed, 900, Sizes::uniform);
      auto rank = place(bed, placement);
      for (std::size_t k = 0; k < bed.size(); k += 40) rank[k] = static_cast<int>(k) % world().size();
      const auto count = census(bed, rank, lattice.edge);
      const Bodies bodies = owned_part(bed, rank);
      const auto target = owners_without_strays(world(), lattice, bodies);
      BOOST_TEST_REQUIRE(target.size() == static_cast<std::size_t>(bodies.owned()));
      for (int k = 0; k < bodies.owned(); ++k) {
        const int expected = expected_owner(count.at(cell_of(bodies.get(k), lattice.edge)), world().rank());
        BOOST_TEST(target[k] == expected, name_of(placement) << ", body " << bodies.id[k]);
        ++(expected == world().rank() ? others : strays);
      }
    }
  BOOST_TEST(world().sum(std::int64_t{others}) > 1000);
  if (world().size() > 1) BOOST_TEST(world().sum(std::int64_t{strays}) > 20);
}

BOOST_AUTO_TEST_CASE(once_strays_have_joined_bodies_stay) {
  const Bed bed = random_bed(5, 300, Sizes::mixed);
  Bodies bodies = owned_part(bed, Placement::scattered);
  const CellLattice lattice{5.0};
  (void)migrate(world(), bodies, owners_without_strays(world(), lattice, bodies), {});
  for (const int target : owners_without_strays(world(), lattice, bodies)) BOOST_TEST(target == world().rank());
  BOOST_TEST(same_bed(collect(bodies), bed));
}

namespace {

/// A link of the plan as seen from one of its two ends.
struct Link {
  int owner, holder;
  std::int64_t id;
  auto operator<=>(const Link&) const = default;
};

/// Collective: what owners send and what holders mirror, each in the order of the plans, must be the same list.
void check_plan_is_symmetric(const Bodies& bodies, const Halo& halo) {
  std::vector<Link> sent, mirrored;
  int next_ghost = bodies.owned();
  for (const auto& neighbour : halo.neighbours()) {
    for (const int item : neighbour.sent) {
      BOOST_TEST((item >= 0 && item < bodies.owned()));
      sent.push_back({world().rank(), neighbour.rank, bodies.id[item]});
    }
    for (const int ghost : neighbour.ghosts) {
      BOOST_TEST(ghost == next_ghost++);
      mirrored.push_back({neighbour.rank, world().rank(), bodies.id[ghost]});
    }
  }
  BOOST_TEST(next_ghost == bodies.size());
  const auto by_ends = [](const Link& link) { return std::pair(link.owner, link.holder); };
  auto all_sent = gather_everywhere(sent), all_mirrored = gather_everywhere(mirrored);
  std::ranges::stable_sort(all_sent, {}, by_ends);  // stable: keeps the order inside a message
  std::ranges::stable_sort(all_mirrored, {}, by_ends);
  BOOST_TEST((all_sent == all_mirrored));
}

/// Oracle: every body of another rank whose surface is within `reach` of one of mine.
std::set<std::int64_t> must_be_seen(const Bed& bed, const std::vector<int>& rank, double reach) {
  std::set<std::int64_t> ids;
  for (std::size_t mine = 0; mine < bed.size(); ++mine)
    for (std::size_t other = 0; other < bed.size(); ++other)
      if (rank[mine] == world().rank() && rank[other] != world().rank() && gap_between(bed[mine], bed[other]) <= reach)
        ids.insert(bed[other].id);
  return ids;
}

/// Whether the boxes around the two bodies' reaches come within one cell of each other: no reason else to mirror.
bool might_meet(const Body& a, const Body& b, double margin, double edge) {
  return (centre(a) - centre(b)).cwiseAbs().maxCoeff() <= a.radius + b.radius + 2.0 * margin + edge;
}

void check_ghosts(const Bed& bed, const std::vector<int>& rank, const Bodies& bodies, double margin, double edge) {
  std::set<std::int64_t> seen;
  for (int k = bodies.owned(); k < bodies.size(); ++k) {
    const Body ghost = bodies.get(k);
    BOOST_TEST(seen.insert(ghost.id).second, "ghost " << ghost.id << " is there twice");
    BOOST_TEST(rank[ghost.id] != world().rank());
    BOOST_TEST(same_bits(ghost, bed[ghost.id]));
    bool useful = false;
    for (int mine = 0; mine < bodies.owned(); ++mine) useful |= might_meet(bodies.get(mine), ghost, margin, edge);
    BOOST_TEST(useful, "ghost " << ghost.id << " is far from all bodies here");
  }
  for (const auto id : must_be_seen(bed, rank, 2.0 * margin)) BOOST_TEST(seen.contains(id), "missing ghost " << id);
}

void build_and_check(const Bed& bed, Placement placement, double margin) {
  const auto rank = place(bed, placement);
  Bodies bodies = owned_part(bed, rank);
  const auto lattice = CellLattice::for_bodies(world(), bodies);
  for (int again = 0; again < 2; ++again) {  // the second time old ghosts must go
    const Halo halo = build_ghost_layer(world(), lattice, bodies, margin);
    check_ghosts(bed, rank, bodies, margin, lattice.edge);
    check_plan_is_symmetric(bodies, halo);
  }
  BOOST_TEST(same_bed(collect(bodies), bed));
}

}  // namespace

BOOST_AUTO_TEST_CASE(near_bodies_of_different_ranks_see_each_other) {
  for (const Sizes sizes : {Sizes::equal, Sizes::uniform, Sizes::mixed})
    for (const Placement placement : placements)
      for (const double margin : {0.0, 0.1}) build_and_check(random_bed(6, 250, sizes), placement, margin);
}

BOOST_AUTO_TEST_CASE(ghost_layers_of_fewer_bodies_than_ranks) {
  for (const int count : {0, 1, 2, 3})
    for (const Placement placement : placements) build_and_check(random_bed(7, count, Sizes::equal), placement, 0.5);
}

BOOST_AUTO_TEST_CASE(bodies_exactly_within_reach_see_each_other_wherever_cells_end) {
  // A row of bodies whose reaches touch exactly, now and then at the end of a cell, in steps that have no exact binary
  // form. Of two such bodies rounding decides whether they are within reach, but both ranks must see what it decides.
  for (const double radius : {0.09, 0.1, 0.18, 0.3, 0.35, 0.7, 1.0}) {
    Bed bed;
    for (int k = 0; k < 400; ++k)
      bed.push_back(scree::model::make_sphere(k, {(k - 199.5) * 4.0 * radius, 0.0, 0.0}, radius, 1000.0, 0));
    build_and_check(bed, Placement::scattered, radius);
  }
}

namespace {

/// Moves a body in a way that only its id decides.
template <typename Array>
void displace(std::int64_t id, Array&& position, Array&& velocity, Array&& spin) {
  const double s = 0.01 * static_cast<double>(id);
  position += Vec3(s, -s, 1.0);
  velocity += Vec3(1.0, s, s);
  spin -= Vec3(s, 2.0, s);
}

void displace_owned(Bodies& bodies) {
  for (int k = 0; k < bodies.owned(); ++k)
    displace(bodies.id[k], bodies.position[k], bodies.velocity[k], bodies.spin[k]);
}

void displace(Bed& bed) {
  for (Body& body : bed)
    displace(body.id, Eigen::Map<Vec3>(body.position), Eigen::Map<Vec3>(body.velocity), Eigen::Map<Vec3>(body.spin));
}

void check_equal_owners(const Bodies& bodies, const Bed& bed) {
  for (int k = 0; k < bodies.size(); ++k)
    BOOST_TEST(same_bits(bodies.get(k), bed[bodies.id[k]]), "local body " << k << ", id " << bodies.id[k]);
}

}  // namespace

BOOST_AUTO_TEST_CASE(ghosts_equal_their_owners_after_motion) {
  for (const Placement placement : placements) {
    Bed bed = random_bed(8, 200, Sizes::mixed);
    Bodies bodies = owned_part(bed, placement);
    const Halo halo = build_ghost_layer(world(), CellLattice::for_bodies(world(), bodies), bodies, 0.1);
    for (int step = 0; step < 3; ++step) {
      displace_owned(bodies);
      displace(bed);
      bodies.refresh_ghosts(halo);
      check_equal_owners(bodies, bed);
    }
  }
}

namespace {

/// Prunes all ghosts but those that `wanted` (of id) names and checks that just those are left and kept up to date.
template <typename Wanted>
void prune_and_check(Placement placement, Wanted&& wanted) {
  Bed bed = random_bed(9, 200, Sizes::uniform);
  Bodies bodies = owned_part(bed, placement);
  const Halo whole = build_ghost_layer(world(), CellLattice::for_bodies(world(), bodies), bodies, 0.2);
  const std::vector<std::int64_t> before = bodies.id;
  std::vector<char> needed(before.size(), 0);
  std::vector<std::int64_t> expected;
  for (std::size_t k = bodies.owned(); k < before.size(); ++k)
    if (wanted(before[k])) {
      needed[k] = 1;
      expected.push_back(before[k]);
    }
  std::vector<int> new_index;
  const Halo pruned = prune_ghosts(world(), whole, bodies, needed, new_index);

  BOOST_TEST((std::vector(bodies.id.begin() + bodies.owned(), bodies.id.end()) == expected));
  BOOST_TEST_REQUIRE(new_index.size() == before.size());
  for (std::size_t k = 0; k < before.size(); ++k) {
    BOOST_TEST((new_index[k] < 0) == !needed[k]);
    if (new_index[k] >= 0) BOOST_TEST(bodies.id[new_index[k]] == before[k]);
  }
  BOOST_TEST(pruned.ghost_count() == static_cast<int>(expected.size()));
  check_plan_is_symmetric(bodies, pruned);
  displace_owned(bodies);
  displace(bed);
  bodies.refresh_ghosts(pruned);
  check_equal_owners(bodies, bed);
}

}  // namespace

BOOST_AUTO_TEST_CASE(pruning_keeps_exactly_the_ghosts_that_are_needed) {
  for (const Placement placement : placements) {
    prune_and_check(placement, [](auto id) { return dice(static_cast<unsigned>(id), world().rank(), 3) == 0; });
    prune_and_check(placement, [](auto) { return world().rank() % 2 == 0; });  // in one direction only
    prune_and_check(placement, [](auto) { return true; });
    prune_and_check(placement, [](auto) { return false; });
  }
}

BOOST_AUTO_TEST_CASE(both_ranks_agree_on_the_owner_of_a_contact) {
  for (int p = 0; p < 40; ++p) {
    BOOST_TEST(contact_owner(p, p) == p);
    int won = 0;
    for (int q = 0; q < 40; ++q) {
      BOOST_TEST(contact_owner(p, q) == contact_owner(q, p));
      BOOST_TEST((contact_owner(p, q) == p || contact_owner(p, q) == q));
      won += p != q && contact_owner(p, q) == p ? 1 : 0;
    }
    BOOST_TEST((won == 19 || won == 20),
               "rank " << p << " owns " << won << " of its 39 borders: the rule must be fair");
  }
}
