#include "scree/parallel/bisection.hpp"

#include <algorithm>
#include <cmath>

#include "support/points.hpp"
#include "support/support.hpp"

using scree::parallel::Comm;
using scree::parallel::partition_by_bisection;
using namespace scree::test;

namespace {

/// Orders by x, in steps: many points share a key.
std::vector<std::uint64_t> coarse_x(const Comm&, std::span<const double> coordinates) {
  std::vector<std::uint64_t> keys;
  for (std::size_t k = 0; k < coordinates.size(); k += 3)
    keys.push_back(static_cast<std::uint64_t>(std::floor(2.0 * (coordinates[k] + 10.0))) << 40U);
  return keys;
}

std::vector<std::uint64_t> fine_x(const Comm&, std::span<const double> coordinates) {
  std::vector<std::uint64_t> keys;
  for (std::size_t k = 0; k < coordinates.size(); k += 3)
    keys.push_back(static_cast<std::uint64_t>((coordinates[k] + 10.0) * 1e12));
  return keys;
}

struct Placed {
  double x;
  int part;
};

}  // namespace

BOOST_AUTO_TEST_CASE(any_number_of_parts_gets_its_share_to_within_a_point) {
  for (const Holders holders : all_holders)
    for (const int parts : {1, 2, 3, 5, 8, 13})
      for (const bool coarse : {false, true}) {
        const Cloud cloud = random_cloud(1, 800, 4.0, holders);
        const auto part = partition_by_bisection(world(), cloud.points(), parts, coarse ? coarse_x : fine_x);
        check_range(part, cloud.size(), parts);
        const auto weight = part_weights(cloud, part, parts);
        double total = 0.0;
        for (const double w : weight) total += w;
        for (const double w : weight) BOOST_TEST(std::abs(w - total / parts) <= 4.0, parts << " parts: " << w);
      }
}

BOOST_AUTO_TEST_CASE(parts_follow_the_ruler) {
  const Cloud cloud = random_cloud(2, 600, 2.0);
  const auto part = partition_by_bisection(world(), cloud.points(), 6, fine_x);
  std::vector<Placed> local;
  for (std::size_t k = 0; k < part.size(); ++k) local.push_back({cloud.coordinates[3 * k], part[k]});
  auto all = gather_everywhere(local);
  std::ranges::sort(all, {}, &Placed::x);
  BOOST_TEST(std::ranges::is_sorted(all, {}, &Placed::part));
}

BOOST_AUTO_TEST_CASE(the_cuts_do_not_depend_on_who_holds_the_points) {
  const Comm self(MPI_COMM_SELF);
  const Cloud cloud = random_cloud(3, 500, 7.0, Holders::unequal);
  const Cloud whole{gather_everywhere(cloud.coordinates), gather_everywhere(cloud.weights)};
  const auto together = gather_everywhere(partition_by_bisection(world(), cloud.points(), 7, fine_x));
  BOOST_TEST((together == partition_by_bisection(self, whole.points(), 7, fine_x)));
}

BOOST_AUTO_TEST_CASE(no_points_at_all) {
  BOOST_TEST(partition_by_bisection(world(), Cloud{}.points(), 5, fine_x).empty());
}
