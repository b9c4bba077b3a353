#include "scree/parallel/rcb.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "support/points.hpp"
#include "support/support.hpp"

using scree::parallel::partition_by_planes;
using namespace scree::test;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

struct Box {
  std::array<double, 3> lower{infinite, infinite, infinite};
  std::array<double, 3> upper{-infinite, -infinite, -infinite};
};

struct Placed {
  std::array<double, 3> place;
  int part;
};

/// Collective: the boxes around the parts.
std::vector<Box> boxes_of(const Cloud& cloud, const std::vector<int>& part, int parts) {
  std::vector<Placed> local;
  for (std::size_t k = 0; k < part.size(); ++k)
    local.push_back({{cloud.coordinates[3 * k], cloud.coordinates[3 * k + 1], cloud.coordinates[3 * k + 2]}, part[k]});
  std::vector<Box> boxes(static_cast<std::size_t>(parts));
  for (const Placed& point : gather_everywhere(local)) {
    Box& box = boxes[static_cast<std::size_t>(point.part)];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      box.lower[axis] = std::min(box.lower[axis], point.place[axis]);
      box.upper[axis] = std::max(box.upper[axis], point.place[axis]);
    }
  }
  return boxes;
}

bool overlap(const Box& a, const Box& b) {
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (a.upper[axis] < b.lower[axis] || b.upper[axis] < a.lower[axis]) return false;
  return true;
}

}  // namespace

BOOST_AUTO_TEST_CASE(parts_are_boxes_that_do_not_overlap) {
  for (const Holders holders : all_holders)
    for (const int parts : {2, 5, 8, 11}) {
      const Cloud cloud = random_cloud(1, 1500, 3.0, holders);
      const auto boxes = boxes_of(cloud, partition_by_planes(world(), cloud.points(), parts), parts);
      for (std::size_t a = 0; a < boxes.size(); ++a)
        for (std::size_t b = 0; b < a; ++b) BOOST_TEST(!overlap(boxes[a], boxes[b]), parts << " parts: " << a << b);
    }
}

BOOST_AUTO_TEST_CASE(the_longest_side_is_cut_first) {
  const Cloud cloud = random_cloud(2, 1000, 1.0);  // 12 x 4 x 3
  const auto boxes = boxes_of(cloud, partition_by_planes(world(), cloud.points(), 3), 3);
  for (const Box& box : boxes) BOOST_TEST(box.upper[1] - box.lower[1] > 3.5);
  BOOST_TEST(boxes[0].upper[0] < boxes[1].lower[0]);
  BOOST_TEST(boxes[1].upper[0] < boxes[2].lower[0]);
}

BOOST_AUTO_TEST_CASE(both_signs_of_zero_are_one_place) {
  Cloud cloud;
  for (int k = 0; k < 10; ++k) cloud.add({k % 2 == 0 ? 0.0 : -0.0, 0.0, 0.0}, 1.0);
  for (int k = 0; k < 10; ++k) cloud.add({k % 2 == 0 ? 1.0 : -1.0, 0.0, 0.0}, 1.0);
  const auto boxes = boxes_of(cloud, partition_by_planes(world(), cloud.points(), 4), 4);
  BOOST_TEST(boxes[0].upper[0] == -1.0);
  BOOST_TEST(boxes[1].lower[0] == 0.0);
  BOOST_TEST(boxes[2].upper[0] == 0.0);
  BOOST_TEST(boxes[3].lower[0] == 1.0);
}
