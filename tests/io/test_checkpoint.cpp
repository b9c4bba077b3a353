// Checkpoints: what is read is what was written, on any number of ranks, and damage is noticed.
// timeout: 180
#include "scree/io/checkpoint.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <utility>

#include "scratch.hpp"
#include "scree/io/scene.hpp"
#include "scree/parallel/error.hpp"
#include "support/motion.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
namespace fs = std::filesystem;

namespace {

io::Scene small_scene() {
  return io::parse_scene(
      "materials: {ball: {friction: 0.4}}\n"
      "walls: [{container: {lower: [0, 0, 0], upper: [1, 1, 2]}}]\n"
      "fills: [{region: {box: {lower: [0, 0, 0], upper: [1, 1, 1.4]}}, radius: {min: 0.06, max: 0.09}, count: 200}]\n"
      "bodies: [{name: a, position: [0.4, 0.5, 1.7], radius: 0.08}, {name: b, position: [0.6, 0.5, 1.7], radius: "
      "0.08}]\n"
      "joints: [{kind: hinge, bodies: [a], anchor: [0.3, 0.5, 1.7], axis: [0, 1, 0]},\n"
      "         {kind: ball, bodies: [a, b], anchor: [0.5, 0.5, 1.7]}]\n"
      "time: {step: 0.005, steps: 40}\n"
      "solver: {max_iterations: 40}\n",
      "small.yaml");
}

/// The largest difference of positions and velocities between two lists of the same bodies.
double difference(const std::vector<model::Body>& a, const std::vector<model::Body>& b) {
  BOOST_REQUIRE(a.size() == b.size());
  double largest = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    BOOST_REQUIRE(a[k].id == b[k].id);
    for (int c = 0; c < 3; ++c)
      largest = std::max(
          {largest, std::abs(a[k].position[c] - b[k].position[c]), std::abs(a[k].velocity[c] - b[k].velocity[c])});
  }
  return largest;
}

using Memories = std::map<std::pair<std::int64_t, std::int64_t>, std::array<double, 3>>;

/// Collective: what all ranks remember of contacts.
Memories all_memories(dynamics::Simulation& simulation) {
  Memories memories;
  for (const auto& memory : gathered(world(), simulation.pause().memories))
    memories[{memory.contact.first, memory.contact.second}] = {memory.impulse[0], memory.impulse[1], memory.impulse[2]};
  return memories;
}

void make_steps(dynamics::Simulation& simulation, int count) {
  for (int k = 0; k < count; ++k) simulation.step();
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_resumed_run_on_as_many_ranks_goes_on_bit_for_bit) {
  const ScratchDirectory scratch(world());
  const io::Scene scene = small_scene();
  dynamics::Simulation whole(world(), io::make_setup(world(), scene));
  make_steps(whole, 20);
  io::write_checkpoint(world(), scratch.path() / "c.h5", whole, scene.text);
  BOOST_TEST(!fs::exists(scratch.path() / "c.h5.tmp"));
  make_steps(whole, 15);

  auto checkpoint = io::read_checkpoint(world(), scratch.path() / "c.h5");
  dynamics::Simulation resumed(world(), io::make_setup(world(), scene, std::move(checkpoint)));
  BOOST_TEST(resumed.steps_made() == 20);
  make_steps(resumed, 15);
  BOOST_TEST(difference(all_bodies(world(), whole), all_bodies(world(), resumed)) == 0.0);
  BOOST_TEST(whole.report().kinetic_energy == resumed.report().kinetic_energy);
}

BOOST_AUTO_TEST_CASE(one_rank_goes_on_where_many_stopped) {
  const ScratchDirectory scratch(world());
  io::Scene scene = small_scene();
  scene.solver.stop = {.tolerance = 1e-10, .max_iterations = 3000};  // so that rank counts agree closely
  dynamics::Simulation whole(world(), io::make_setup(world(), scene));
  make_steps(whole, 30);
  io::write_checkpoint(world(), scratch.path() / "c.h5", whole, scene.text);
  make_steps(whole, 3);
  const auto expected = all_bodies(world(), whole);

  const parallel::Comm alone(MPI_COMM_SELF);
  auto checkpoint = io::read_checkpoint(alone, scratch.path() / "c.h5");
  BOOST_TEST(checkpoint.bodies.owned() == scene.body_count);
  BOOST_TEST(!checkpoint.progress.memories.empty());
  dynamics::Simulation resumed(alone, io::make_setup(alone, scene, std::move(checkpoint)));
  make_steps(resumed, 3);
  BOOST_TEST(difference(expected, all_bodies(alone, resumed)) <= 1e-6);
}

