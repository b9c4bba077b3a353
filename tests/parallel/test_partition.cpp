// What every partitioner of the build must do.
#include "scree/parallel/partition.hpp"

#include <algorithm>
#include <string>

#include "scree/parallel/error.hpp"
#include "support/points.hpp"
#include "support/support.hpp"

using scree::parallel::find_partitioner;
using scree::parallel::Movement;
using scree::parallel::Partitioner;
using scree::parallel::partitioners;
using namespace scree::test;

namespace {

constexpr Movement movements[] = {Movement::any, Movement::little};

std::vector<int> cut(const Partitioner& partitioner, const Cloud& cloud, Movement movement = Movement::any) {
  auto part = partitioner.partition(world(), cloud.points(), no_edges(cloud.size()), movement);
  check_range(part, cloud.size(), world().size());
  return part;
}

}  // namespace

BOOST_AUTO_TEST_CASE(weighted_points_are_balanced_whoever_holds_them) {
  for (const Partitioner& partitioner : partitioners())
    for (const Holders holders : all_holders)
      for (const unsigned seed : {1U, 2U, 3U})
        for (const Movement movement : movements) {
          const Cloud cloud = random_cloud(seed, 3000, 20.0, holders);
          const double reached = imbalance(cloud, cut(partitioner, cloud, movement), world().size());
          BOOST_TEST(reached < 1.05, partitioner.name << ", seed " << seed << ": " << reached);
        }
}

BOOST_AUTO_TEST_CASE(a_few_points_that_make_most_of_the_work_are_spread) {
  for (const Partitioner& partitioner : partitioners()) {
    Cloud cloud = random_cloud(4, 2000, 1.0);
    for (std::size_t k = 0; k < cloud.size(); ++k)
      if (cloud.coordinates[3 * k] < -5.0) cloud.weights[k] = 50.0;  // a sixth of the box
    BOOST_TEST(imbalance(cloud, cut(partitioner, cloud), world().size()) < 1.15, partitioner.name);
  }
}

BOOST_AUTO_TEST_CASE(fewer_points_than_ranks) {
  for (const Partitioner& partitioner : partitioners())
    for (int count = 0; count <= world().size() + 2; ++count)
      for (const Holders holders : all_holders)
        for (const Movement movement : movements) {
          const Cloud cloud = random_cloud(5, count, 1.0, holders);
          const auto part = cut(partitioner, cloud, movement);
          const auto weight = part_weights(cloud, part, world().size());
          const double fair = std::max(1.0, 2.0 * count / world().size());
          BOOST_TEST(*std::ranges::max_element(weight) <= fair, partitioner.name << ", " << count << " points");
        }
}

BOOST_AUTO_TEST_CASE(points_that_coincide_are_divided_too) {
  for (const Partitioner& partitioner : partitioners()) {
    Cloud cloud;
    for (int k = 0; k < 200; ++k) cloud.add({1.0, -2.0, 0.0}, 1.0);
    BOOST_TEST(imbalance(cloud, cut(partitioner, cloud), world().size()) < 1.05, partitioner.name);
  }
}

BOOST_AUTO_TEST_CASE(points_in_a_plane_and_on_a_line) {
  for (const Partitioner& partitioner : partitioners()) {
    Cloud cloud = random_cloud(6, 2000, 3.0);
    for (const std::size_t axis : {2U, 0U}) {
      for (std::size_t k = 0; k < cloud.size(); ++k) cloud.coordinates[3 * k + axis] = 0.25;
      BOOST_TEST(imbalance(cloud, cut(partitioner, cloud), world().size()) < 1.05, partitioner.name);
    }
  }
}

BOOST_AUTO_TEST_CASE(points_without_any_work_have_a_part) {
  for (const Partitioner& partitioner : partitioners()) {
    Cloud cloud = random_cloud(7, 500, 1.0);
    std::ranges::fill(cloud.weights, 0.0);
    const auto part = cut(partitioner, cloud);
    std::ranges::fill(cloud.weights, 1.0);
    BOOST_TEST(imbalance(cloud, part, world().size()) < 1.05, partitioner.name);
  }
}

BOOST_AUTO_TEST_CASE(partitions_are_reproducible) {
  for (const Partitioner& partitioner : partitioners())
    for (const Movement movement : movements) {
      const Cloud cloud = random_cloud(8, 1000, 5.0);
      BOOST_TEST((cut(partitioner, cloud, movement) == cut(partitioner, cloud, movement)), partitioner.name);
    }
}

BOOST_AUTO_TEST_CASE(compact_parts_cut_few_edges) {
  const Lattice lattice(16, [](int) { return true; });
  for (const Partitioner& partitioner : partitioners()) {
    const auto part = partitioner.partition(world(), lattice.cloud.points(), lattice.graph, Movement::any);
    const double cut_of_slabs = (world().size() - 1) * lattice.side * lattice.side;
    BOOST_TEST(lattice.edge_cut(part) <= 2.0 * cut_of_slabs, partitioner.name << ": " << lattice.edge_cut(part));
  }
}

BOOST_AUTO_TEST_CASE(partitioners_have_names) {
  BOOST_TEST(find_partitioner("rcb").name == "rcb");
  BOOST_TEST(find_partitioner("hilbert").name == "hilbert");
  BOOST_CHECK_THROW((void)find_partitioner("metis"), scree::InputError);
  BOOST_CHECK_THROW((void)find_partitioner(""), scree::InputError);
  const bool has_parmetis = std::ranges::count(partitioners(), "parmetis", &Partitioner::name) == 1;
  if (!has_parmetis) BOOST_CHECK_THROW((void)find_partitioner("parmetis"), scree::InputError);
  BOOST_TEST(partitioners().front().name == (has_parmetis ? "parmetis" : "rcb"));
}

BOOST_AUTO_TEST_CASE(imbalance_counts_ranks_that_have_nothing) {
  const int ranks = world().size();
  BOOST_TEST(scree::parallel::imbalance_of(world(), 2.5) == 1.0);
  BOOST_TEST(scree::parallel::imbalance_of(world(), world().is_root() ? 3.0 : 0.0) == ranks);
  BOOST_TEST(scree::parallel::imbalance_of(world(), 0.0) == 1.0);
}
