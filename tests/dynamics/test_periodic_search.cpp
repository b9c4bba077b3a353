// Space that repeats itself: pairs through boundaries are found once, on any number of ranks.
// ranks: 1 2 3 4 7 16
#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <utility>

#include "scree/dynamics/search.hpp"
#include "support/sphere_bed.hpp"

using namespace scree;
using namespace scree::test;
using dynamics::recall;
using dynamics::search;
using model::Bodies;
using model::Body;
using model::Periodicity;
using model::Vec3;

namespace {

using Id = std::pair<std::int64_t, std::int64_t>;

constexpr double reach = 0.15;
constexpr double period = 4.0;

/// Periodic along the axes of the mask: 1 x, 2 y, 4 z.
Periodicity periodic(int axes) {
  Periodicity space{Vec3::Constant(-0.5 * period), Vec3::Zero()};
  for (int axis = 0; axis < 3; ++axis)
    if ((axes >> axis & 1) != 0) space.length[axis] = period;
  return space;
}

/// Distance of the surfaces of the nearest images.
double nearest_gap(const Periodicity& space, const Body& a, const Body& b) {
  Vec3 offset = centre(b) - centre(a);
  for (int axis = 0; axis < 3; ++axis)
    if (space.along(axis)) offset[axis] = std::remainder(offset[axis], space.length[axis]);
  return offset.norm() - a.radius - b.radius;
}

std::set<Id> brute_force(const Periodicity& space, const Bed& bed) {
  std::set<Id> ids;
  for (std::int64_t a = 0; a < std::ssize(bed); ++a)
    for (std::int64_t b = a + 1; b < std::ssize(bed); ++b)
      if (nearest_gap(space, bed[a], bed[b]) <= reach) ids.insert({a, b});
  return ids;
}

struct FoundPair {
  std::int64_t first, second;
  double gap;
  double impulse[3];
};

/// Collective: the pairs of all ranks with the distance of their surfaces as this rank sees it.
std::vector<FoundPair> all_pairs(const Bodies& bodies, const collision::PairList& list) {
  std::vector<FoundPair> local;
  for (std::size_t k = 0; k < list.pairs.size(); ++k) {
    const auto [a, b] = list.pairs[k];
    const Vec3& impulse = list.impulses[k];
    const double gap = (bodies.position[b] - bodies.position[a]).norm() - bodies.radius[a] - bodies.radius[b];
    local.push_back({bodies.id[a], bodies.id[b], gap, {impulse.x(), impulse.y(), impulse.z()}});
  }
  auto all = gather_everywhere(local);
  std::ranges::sort(all, {}, [](const FoundPair& pair) { return Id(pair.first, pair.second); });
  return all;
}

Vec3 impulse_of(const Id& id) {
  return {1.0 + static_cast<double>(id.first), 0.5 * static_cast<double>(id.second), 3.0};
}

/// Bodies at random places of a cube as wide as the period.
Bed crowd(unsigned seed, int count) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> place(-0.5 * period, 0.5 * period), size(0.15, 0.4);
  Bed bed;
  for (int k = 0; k < count; ++k) {
    const double x = place(random), y = place(random), z = place(random);
    bed.push_back(model::make_sphere(k, {x, y, z}, size(random), 1000.0, 0));
  }
  return bed;
}

/// Searches, and compares the pairs with those of all images. Returns how many pairs meet through a boundary.
int search_and_check(const Bed& bed, Bodies& bodies, dynamics::Neighbourhood& found) {
  const Periodicity space = bodies.space;
  const std::set<Id> before = [&] {
    std::set<Id> ids;
    for (const FoundPair& pair : all_pairs(bodies, found.pairs)) ids.insert({pair.first, pair.second});
    return ids;
  }();
  found = search(world(), bodies, {}, {reach, reach}, recall(bodies, found.pairs));
  const auto pairs = all_pairs(bodies, found.pairs);
  const std::set<Id> expected = brute_force(space, bed);
  BOOST_TEST(std::ranges::equal(pairs, expected, {}, [](const FoundPair& p) { return Id(p.first, p.second); }));
  int through = 0;
  for (const FoundPair& pair : pairs) {
    const Id id(pair.first, pair.second);
    const Body &a = bed[id.first], &b = bed[id.second];
    BOOST_TEST(std::abs(pair.gap - nearest_gap(space, a, b)) <= 1e-13);
    BOOST_TEST((Vec3(pair.impulse) == (before.contains(id) ? impulse_of(id) : Vec3(Vec3::Zero()))));
    through += gap_between(a, b) > reach ? 1 : 0;
  }
  return through;
}

/// The rank of each body where so many of them stand side by side along the axis, and the others along the next one.
std::vector<int> side_by_side(const Bed& bed, int axis, int there) {
  const int across = world().size() / there;
  const auto slab = [&](const Body& body, int direction, int slabs) {
    return std::clamp(static_cast<int>((body.position[direction] / period + 0.5) * slabs), 0, slabs - 1);
  };
  std::vector<int> rank;
  for (const Body& body : bed) rank.push_back(slab(body, axis, there) * across + slab(body, (axis + 1) % 3, across));
  return rank;
}

}  // namespace

BOOST_AUTO_TEST_CASE(pairs_are_those_of_all_images_and_each_is_found_once) {
  for (const int axes : {1, 2, 4, 3, 6, 7})
    for (const Placement placement : placements)
      for (const int count : {0, 1, 2, 150}) {
        BOOST_TEST_CONTEXT("axes " << axes << ", " << name_of(placement) << ", " << count << " bodies") {
          const Bed bed = crowd(static_cast<unsigned>(axes), count);
          Bodies bodies = owned_part(bed, placement);
          bodies.space = periodic(axes);
          dynamics::Neighbourhood found;
          const int through = search_and_check(bed, bodies, found);
          if (count == 150) BOOST_TEST(through > 3);
        }
      }
}

BOOST_AUTO_TEST_CASE(one_or_two_ranks_may_stand_along_a_period) {
  for (int axis = 0; axis < 3; ++axis)
    for (int there = 1; there <= std::min(2, world().size()); ++there) {
      BOOST_TEST_CONTEXT("axis " << axis << ", " << there << " ranks along it") {
        const Bed bed = crowd(21, 150);
        Bodies bodies = owned_part(bed, side_by_side(bed, axis, there));
        bodies.space = periodic(1 << axis);
        dynamics::Neighbourhood found;
        BOOST_TEST(search_and_check(bed, bodies, found) > 3);
      }
    }
}

BOOST_AUTO_TEST_CASE(bodies_fly_through_all_boundaries_and_contacts_keep_their_impulses) {
  for (const int axes : {1, 7})
    for (const Placement placement : placements) {
      Bed bed = crowd(5, 60);
      Bodies bodies = owned_part(bed, placement);
      bodies.space = periodic(axes);
      dynamics::Neighbourhood found;
      for (int round = 0; round < 6; ++round) {
        (void)search_and_check(bed, bodies, found);
        found.pairs.impulses.clear();
        for (const auto& [a, b] : found.pairs.pairs)
          found.pairs.impulses.push_back(impulse_of({bodies.id[a], bodies.id[b]}));
        // All drift along; half of the bodies faster, so that old contacts end and new ones begin.
        const auto flight = [&](std::int64_t id) { return Vec3(id % 2 == 0 ? 1.7 : 1.2, -0.9, 0.6 * (round % 3)); };
        for (int k = 0; k < bodies.owned(); ++k) bodies.position[k] += flight(bodies.id[k]);
        for (Body& body : bed) Eigen::Map<Vec3>(body.position) += flight(body.id);
      }
    }
}
