#include "scree/io/shared_hdf5.hpp"

#include <stdexcept>

#include "io/scratch.hpp"
#include "support/support.hpp"

using namespace scree;
using scree::test::ScratchDirectory;
using scree::test::world;
namespace fs = std::filesystem;

BOOST_AUTO_TEST_CASE(what_ranks_write_together_any_of_them_reads) {
  const ScratchDirectory scratch(world());
  const fs::path path = scratch.path() / "file.h5";
  const int rank = world().rank(), ranks = world().size();
  const std::vector<double> own(static_cast<std::size_t>(rank), rank);  // the first rank has nothing
  io::write_shared_hdf5(world(), path, 1000, [&](io::SharedHdf5& file) {
    file.add_group("/some");
    file.add_entries("/some/numbers", std::span(own));
    file.add_number("/some/count", 7);
    file.add_attribute("step", std::int64_t{12});
  });
  BOOST_TEST(!fs::exists(path.string() + ".tmp"));
  const io::SharedHdf5 file = io::SharedHdf5::open(world(), path);
  BOOST_TEST((file.has("/some/numbers") && !file.has("/none/at/all")));
  const std::int64_t length = file.shape_of("/some/numbers").length;
  BOOST_TEST(length == ranks * (ranks - 1) / 2);
  const auto all = file.read_entries<double>("/some/numbers", {0, rank == 0 ? length : 0});
  double sum = 0.0;
  for (const double number : all) sum += number;
  BOOST_TEST(world().sum(sum) == (ranks - 1) * ranks * (2 * ranks - 1) / 6);
  BOOST_TEST(file.read_entries<std::int64_t>("/some/count", {0, 1}).front() == 7);
  BOOST_TEST(file.read_attribute<std::int64_t>("step") == 12);
}

BOOST_AUTO_TEST_CASE(a_part_that_is_not_there_is_refused_on_all_ranks) {
  const ScratchDirectory scratch(world());
  const fs::path path = scratch.path() / "file.h5";
  const std::vector<double> own(5, 1.0);
  io::write_shared_hdf5(world(), path, 1000, [&](io::SharedHdf5& file) { file.add_entries("x", std::span(own)); });
  const io::QuietHdf5 quiet;
  const io::SharedHdf5 file = io::SharedHdf5::open(world(), path);
  const io::Slab good{0, 1};
  for (const io::Slab bad : {io::Slab{5 * world().size(), 1}, io::Slab{-1, 2}, io::Slab{0, -1}}) {
    BOOST_CHECK_THROW((void)file.read_entries<double>("x", world().rank() + 1 == world().size() ? bad : good),
                      std::runtime_error);
  }
  BOOST_CHECK_THROW((void)file.read_entries<double>("y", good), std::runtime_error);
}

BOOST_AUTO_TEST_CASE(a_failure_midway_leaves_nothing_behind) {
  const ScratchDirectory scratch(world());
  const fs::path path = scratch.path() / "file.h5";
  const std::vector<double> own(5, 1.0);
  BOOST_CHECK_THROW(io::write_shared_hdf5(world(), path, 1000,
                                          [&](io::SharedHdf5& file) {
                                            file.add_entries("x", std::span(own));
                                            file.add_entries("no/such/group", std::span(own));
                                          }),
                    std::runtime_error);
  MPI_Barrier(world().handle());
  BOOST_TEST(fs::is_empty(scratch.path()));
}
