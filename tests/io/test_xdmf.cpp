// Series of one HDF5 file per output: every rank's points are there, also polygons across ranks and none at all.
#include "scree/io/xdmf.hpp"

#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include "io/scratch.hpp"
#include "scree/io/atomic_file.hpp"
#include "scree/io/shared_hdf5.hpp"
#include "support/support.hpp"

using namespace scree;
using scree::test::ScratchDirectory;
using scree::test::world;
namespace fs = std::filesystem;

namespace {

/// Two triangles a rank, which share an edge; every third rank has none.
io::PointCloud triangles() {
  io::PointCloud cloud;
  cloud.polygons.emplace();
  std::vector<std::int64_t> ids;
  if (world().rank() % 3 != 2) {
    for (int k = 0; k < 4; ++k) {
      cloud.points.emplace_back(world().rank(), k % 2, k / 2);
      ids.push_back(world().rank());
    }
    cloud.polygons = io::Polygons{{0, 1, 2, 1, 3, 2}, {3, 6}};
  }
  cloud.arrays = {{"id", 1, ids}};
  return cloud;
}

std::vector<std::string> times_in(const fs::path& index) {
  std::ifstream stream(index);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const std::regex time("Time Value=\"([^\"]*)\"");
  std::vector<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), time), end; it != end; ++it) found.push_back((*it)[1]);
  return found;
}

}  // namespace

BOOST_AUTO_TEST_CASE(polygons_of_all_ranks_refer_to_points_of_all_ranks) {
  const ScratchDirectory scratch(world());
  io::make_directory(world(), scratch.path() / "frames");
  io::XdmfSeries series(world(), scratch.path(), {"shapes"});
  series.write(3, 0.5, {{"shapes", triangles()}});

  const io::SharedHdf5 file = io::SharedHdf5::open(world(), scratch.path() / "frames" / "frame-00000003.h5");
  const std::int64_t with_points = world().sum(std::int64_t{world().rank() % 3 != 2});
  BOOST_TEST(file.shape_of("shapes/position").length == 12 * with_points);
  const std::int64_t length = file.shape_of("shapes/polygons").length;
  BOOST_REQUIRE(length == 10 * with_points);
  const auto cells = file.read_entries<std::int64_t>("shapes/polygons", {0, length});
  const auto ids = file.read_entries<std::int64_t>("shapes/id", {0, 4 * with_points});
  for (std::int64_t k = 0; k < 2 * with_points; ++k) {
    const auto cell = cells.begin() + 5 * k;
    BOOST_TEST((cell[0] == 3 && cell[1] == 3));  // a polygon of three corners, which belong to one rank
    for (int corner = 3; corner < 5; ++corner)
      BOOST_TEST(ids[static_cast<std::size_t>(cell[corner])] == ids[static_cast<std::size_t>(cell[2])]);
  }
}

BOOST_AUTO_TEST_CASE(a_later_series_goes_on_where_it_is_told) {
  const ScratchDirectory scratch(world());
  io::make_directory(world(), scratch.path() / "frames");
  const std::vector<io::NamedCloud> none{{"points", {}}};
  {
    io::XdmfSeries series(world(), scratch.path(), {"points"});
    for (const int step : {0, 10, 20}) series.write(step, 0.1 * step, none);
  }
  io::XdmfSeries series(world(), scratch.path(), {"points"}, 10);
  BOOST_TEST((series.has(0) && series.has(10) && !series.has(20)));
  series.write(30, 3.0, none);
  MPI_Barrier(world().handle());
  const std::vector<std::string> expected{"0", "1", "3"};
  BOOST_TEST(times_in(scratch.path() / "points.xdmf") == expected, boost::test_tools::per_element());
}
