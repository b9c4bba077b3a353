// ranks: 1
#include "scree/collision/pairs.hpp"

#include <utility>
#include <vector>

#include "support/sphere_bed.hpp"

using scree::collision::ContactId;
using scree::collision::ContactIdHash;
using scree::collision::find_near_pairs;
using scree::collision::find_near_walls;
using scree::collision::Pair;
using scree::model::Bodies;
using scree::model::make_sphere;
using scree::model::Plane;
using scree::model::Tube;
using scree::model::Vec3;
using scree::model::Wall;
using namespace scree::test;

namespace {

using Ids = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// Every `every`-th body is owned, the others are ghosts. Local indices run against the ids.
Bodies with_ghosts(const Bed& bed, int every) {
  Bodies bodies;
  const auto is_owned = [&](std::size_t k) { return static_cast<int>(k) % every == 0; };
  for (std::size_t k = bed.size(); k-- > 0;)
    if (is_owned(k)) bodies.add_owned(bed[k]);
  for (std::size_t k = bed.size(); k-- > 0;)
    if (!is_owned(k)) bodies.add_ghost(bed[k]);
  return bodies;
}

bool near(const Bodies& bodies, int a, int b, double reach) {
  const double limit = bodies.radius[a] + bodies.radius[b] + reach;
  return (bodies.position[a] - bodies.position[b]).squaredNorm() <= limit * limit;
}

/// Oracle: all pairs, each looked at.
Ids brute_force(const Bodies& bodies, double reach) {
  Ids ids;
  for (int a = 0; a < bodies.owned(); ++a)
    for (int b = a + 1; b < bodies.size(); ++b)
      if (near(bodies, a, b, reach)) ids.push_back(std::minmax(bodies.id[a], bodies.id[b]));
  std::ranges::sort(ids);
  return ids;
}

/// The pairs found, as ids in the order in which each pair names its bodies. Duplicates stay.
Ids found(const Bodies& bodies, double reach) {
  Ids ids;
  for (const Pair& pair : find_near_pairs(bodies, reach)) ids.emplace_back(bodies.id[pair.a], bodies.id[pair.b]);
  std::ranges::sort(ids);
  return ids;
}

Bodies row(const std::vector<double>& places, double radius) {
  Bodies bodies;
  for (std::size_t k = 0; k < places.size(); ++k)
    bodies.add_owned(make_sphere(static_cast<std::int64_t>(k), {places[k], 0.0, 0.0}, radius, 1000.0, 0));
  return bodies;
}

}  // namespace

BOOST_AUTO_TEST_CASE(no_bodies_and_lonely_bodies_make_no_pairs) {
  BOOST_TEST(find_near_pairs(Bodies{}, 0.1).empty());
  BOOST_TEST(find_near_pairs(row({3.0}, 1.0), 0.1).empty());
  BOOST_TEST(find_near_pairs(row({-50.0, 50.0}, 1.0), 0.1).empty());
}

BOOST_AUTO_TEST_CASE(random_beds_agree_with_brute_force) {
  for (const Sizes sizes : {Sizes::equal, Sizes::uniform, Sizes::mixed})
    for (const unsigned seed : {1U, 2U, 3U}) {
      const Bed bed = random_bed(seed, 1000, sizes);
      for (const int every : {1, 2, 50})
        for (const double reach : {0.0, 0.05, 0.5}) {
          const Bodies bodies = with_ghosts(bed, every);
          const Ids expected = brute_force(bodies, reach);
          BOOST_TEST(!expected.empty());
          BOOST_TEST((found(bodies, reach) == expected),
                     "sizes " << static_cast<int>(sizes) << ", seed " << seed << ", reach " << reach);
        }
    }
}

BOOST_AUTO_TEST_CASE(ghosts_alone_make_no_pairs) {
  const Bed bed = random_bed(1, 100, Sizes::equal);
  Bodies bodies;
  for (const auto& body : bed) bodies.add_ghost(body);
  BOOST_TEST(find_near_pairs(bodies, 0.5).empty());
}

