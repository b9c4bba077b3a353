#include "scree/model/bodies.hpp"

#include <stdexcept>
#include <vector>

#include "support/sphere_bed.hpp"

using scree::model::Bodies;
using scree::model::Body;
using scree::model::make_sphere;
using scree::model::Vec3;
using scree::parallel::Halo;
using scree::test::Bed;
using scree::test::random_bed;
using scree::test::same_bits;
using scree::test::Sizes;
using scree::test::world;

namespace {

/// The first `owned` bodies of the bed, then the others as ghosts.
Bodies bodies_of(const Bed& bed, int owned) {
  Bodies bodies;
  for (int k = 0; k < owned; ++k) bodies.add_owned(bed[k]);
  for (std::size_t k = owned; k < bed.size(); ++k) bodies.add_ghost(bed[k]);
  return bodies;
}

void check_holds(const Bodies& bodies, const Bed& bed, const std::vector<int>& expected, int owned) {
  BOOST_TEST(bodies.owned() == owned);
  BOOST_TEST(bodies.ghosts() == static_cast<int>(expected.size()) - owned);
  BOOST_TEST_REQUIRE(bodies.size() == static_cast<int>(expected.size()));
  for (std::size_t k = 0; k < expected.size(); ++k)
    BOOST_TEST(same_bits(bodies.get(static_cast<int>(k)), bed[expected[k]]), "body " << k);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_homogeneous_sphere) {
  const Body body = make_sphere(42, {1.0, 2.0, 3.0}, 0.1, 1500.0, 7);
  const double mass = 6.283185307179586;  // 2 pi: 1500 kg/m^3 * 4/3 pi * 1e-3 m^3
  BOOST_TEST(body.mass == mass, boost::test_tools::tolerance(1e-15));
  for (const double moment : body.inertia) BOOST_TEST(moment == 0.4 * mass * 0.01, boost::test_tools::tolerance(1e-15));
  BOOST_TEST(body.id == 42);
  BOOST_TEST(body.material == 7);
  BOOST_TEST(body.radius == 0.1);
  BOOST_TEST((Vec3(body.position) == Vec3(1.0, 2.0, 3.0)));
  BOOST_TEST((Vec3(body.velocity).isZero(0.0) && Vec3(body.spin).isZero(0.0)));
  BOOST_TEST((Eigen::Vector4d(body.attitude) == Eigen::Vector4d(0.0, 0.0, 0.0, 1.0)));
}

BOOST_AUTO_TEST_CASE(bodies_come_back_as_they_were_added) {
  const Bed bed = random_bed(1, 7, Sizes::mixed);
  check_holds(bodies_of(bed, 4), bed, {0, 1, 2, 3, 4, 5, 6}, 4);
  check_holds(bodies_of(bed, 0), bed, {0, 1, 2, 3, 4, 5, 6}, 0);
  check_holds(Bodies{}, bed, {}, 0);
}

BOOST_AUTO_TEST_CASE(owned_bodies_cannot_follow_ghosts) {
  const Bed bed = random_bed(1, 3, Sizes::equal);
  Bodies bodies = bodies_of(bed, 2);
  BOOST_CHECK_THROW(bodies.add_owned(bed[0]), std::logic_error);
  bodies.drop_ghosts();
  check_holds(bodies, bed, {0, 1}, 2);
  bodies.add_owned(bed[2]);
  check_holds(bodies, bed, {0, 1, 2}, 3);
}

BOOST_AUTO_TEST_CASE(reorder_keeps_what_is_named_in_that_order) {
  const Bed bed = random_bed(2, 8, Sizes::uniform);
  Bodies bodies = bodies_of(bed, 6);
  bodies.reorder({5, 0, 3, 1});
  check_holds(bodies, bed, {5, 0, 3, 1}, 4);
  bodies.reorder({});
  check_holds(bodies, bed, {}, 0);
}

BOOST_AUTO_TEST_CASE(some_ghosts_are_kept) {
  const Bed bed = random_bed(3, 9, Sizes::uniform);
  Bodies bodies = bodies_of(bed, 4);
  bodies.keep_ghosts({4, 6, 7});
  check_holds(bodies, bed, {0, 1, 2, 3, 4, 6, 7}, 4);
  bodies.keep_ghosts({5});
  check_holds(bodies, bed, {0, 1, 2, 3, 6}, 4);
  bodies.keep_ghosts({});
  check_holds(bodies, bed, {0, 1, 2, 3}, 4);
}

namespace {

constexpr int per_rank = 4;

/// In a ring of ranks each mirrors two bodies of the rank before it. The last of three or more ranks has neither bodies
/// nor ghosts and stands aside.
struct Ring {
  Bed bed = random_bed(4, per_rank* world().size(), Sizes::uniform);
  int members = world().size() > 2 ? world().size() - 1 : world().size();
  bool member = world().rank() < members;
  Bodies bodies;
  Halo halo;

  Ring() {
    if (!member || members < 2) return;
    const int before = (world().rank() + members - 1) % members, after = (world().rank() + 1) % members;
    for (int k = 0; k < per_rank; ++k) bodies.add_owned(bed[world().rank() * per_rank + k]);
    for (const int item : {3, 1}) bodies.add_ghost(bed[before * per_rank + item]);
    std::vector<Halo::Neighbour> plan;
    if (before == after) {
      plan.push_back({before, {3, 1}, {per_rank, per_rank + 1}});
    } else {
      plan.push_back({before, {}, {per_rank, per_rank + 1}});
      plan.push_back({after, {3, 1}, {}});
    }
    halo = Halo(world(), plan);
  }
};

Vec3 moved(std::int64_t id, int what) { return {100.0 + static_cast<double>(id), 0.25 * what, -1.0}; }

}  // namespace

BOOST_AUTO_TEST_CASE(ghosts_follow_the_motion_of_their_owners) {
  Ring ring;
  Bodies& bodies = ring.bodies;
  for (int k = 0; k < bodies.owned(); ++k) {
    bodies.position[k] = moved(bodies.id[k], 1);
    bodies.velocity[k] = moved(bodies.id[k], 2);
    bodies.spin[k] = moved(bodies.id[k], 3);
  }
  bodies.refresh_ghosts(ring.halo);
  for (int k = 0; k < bodies.size(); ++k) {
    Body expected = ring.bed[bodies.id[k]];
    Eigen::Map<Vec3>(expected.position) = moved(expected.id, 1);
    Eigen::Map<Vec3>(expected.velocity) = moved(expected.id, 2);
    Eigen::Map<Vec3>(expected.spin) = moved(expected.id, 3);
    BOOST_TEST(same_bits(bodies.get(k), expected), "body " << bodies.id[k]);
  }
}
