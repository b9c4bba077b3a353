#include "scree/io/shared_hdf5.hpp"

#include <sys/resource.h>

#include <csignal>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "io/scratch.hpp"
#include "support/support.hpp"

using namespace scree;
using scree::test::ScratchDirectory;
using scree::test::world;
namespace fs = std::filesystem;

namespace {

/// While it lives this process writes no file beyond so many bytes: what a full disk is like.
class SmallFiles {
 public:
  explicit SmallFiles(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallFiles() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  SmallFiles(const SmallFiles&) = delete;
  SmallFiles& operator=(const SmallFiles&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

}  // namespace

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

BOOST_AUTO_TEST_CASE(a_disk_that_becomes_full_midway_can_be_written_to_again_once_there_is_room) {
  const ScratchDirectory scratch(world());
  const fs::path path = scratch.path() / "file.h5";
  const std::vector<double> own(20000, 1.0);
  const bool is_limited = world().rank() + 1 == world().size();
  for (int attempt = 0; attempt < 5; ++attempt) {
    std::optional<SmallFiles> small;
    BOOST_CHECK_THROW(io::write_shared_hdf5(world(), path, 1 << 20,
                                            [&](io::SharedHdf5& file) {
                                              file.add_entries("x", std::span(own));
                                              if (is_limited) small.emplace(0);
                                              for (const char* name : {"y", "z"})
                                                file.add_entries(name, std::span(own));
                                            }),
                      std::runtime_error);
    small.reset();
    io::write_shared_hdf5(world(), path, 1 << 20, [&](io::SharedHdf5& file) {
      for (const char* name : {"x", "y"}) file.add_entries(name, std::span(own));
    });
    const io::SharedHdf5 file = io::SharedHdf5::open(world(), path);
    const auto length = static_cast<std::int64_t>(own.size());
    BOOST_TEST((file.read_entries<double>("y", {world().rank() * length, length}) == own));
  }
}
