// Bodies from CSV and HDF5 files: each row on one rank, wrong ones told by their place.
#include "scree/io/body_file.hpp"

#include <fmt/format.h>

#include <fstream>

#include "scratch.hpp"
#include "scree/io/scene.hpp"
#include "scree/io/shared_hdf5.hpp"
#include "scree/parallel/error.hpp"
#include "scree/parallel/exchange.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
namespace fs = std::filesystem;

namespace {

const std::vector<model::Material> materials{{.name = "glass", .density = 2500.0},
                                             {.name = "steel", .density = 7800.0}};

void write(const fs::path& file, const std::string& text) {
  if (world().is_root()) std::ofstream(file) << text;
  MPI_Barrier(world().handle());
}

std::vector<model::Body> all_of(const fs::path& file, double radius = 0.0) {
  io::FileFill fill;
  fill.file = file;
  fill.density = 2500.0;
  fill.radius_min = fill.radius_max = radius;
  fill.has_radius = radius > 0.0;
  std::vector<model::Body> own;
  for (const io::FileBody& row : io::read_bodies(world(), fill, {1, 0, 100, materials, {}})) own.push_back(row.body);
  return parallel::gather_everywhere(world(), own);
}

/// What reading the file complains about, without its directory.
std::string complaint(const fs::path& file, const std::string& text) {
  write(file, text);
  try {
    (void)all_of(file);
  } catch (const InputError& error) {
    return std::string(error.what()).substr(file.parent_path().string().size() + 1);
  }
  return "";
}

}  // namespace

BOOST_AUTO_TEST_CASE(rows_of_a_csv_file_are_dealt_out_in_order) {
  const ScratchDirectory scratch(world());
  const fs::path file = scratch.path() / "bodies.csv";
  std::string text = "# a comment longer than the share of some ranks\n\nx, y,z,radius,vz,vy,vx,material\n";
  for (int k = 0; k < 50; ++k) text += fmt::format("{},0.5,-{},0.1,3,2,1,{}\n", k, k, k % 2 == 0 ? "glass" : "steel");
  write(file, text);
  BOOST_TEST(io::count_bodies(world(), file) == 50);
  const std::vector<model::Body> bodies = all_of(file);
  BOOST_REQUIRE(bodies.size() == 50U);
  for (int k = 0; k < 50; ++k) {
    const model::Body& body = bodies[static_cast<std::size_t>(k)];
    BOOST_TEST((body.position[0] == k && body.position[1] == 0.5 && body.position[2] == -k));
    BOOST_TEST((body.velocity[0] == 1.0 && body.velocity[1] == 2.0 && body.velocity[2] == 3.0));
    BOOST_TEST((body.id == 100 + k && body.radius == 0.1 && body.material == k % 2));
    const double density = k % 2 == 0 ? 2500.0 : 7800.0;
    BOOST_TEST(std::abs(body.mass - density * 4.18879020478639e-3) < 1e-9 * density);
  }
  write(file, "x,y,z\n1,2,3");  // the last line may lack its end
  BOOST_TEST(all_of(file, 0.3).at(0).radius == 0.3);
}

BOOST_AUTO_TEST_CASE(wrong_rows_are_named) {
  const ScratchDirectory scratch(world());
  const fs::path file = scratch.path() / "bad.csv";
  const std::string good = "x,y,z,radius\n1,2,3,0.1\n4,5,6,0.1\n";
  BOOST_TEST(complaint(file, good + "7,8,nine,0.1\n") == "bad.csv:4: z: must be a number, is 'nine'");
  BOOST_TEST(complaint(file, good + "\n7,8,9\n") == "bad.csv:5: has 3 cells, but there are 4 columns");
  BOOST_TEST(complaint(file, good + "7,8,9,-1\n") == "bad.csv:4: radius: must be positive, is -1");
  BOOST_TEST(complaint(file, "x,y,radius\n1,2,3\n") == "bad.csv:1: needs the columns x, y and z, each once");
  BOOST_TEST(complaint(file, "x,y,z,r\n1,2,3,4\n").starts_with("bad.csv:1: 'r' is no title"));
  BOOST_TEST(complaint(file, "x,y,z\n1,2,3\n").starts_with("bad.csv: has no column 'radius'"));
  BOOST_TEST(complaint(file, "x,y,z,radius,material\n1,2,3,1,gold\n") ==
             "bad.csv:2: material: the scene has none named 'gold'");
  BOOST_TEST(complaint(file, "x,y,z,radius,id\n1,2,3,1,-4\n") == "bad.csv:2: id: must not be negative, is -4");
  BOOST_CHECK_THROW((void)io::count_bodies(world(), scratch.path() / "none.csv"), InputError);
}

