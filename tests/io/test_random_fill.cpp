// Random fills: the same places on any number of ranks, as many as asked for, and room around each.
#include "scree/io/random_fill.hpp"

#include <array>

#include "scree/parallel/error.hpp"
#include "scree/parallel/exchange.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using model::Vec3;

namespace {

using Site = std::array<double, 3>;

std::vector<Site> all_sites(const parallel::Comm& comm, const io::Fill& fill) {
  std::vector<Site> own;
  for (const Vec3& site : io::random_sites(comm, fill, 3, 0, "here")) own.push_back({site.x(), site.y(), site.z()});
  return parallel::gather_everywhere(comm, own);
}

io::Fill random_fill(const io::Region& region, std::int64_t count) {
  io::Fill fill;
  fill.region = region;
  fill.radius_min = 0.03;
  fill.radius_max = 0.05;
  fill.lattice = io::Fill::Lattice::random;
  fill.jitter = 0.0;
  fill.count = count;
  return fill;
}

}  // namespace

BOOST_AUTO_TEST_CASE(places_are_the_same_on_any_number_of_ranks_and_far_enough_apart) {
  const parallel::Comm alone = world().split(world().rank());
  for (const io::Region& region : {io::Region(model::Box{Vec3(-1.0, 0.0, 2.0), Vec3(0.0, 1.2, 2.9)}),
                                   io::Region(io::CylinderRegion{Vec3(1.0, 2.0, 3.0), 0.6, 1.1})}) {
    const io::Fill fill = random_fill(region, 400);  // 20 %
    const std::vector<Site> sites = all_sites(world(), fill);
    BOOST_TEST((sites == all_sites(alone, fill)));
    BOOST_REQUIRE(sites.size() == 400U);
    double nearest = 1e9;
    for (std::size_t a = 0; a < sites.size(); ++a) {
      BOOST_TEST(holds(region, Vec3(sites[a].data()), fill.radius_max));
      for (std::size_t b = 0; b < a; ++b)
        nearest = std::min(nearest, (Vec3(sites[a].data()) - Vec3(sites[b].data())).norm());
    }
    BOOST_TEST(nearest >= 2.0 * fill.radius_max * fill.spacing);
    BOOST_TEST(nearest <= 2.1 * fill.radius_max * fill.spacing);
  }
}

BOOST_AUTO_TEST_CASE(places_are_spread_evenly) {
  const std::vector<Site> sites = all_sites(world(), random_fill(model::Box{Vec3::Zero(), Vec3::Ones()}, 300));
  for (int axis = 0; axis < 3; ++axis) {
    std::array<int, 2> half{};
    for (const Site& site : sites) ++half[site[static_cast<std::size_t>(axis)] < 0.5 ? 0 : 1];
    BOOST_TEST(std::abs(half[0] - half[1]) < 60);  // far beyond chance
  }
}

BOOST_AUTO_TEST_CASE(what_finds_no_room_is_an_error) {
  const auto dense = random_fill(model::Box{Vec3::Zero(), Vec3::Ones()}, 700);  // 36 %
  BOOST_CHECK_THROW((void)all_sites(world(), dense), InputError);
}
