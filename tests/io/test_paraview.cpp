#include "scree/io/paraview.hpp"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include "io/scratch.hpp"
#include "scree/io/atomic_file.hpp"
#include "support/support.hpp"

using scree::model::Vec3;
using scree::test::ScratchDirectory;
using scree::test::world;
namespace fs = std::filesystem;
namespace io = scree::io;

namespace {

std::string content_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<std::string> all_matches(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), regex), end; it != end; ++it) found.push_back((*it)[1]);
  return found;
}

/// Reads one array of a .vtp file by what the format says, not by what the writer does.
template <typename Number>
std::vector<Number> array_of(const std::string& file, const std::string& name) {
  const std::string header = file.substr(0, file.find("<AppendedData"));
  const auto offset = all_matches(header, "Name=\"" + name + "\"[^>]*offset=\"([0-9]+)\"");
  BOOST_REQUIRE(offset.size() == 1U);
  const std::size_t start = file.find('_', header.size()) + 1 + std::stoul(offset.front());
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, file.data() + start, sizeof bytes);
  std::vector<Number> values(bytes / sizeof(Number));
  BOOST_REQUIRE(start + sizeof bytes + bytes < file.size());
  if (bytes > 0) std::memcpy(values.data(), file.data() + start + sizeof bytes, bytes);
  return values;
}

io::PointCloud cloud_of(int count, int rank) {
  io::PointCloud cloud;
  std::vector<double> weights;
  std::vector<std::int64_t> ids;
  for (int k = 0; k < count; ++k) {
    cloud.points.emplace_back(rank + 0.1, k, -1e-17 * k);
    weights.push_back(1.0 / (k + 1));
    ids.push_back((std::int64_t{1} << 40) + k);
  }
  cloud.arrays = {{"weight", 1, weights}, {"id", 1, ids}, {"rank", 1, std::vector<std::int32_t>(count, rank)}};
  return cloud;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_piece_holds_exactly_what_was_written) {
  const io::PointCloud cloud = cloud_of(5, 3);
  const std::string file = io::vtp_text(cloud);
  BOOST_TEST(file.find("NumberOfPoints=\"5\"") != std::string::npos);
  const auto positions = array_of<double>(file, "position");
  BOOST_REQUIRE(positions.size() == 15U);
  for (int k = 0; k < 5; ++k) BOOST_TEST(Vec3(&positions[3 * k]) == cloud.points[k]);
  BOOST_TEST(array_of<double>(file, "weight") == std::get<0>(cloud.arrays[0].values), boost::test_tools::per_element());
  BOOST_TEST(array_of<std::int64_t>(file, "id") == std::get<1>(cloud.arrays[1].values),
             boost::test_tools::per_element());
  BOOST_TEST(array_of<std::int32_t>(file, "rank").at(4) == 3);
  BOOST_TEST(array_of<std::int64_t>(file, "connectivity").at(4) == 4);
  BOOST_TEST(array_of<std::int64_t>(file, "offsets").at(4) == 5);
}

BOOST_AUTO_TEST_CASE(the_index_leads_to_all_points) {
  const ScratchDirectory scratch(world());
  io::make_directory(world(), scratch.path() / "frames");
  io::ParaviewSeries series(world(), scratch.path(), "points");
  const bool empty = world().rank() % 2 == 1;  // every second rank has none
  series.write(0, 0.0, cloud_of(empty ? 0 : 4, world().rank()));
  series.write(20, 0.1, cloud_of(empty ? 0 : 6, world().rank()));

  const std::string index = content_of(scratch.path() / "points.pvd");
  const auto frames = all_matches(index, "file=\"([^\"]+)\"");
  BOOST_REQUIRE(frames.size() == 2U);
  const auto times = all_matches(index, "timestep=\"([^\"]+)\"");
  BOOST_TEST(times.at(1) == "0.1");
  const fs::path frame = scratch.path() / frames.at(1);
  const auto pieces = all_matches(content_of(frame), "Piece Source=\"([^\"]+)\"");
  BOOST_TEST(pieces.size() == static_cast<std::size_t>((world().size() + 1) / 2));
  std::size_t points = 0;
  for (const std::string& piece : pieces) {
    points += array_of<double>(content_of(frame.parent_path() / piece), "weight").size();
  }
  BOOST_TEST(points == 6 * pieces.size());
}

BOOST_AUTO_TEST_CASE(a_frame_without_points_is_valid) {
  const ScratchDirectory scratch(world());
  io::make_directory(world(), scratch.path() / "frames");
  io::ParaviewSeries series(world(), scratch.path(), "points");
  series.write(3, 1.5, cloud_of(0, world().rank()));
  const fs::path frame = scratch.path() / "frames" / "points-00000003.pvtp";
  const auto pieces = all_matches(content_of(frame), "Piece Source=\"([^\"]+)\"");
  BOOST_REQUIRE(pieces.size() == 1U);
  BOOST_TEST(array_of<double>(content_of(frame.parent_path() / pieces.front()), "position").empty());
}

BOOST_AUTO_TEST_CASE(a_failure_on_one_rank_fails_all_and_leaves_the_index_valid) {
  const ScratchDirectory scratch(world());
  io::make_directory(world(), scratch.path() / "frames");
  io::ParaviewSeries series(world(), scratch.path(), "points");
  series.write(0, 0.0, cloud_of(4, world().rank()));
  // The piece of the last rank meets a device without space.
  const int last = world().size() - 1;
  if (world().rank() == last) {
    const std::string name = "points-00000001-000" + std::to_string(last) + ".vtp.tmp";
    fs::create_symlink("/dev/full", scratch.path() / "frames" / name);
  }
  BOOST_CHECK_EXCEPTION(series.write(1, 0.1, cloud_of(4, world().rank())), std::runtime_error, [&](const auto& error) {
    return std::string(error.what()).find("000" + std::to_string(last) + ".vtp: cannot be written") !=
           std::string::npos;
  });
  BOOST_TEST(all_matches(content_of(scratch.path() / "points.pvd"), "file=\"([^\"]+)\"").size() == 1U);
}
