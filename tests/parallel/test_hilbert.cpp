#include "scree/parallel/hilbert.hpp"

#include <cstdlib>
#include <random>

#include "support/points.hpp"
#include "support/support.hpp"

using scree::parallel::hilbert_key;
using scree::parallel::partition_by_hilbert_curve;
using namespace scree::test;

namespace {

using Cell = std::array<std::uint32_t, 3>;

int distance(const Cell& a, const Cell& b) {
  int sum = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) sum += std::abs(static_cast<int>(a[axis]) - static_cast<int>(b[axis]));
  return sum;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_curve_visits_every_cell_once_and_steps_through_faces) {
  // The curve starts in the corner, so it fills the small cube there before it goes on.
  constexpr std::uint32_t side = 16;
  std::vector<Cell> visited(side * side * side, Cell{side, side, side});
  for (std::uint32_t x = 0; x < side; ++x)
    for (std::uint32_t y = 0; y < side; ++y)
      for (std::uint32_t z = 0; z < side; ++z) {
        const std::uint64_t key = hilbert_key({x, y, z});
        BOOST_TEST_REQUIRE(key < visited.size());
        BOOST_TEST(visited[key][0] == side, "visited twice");
        visited[key] = {x, y, z};
      }
  for (std::size_t k = 1; k < visited.size(); ++k) BOOST_TEST(distance(visited[k - 1], visited[k]) == 1);
}

BOOST_AUTO_TEST_CASE(the_curve_ends_in_another_corner) {
  constexpr std::uint32_t last = (1U << scree::parallel::hilbert_bits) - 1;
  std::uint64_t largest = 0;
  for (const std::uint32_t x : {0U, last})
    for (const std::uint32_t y : {0U, last})
      for (const std::uint32_t z : {0U, last}) largest = std::max(largest, hilbert_key({x, y, z}));
  BOOST_TEST(largest == (1ULL << 63U) - 1);
}

BOOST_AUTO_TEST_CASE(pieces_of_any_number_are_balanced) {
  for (const Holders holders : all_holders)
    for (const int parts : {1, 2, 6, 11}) {
      const Cloud cloud = random_cloud(1, 2000, 3.0, holders);
      const auto part = partition_by_hilbert_curve(world(), cloud.points(), parts);
      check_range(part, cloud.size(), parts);
      BOOST_TEST(imbalance(cloud, part, parts) < 1.03);
    }
}

BOOST_AUTO_TEST_CASE(points_that_move_a_little_stay_in_their_parts) {
  const Cloud before = random_cloud(2, 3000, 1.0);
  Cloud after = before;
  std::mt19937 random(static_cast<unsigned>(world().rank()));
  std::uniform_real_distribution<double> tremble(-0.01, 0.01);
  for (double& x : after.coordinates) x += tremble(random);  // the box around them changes too
  const auto old_part = partition_by_hilbert_curve(world(), before.points(), 7);
  const auto new_part = partition_by_hilbert_curve(world(), after.points(), 7);
  std::int64_t moved = 0;
  for (std::size_t k = 0; k < old_part.size(); ++k) moved += old_part[k] != new_part[k] ? 1 : 0;
  BOOST_TEST(world().sum(moved) < 100);
}