BOOST_AUTO_TEST_CASE(an_hdf5_file_holds_the_same_as_data_sets) {
  const ScratchDirectory scratch(world());
  const fs::path file = scratch.path() / "bodies.h5";
  const std::int64_t own = world().rank() + 2;
  const auto make = [&](double radius) {
    std::vector<double> position, velocity, radii;
    std::vector<std::int64_t> id;
    for (std::int64_t k = 0; k < own; ++k) {
      const std::int64_t number = world().rank() * 1000 + k;
      position.insert(position.end(), {static_cast<double>(number), 1.0, 2.0});
      velocity.insert(velocity.end(), {0.0, 0.0, -1.0});
      radii.push_back(radius);
      id.push_back(number);
    }
    io::write_shared_hdf5(world(), file, 1000, [&](io::SharedHdf5& out) {
      out.add_entries("position", std::span<const double>(position));
      out.add_entries("velocity", std::span<const double>(velocity));
      out.add_entries("radius", std::span<const double>(radii));
      out.add_entries("id", std::span<const std::int64_t>(id));
    });
  };
  make(0.25);
  const std::int64_t total = world().sum(own);
  BOOST_TEST(io::count_bodies(world(), file) == total);
  const std::vector<model::Body> bodies = all_of(file);
  BOOST_REQUIRE(std::ssize(bodies) == total);
  for (const model::Body& body : bodies) {
    BOOST_TEST((body.position[0] == static_cast<double>(body.id) && body.position[2] == 2.0));
    BOOST_TEST((body.velocity[2] == -1.0 && body.radius == 0.25));
  }
  make(-1.0);
  BOOST_CHECK_EXCEPTION((void)all_of(file), InputError, [](const InputError& error) {
    return std::string(error.what()).ends_with("bodies.h5: row 0: radius: must be positive, is -1");
  });
}

BOOST_AUTO_TEST_CASE(a_scene_takes_bodies_from_a_file) {
  const ScratchDirectory scratch(world());
  write(scratch.path() / "grains.csv", "x,y,z,radius,id\n1,0,1,0.1,7\n2,0,1,0.1,3\n3,0,1,0.1,40\n");
  const std::string scene =
      "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}}]\n"
      "bodies: [{position: [0, 0, 1], radius: 0.1}]\n"
      "fills: [{file: grains.csv}]\n"
      "time: {steps: 1}\n";
  const fs::path file = scratch.path() / "scene.yaml";
  write(file, scene);
  const io::Scene loaded = io::load_scene(world(), file);
  BOOST_TEST(loaded.body_count == 4);
  const dynamics::Setup setup = io::make_setup(world(), loaded);
  BOOST_TEST(world().sum(static_cast<std::int64_t>(setup.bodies.owned())) == 4);
  BOOST_TEST(setup.flow.first_id == 41);
  const auto refused = [&](const std::string& rows) {
    write(scratch.path() / "grains.csv", rows);
    BOOST_CHECK_THROW((void)io::make_bodies(world(), io::load_scene(world(), file)), InputError);
  };
  refused("x,y,z,radius,id\n1,0,1,0.1,7\n2,0,1,0.1,7\n");  // one id twice
  refused("x,y,z,radius,id\n1,0,1,0.1,0\n");               // that of the listed body
  refused("x,y,z,radius\n1,0,0.05,0.1\n");                 // in the floor
  refused("x,y,z,radius\n0.05,0,1,0.1\n");                 // in the listed body
}
