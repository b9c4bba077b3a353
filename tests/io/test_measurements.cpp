// Measurements in a run: numbers that are known, the same on any number of ranks, and rows that a restart keeps.
// ranks: 1 2 3
#include "scree/io/measurements.hpp"

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <sstream>

#include "scratch.hpp"
#include "scree/io/scene.hpp"
#include "scree/parallel/error.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
namespace fs = std::filesystem;

namespace {

std::string content(const fs::path& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// The numbers of the last row by their titles; those of empty cells are missing.
std::map<std::string, double> last_row(const fs::path& file) {
  std::istringstream lines(content(file));
  std::string titles, row, line;
  std::getline(lines, titles);
  while (std::getline(lines, line)) row = line;
  std::istringstream names(titles), cells(row);
  std::map<std::string, double> numbers;
  for (std::string name, cell; std::getline(names, name, ',');) {
    std::getline(cells, cell, ',');
    if (!cell.empty()) numbers[name] = std::stod(cell);
    cell.clear();
  }
  return numbers;
}

const std::string falling =
    "gravity: [0, 0, -10]\n"
    "materials: {stone: {density: 1000, friction: 0.3}}\n"
    "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}}]\n"
    "bodies:\n"
    "  - {name: lower, position: [0, 0, 0.5], radius: 0.5, mass: 3}\n"
    "  - {name: upper, position: [0, 0, 1.5], radius: 0.5, mass: 2}\n"
    "  - {position: [2, 0, 5], radius: 0.1, mass: 1, velocity: [0, 0, -1]}\n"
    "measurements:\n"
    "  - {name: state, every: 2, state: [bodies, kinetic_energy, potential_energy, momentum, coordination, "
    "penetration]}\n"
    "  - {name: load, every: 1, force: [floor, lower, upper]}\n"
    "  - {name: through, every: 1, flow: {point: [0, 0, 4.95], normal: [0, 0, 1]}}\n"
    "  - {name: beside, every: 1, flow: {point: [0, 0, 4.95], normal: [0, 0, 1], radius: 1}}\n"
    "  - {name: top, every: 5, profile: {axis: x, lower: -1, upper: 3, bins: 4}}\n"
    "time: {step: 0.01, steps: 10}\n"
    "solver: {tolerance: 1e-12, max_iterations: 5000}\n";

}  // namespace

BOOST_AUTO_TEST_CASE(numbers_of_a_small_scene_are_those_of_the_book) {
  const ScratchDirectory scratch(world());
  const io::Scene scene = io::parse_scene(falling, "falling.yaml");
  dynamics::Simulation simulation(world(), io::make_setup(world(), scene));
  io::Measurements measurements(world(), scene.measurements, scratch.path(), simulation, {});
  measurements.after_step(simulation, simulation.report());
  for (int k = 0; k < 10; ++k) measurements.after_step(simulation, simulation.step());
  MPI_Barrier(world().handle());

  const fs::path directory = scratch.path() / "measurements";
  auto state = last_row(directory / "state.csv");
  const double speed = 1.0 + 10.0 * 0.1, height = 5.0 - 0.1 - 10.0 * 0.01 * 0.01 * 55.0;
  BOOST_TEST(state["step"] == 10.0);
  BOOST_TEST(state["bodies"] == 3.0);
  BOOST_TEST(std::abs(state["kinetic energy (J)"] - 0.5 * speed * speed) < 1e-9);
  BOOST_TEST(std::abs(state["potential energy (J)"] - 10.0 * (3.0 * 0.5 + 2.0 * 1.5 + height)) < 1e-8);
  BOOST_TEST(std::abs(state["momentum z (kg m/s)"] + speed) < 1e-9);
  BOOST_TEST(std::abs(state["coordination number"] - 1.0) < 1e-12);  // floor and lower 1, lower and upper 2
  BOOST_TEST(state["largest penetration (m)"] < 1e-9);
  auto load = last_row(directory / "load.csv");
  BOOST_TEST(std::abs(load["force on floor z (N)"] + 50.0) < 1e-6);
  BOOST_TEST(std::abs(load["force on lower z (N)"] - 30.0) < 1e-6);
  BOOST_TEST(std::abs(load["force on upper z (N)"] - 20.0) < 1e-6);
  auto through = last_row(directory / "through.csv");
  BOOST_TEST(through["bodies backward"] == 1.0);
  BOOST_TEST(through["mass backward (kg)"] == 1.0);
  BOOST_TEST(through["bodies forward"] == 0.0);
  BOOST_TEST(last_row(directory / "beside.csv")["bodies backward"] == 0.0);
  auto top = last_row(directory / "top.csv");
  BOOST_TEST(top.size() == 4U);  // step, time and two bins that have bodies
  BOOST_TEST(std::abs(top["height at x = 0.5 m (m)"] - 2.0) < 1e-9);
  BOOST_TEST(std::abs(top["height at x = 2.5 m (m)"] - height - 0.1) < 1e-9);
}

BOOST_AUTO_TEST_CASE(a_resumed_run_leaves_the_same_files) {
  const ScratchDirectory scratch(world());
  const io::Scene scene = io::parse_scene(falling, "falling.yaml");
  const auto go_on = [](dynamics::Simulation& simulation, io::Measurements& measurements, int last) {
    while (simulation.steps_made() < last) measurements.after_step(simulation, simulation.step());
  };
  const fs::path whole = scratch.path() / "whole", parts = scratch.path() / "parts";
  for (const fs::path& out : {whole, parts}) {
    dynamics::Simulation simulation(world(), io::make_setup(world(), scene));
    io::Measurements measurements(world(), scene.measurements, out, simulation, {});
    measurements.after_step(simulation, simulation.report());
    go_on(simulation, measurements, 5);
    io::write_checkpoint(world(), scratch.path() / "c.h5", simulation, scene.text, measurements.crossings());
    go_on(simulation, measurements, out == whole ? 10 : 7);
  }
  // A run that dies while it writes leaves a row without its end.
  if (world().is_root()) std::ofstream(parts / "measurements" / "state.csv", std::ios::app) << "8,0.0";
  io::Checkpoint checkpoint = io::read_checkpoint(world(), scratch.path() / "c.h5");
  const std::vector<double> crossings = checkpoint.crossings;
  dynamics::Simulation simulation(world(), io::make_setup(world(), scene, std::move(checkpoint)));
  io::Measurements measurements(world(), scene.measurements, parts, simulation, crossings);
  go_on(simulation, measurements, 10);
  MPI_Barrier(world().handle());
  for (const char* name : {"state", "load", "through", "beside", "top"}) {
    const auto file = fs::path("measurements") / fmt::format("{}.csv", name);
    BOOST_TEST(content(whole / file).size() > 20U);
    BOOST_TEST(content(whole / file) == content(parts / file));
  }
}
