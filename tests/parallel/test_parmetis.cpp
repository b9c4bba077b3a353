#include "scree/parallel/parmetis.hpp"

#include <algorithm>

#include "support/points.hpp"
#include "support/support.hpp"

using scree::parallel::Movement;
using scree::parallel::partition_by_parmetis;
using namespace scree::test;

namespace {

/// Collective: how many points should leave their rank.
std::int64_t leaving(const std::vector<int>& part) {
  return world().sum(static_cast<std::int64_t>(std::ranges::count_if(part, [](int p) { return p != world().rank(); })));
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_lattice_that_few_ranks_hold_is_spread) {
  for (int holder = 0; holder < world().size(); ++holder)
    for (const Movement movement : {Movement::any, Movement::little}) {
      const Lattice lattice(12, [holder](int rank) { return rank == holder || rank == (holder + 2) % world().size(); });
      const auto part = partition_by_parmetis(world(), lattice.cloud.points(), lattice.graph, movement);
      check_range(part, lattice.cloud.size(), world().size());
      BOOST_TEST(imbalance(lattice.cloud, part, world().size()) < 1.05);
    }
}

BOOST_AUTO_TEST_CASE(what_is_balanced_already_stays) {
  const Lattice lattice(14, [](int) { return true; });  // on 1, 2 and 7 ranks of equal layers
  if (14 % world().size() != 0) return;
  const auto part = partition_by_parmetis(world(), lattice.cloud.points(), lattice.graph, Movement::little);
  BOOST_TEST(leaving(part) <= 14 * 14 * 14 / 10);
  BOOST_TEST(imbalance(lattice.cloud, part, world().size()) < 1.05);
}

BOOST_AUTO_TEST_CASE(where_work_has_grown_points_leave_and_most_others_stay) {
  Lattice lattice(16, [](int) { return true; });
  if (world().is_root()) std::ranges::fill(lattice.cloud.weights, 1.5);
  const auto part = partition_by_parmetis(world(), lattice.cloud.points(), lattice.graph, Movement::little);
  BOOST_TEST(imbalance(lattice.cloud, part, world().size()) < 1.06);
  if (world().size() <= 3) BOOST_TEST(leaving(part) <= 16 * 16 * 16 / 2);  // for more, layers are no good parts anyway
}
