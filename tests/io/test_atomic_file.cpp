#include "scree/io/atomic_file.hpp"

#include <unistd.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "io/scratch.hpp"
#include "scree/parallel/error.hpp"
#include "support/support.hpp"

using scree::InputError;
using scree::test::ScratchDirectory;
using scree::test::world;
namespace fs = std::filesystem;
namespace io = scree::io;

namespace {

std::string content_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_file_appears_when_it_is_complete) {
  const ScratchDirectory scratch(world());
  const fs::path file = scratch.path() / ("file-" + std::to_string(world().rank()));
  {
    io::AtomicFile abandoned(file);
    abandoned.write("half");
  }
  BOOST_TEST(!fs::exists(file));
  io::write_file(file, "whole");
  BOOST_TEST(content_of(file) == "whole");
  io::write_file(file, "new");
  BOOST_TEST(content_of(file) == "new");
  BOOST_TEST(!fs::exists(file.string() + ".tmp"));
}

BOOST_AUTO_TEST_CASE(errors_name_the_file) {
  const ScratchDirectory scratch(world());
  const fs::path file = scratch.path() / "missing" / "file";
  BOOST_CHECK_EXCEPTION(io::write_file(file, "x"), std::runtime_error, [&](const std::runtime_error& error) {
    return std::string(error.what()).starts_with(file.string() + ": cannot be written: No such file");
  });
}

BOOST_AUTO_TEST_CASE(a_full_disk_is_noticed) {
  const ScratchDirectory scratch(world());
  const fs::path file = scratch.path() / ("full-" + std::to_string(world().rank()));
  fs::create_symlink("/dev/full", file.string() + ".tmp");
  BOOST_CHECK_EXCEPTION(io::write_file(file, "x"), std::runtime_error, [&](const std::runtime_error& error) {
    return std::string(error.what()).find("No space left on device") != std::string::npos;
  });
  BOOST_TEST(!fs::exists(file));
}

BOOST_AUTO_TEST_CASE(directories_are_judged_without_being_made) {
  const ScratchDirectory scratch(world());
  io::require_writable(world(), scratch.path() / "a" / "b");
  BOOST_TEST(!fs::exists(scratch.path() / "a"));
  if (world().is_root()) io::write_file(scratch.path() / "file", "");
  BOOST_CHECK_THROW(io::require_writable(world(), scratch.path() / "file"), InputError);
  BOOST_CHECK_THROW(io::require_writable(world(), scratch.path() / "file" / "a"), InputError);
  io::make_directory(world(), scratch.path() / "a" / "b");
  BOOST_TEST(fs::is_directory(scratch.path() / "a" / "b"));
}

BOOST_AUTO_TEST_CASE(space_is_set_aside_before_it_is_written) {
  const ScratchDirectory scratch(world());
  const auto file = scratch.path() / ("file-" + std::to_string(world().rank()));
  BOOST_CHECK_THROW(io::reserve_space(file, 1000), std::runtime_error);  // there is none
  io::write_file(file, "begun");
  BOOST_CHECK_THROW(io::reserve_space(file, std::int64_t{1} << 60), std::runtime_error);
  io::reserve_space(file, 1000);
  BOOST_TEST(fs::file_size(file) == 1000U);
  BOOST_TEST(content_of(file).starts_with("begun"));
}