BOOST_AUTO_TEST_CASE(touching_spheres_on_a_lattice_are_found_wherever_cells_end) {
  // Centres lie on the borders of cells, and the spacing has no exact binary form: rounding must lose no pair.
  for (const double radius : {0.05, 0.09, 0.1, 0.18, 0.3, 0.7, 1.0 / 3.0, 1.0})
    for (const double reach : {0.0, 0.1 * radius}) {
      std::vector<double> places;
      for (int k = -1500; k <= 1500; ++k) places.push_back(k * (2.0 * radius + reach));
      const Bodies bodies = row(places, radius);
      const Ids expected = brute_force(bodies, reach);
      BOOST_TEST(expected.size() > 500U);
      BOOST_TEST((found(bodies, reach) == expected), "radius " << radius << ", reach " << reach);
    }
}

BOOST_AUTO_TEST_CASE(touching_counts_and_a_hair_more_does_not) {
  BOOST_TEST(find_near_pairs(row({0.0, 2.5}, 1.0), 0.5).size() == 1U);
  BOOST_TEST(find_near_pairs(row({0.0, 2.5 + 1e-12}, 1.0), 0.5).empty());
  BOOST_TEST(find_near_pairs(row({-2.5, 0.0}, 1.0), 0.5).size() == 1U);
  BOOST_TEST(find_near_pairs(row({-1.25, 1.25}, 1.0), 0.5).size() == 1U);
}

BOOST_AUTO_TEST_CASE(bodies_at_the_same_place_are_a_pair) {
  BOOST_TEST((found(row({1.0, 1.0, 1.0}, 0.5), 0.1) == Ids{{0, 1}, {0, 2}, {1, 2}}));
}

BOOST_AUTO_TEST_CASE(far_apart_bodies_are_not_taken_for_neighbours) {
  // 2^21 cells of width 2 apart, where cell numbers in a key begin anew.
  const double turn = 2.0 * (1 << 21);
  BOOST_TEST((found(row({0.0, 1.5, turn, turn + 1.5, -turn}, 1.0), 0.0) == Ids{{0, 1}, {2, 3}}));
}

BOOST_AUTO_TEST_CASE(one_giant_among_dwarfs_meets_all_that_touch_it) {
  Bed bed = random_bed(5, 2000, Sizes::equal);
  for (auto& body : bed) body.radius = 0.05;
  bed[1000].radius = 5.0;
  const Bodies bodies = with_ghosts(bed, 1);
  const Ids expected = brute_force(bodies, 0.01);
  BOOST_TEST(expected.size() > 500U);
  BOOST_TEST((found(bodies, 0.01) == expected));
}

BOOST_AUTO_TEST_CASE(owned_bodies_near_walls) {
  const std::vector<Wall> walls = {{"floor", Plane{{0.0, 0.0, -1.0}, Vec3::UnitZ()}},
                                   {"tube", Tube{Vec3::Zero(), Vec3::UnitZ(), 3.0}},
                                   {"ceiling", Plane{{0.0, 0.0, 1e3}, -Vec3::UnitZ()}}};
  const Bed bed = random_bed(6, 300, Sizes::mixed);
  const Bodies bodies = with_ghosts(bed, 2);
  Ids expected, result;
  for (int k = 0; k < bodies.owned(); ++k) {
    const Vec3& p = bodies.position[k];
    if (p.z() + 1.0 - bodies.radius[k] <= 0.2) expected.emplace_back(k, -1);
    if (3.0 - std::hypot(p.x(), p.y()) - bodies.radius[k] <= 0.2) expected.emplace_back(k, -2);
  }
  for (const Pair& pair : find_near_walls(bodies, walls, 0.2)) result.emplace_back(pair.a, pair.b);
  std::ranges::sort(expected);
  std::ranges::sort(result);
  BOOST_TEST(!expected.empty());
  BOOST_TEST((result == expected));
  BOOST_TEST(find_near_walls(bodies, {}, 0.2).empty());
}

BOOST_AUTO_TEST_CASE(contact_ids_hash_apart) {
  std::vector<std::size_t> hashes;
  for (std::int64_t first = 0; first < 200; ++first)
    for (std::int64_t second = -5; second < 200; ++second) hashes.push_back(ContactIdHash{}(ContactId{first, second}));
  std::ranges::sort(hashes);
  BOOST_TEST((std::ranges::adjacent_find(hashes) == hashes.end()));
}