BOOST_AUTO_TEST_CASE(impulses_come_back_with_their_contacts) {
  const ScratchDirectory scratch(world());
  const io::Scene scene = small_scene();
  dynamics::Simulation whole(world(), io::make_setup(world(), scene));
  make_steps(whole, 40);
  io::write_checkpoint(world(), scratch.path() / "c.h5", whole, scene.text);
  const auto expected = all_memories(whole);
  BOOST_TEST(expected.size() > 100);           // the bed has begun to form
  for (const bool in_place : {true, false}) {  // false: a new partition, memories must find their way
    auto checkpoint = io::read_checkpoint(world(), scratch.path() / "c.h5");
    checkpoint.progress.in_place = in_place;
    dynamics::Simulation resumed(world(), io::make_setup(world(), scene, std::move(checkpoint)));
    BOOST_TEST((all_memories(resumed) == expected));
  }
}

BOOST_AUTO_TEST_CASE(sources_and_sinks_go_on_bit_for_bit) {
  const ScratchDirectory scratch(world());
  const io::Scene scene = io::parse_scene(
      "walls: [{container: {lower: [0, 0, 0], upper: [1, 1, 2]}}]\n"
      "fills: [{region: {box: {lower: [0, 0, 0], upper: [1, 1, 0.5]}}, radius: 0.08}]\n"
      "sources: [{region: {box: {lower: [0, 0, 1], upper: [1, 1, 1.6]}}, radius: {min: 0.05, max: 0.09}, rate: 900}]\n"
      "sinks: [{inside: {lower: [0, 0, 0], upper: [0.3, 1, 0.4]}}]\n"
      "time: {step: 0.005, steps: 40}\n"
      "solver: {max_iterations: 40}\n",
      "flow.yaml");
  dynamics::Simulation whole(world(), io::make_setup(world(), scene));
  make_steps(whole, 20);
  io::write_checkpoint(world(), scratch.path() / "c.h5", whole, scene.text, {1.0, 2.0});
  make_steps(whole, 20);
  auto checkpoint = io::read_checkpoint(world(), scratch.path() / "c.h5");
  BOOST_TEST((checkpoint.crossings == std::vector<double>{1.0, 2.0}));
  dynamics::Simulation resumed(world(), io::make_setup(world(), scene, std::move(checkpoint)));
  make_steps(resumed, 20);
  BOOST_TEST(difference(all_bodies(world(), whole), all_bodies(world(), resumed)) == 0.0);
  BOOST_TEST((whole.flow().state().sources == resumed.flow().state().sources));
  BOOST_TEST((whole.flow().state().sinks == resumed.flow().state().sinks));
  BOOST_TEST(whole.flow().state().next_id == resumed.flow().state().next_id);
  BOOST_TEST(whole.flow().state().sinks[0].bodies > 0);
}

BOOST_AUTO_TEST_CASE(damaged_checkpoints_are_refused_and_the_one_before_is_taken) {
  const ScratchDirectory scratch(world());
  const io::Scene scene = small_scene();
  const io::CheckpointSeries series(scratch.path() / "checkpoints");
  BOOST_TEST(!series.read_newest(world()).has_value());
  dynamics::Simulation simulation(world(), io::make_setup(world(), scene));
  for (int k = 0; k < 3; ++k) {
    make_steps(simulation, 2);
    series.write(world(), simulation, scene.text);
    usleep(20000);  // the age of files has a grain
  }
  const auto file = [&](int step) {
    return scratch.path() / "checkpoints" / fmt::format("checkpoint-{:012d}.h5", step);
  };
  BOOST_TEST(!fs::exists(file(2)));  // the last two are kept
  BOOST_TEST(series.read_newest(world())->progress.step == 6);

  MPI_Barrier(world().handle());
  if (world().is_root()) {  // one flipped byte in the middle of the bodies
    std::fstream damage(file(6), std::ios::in | std::ios::out | std::ios::binary);
    damage.seekg(static_cast<std::streamoff>(fs::file_size(file(6)) / 2));
    const int byte = damage.get();
    damage.seekp(static_cast<std::streamoff>(fs::file_size(file(6)) / 2));
    damage.put(static_cast<char>(byte ^ 0x10));
  }
  MPI_Barrier(world().handle());
  BOOST_CHECK_THROW((void)io::read_checkpoint(world(), file(6)), InputError);
  BOOST_TEST(series.read_newest(world())->progress.step == 4);

  if (world().is_root()) fs::resize_file(file(6), 1000);
  MPI_Barrier(world().handle());
  BOOST_CHECK_THROW((void)io::read_checkpoint(world(), file(6)), InputError);
  BOOST_CHECK_THROW((void)io::read_checkpoint(world(), scratch.path() / "none.h5"), InputError);
}
