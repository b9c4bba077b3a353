// Sources and sinks: the same bodies on any number of ranks, none in another, none lost.
#include "scree/dynamics/flow.hpp"

#include <cmath>
#include <set>

#include "scree/parallel/error.hpp"
#include "support/motion.hpp"

using namespace scree;
using namespace scree::test;
using dynamics::Setup;
using dynamics::Simulation;
using dynamics::Sink;
using dynamics::Source;
using model::Body;
using model::Box;
using model::Vec3;

namespace {

/// Spheres of 5 to 10 cm in a box 1 m wide.
Source rain(double rate) {
  Source source;
  source.name = "rain";
  source.region = Box{Vec3(0.0, 0.0, 2.0), Vec3(1.0, 1.0, 3.0)};
  source.recipe.radius_min = 0.05;
  source.recipe.radius_max = 0.10;
  source.rate = rate;
  return source;
}

Sink below(double height) { return {"below", model::Plane{Vec3(0.0, 0.0, height), Vec3::UnitZ()}}; }

Setup with_flow(const parallel::Comm& comm, const std::vector<Body>& bodies, std::vector<model::Wall> walls,
                const std::vector<Source>& sources, const std::vector<Sink>& sinks) {
  Setup setup = make_setup(comm, bodies, std::move(walls), 0.3);
  setup.solver.stop = {.tolerance = 1e-4, .max_iterations = 100};
  setup.flow = {sources, sinks, 7, std::ssize(bodies)};
  return setup;
}

double deepest(const std::vector<Body>& bodies) {
  double depth = 0.0;
  for (std::size_t a = 0; a < bodies.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      depth = std::max(depth,
                       bodies[a].radius + bodies[b].radius - (position_of(bodies[a]) - position_of(bodies[b])).norm());
  return depth;
}

}  // namespace

BOOST_AUTO_TEST_CASE(bodies_of_a_source_are_the_same_on_any_number_of_ranks) {
  // They fall apart from each other, so that no solver can make a difference.
  const parallel::Comm alone = world().split(world().rank());
  const auto after = [](const parallel::Comm& comm, int steps) {
    Simulation simulation(comm, with_flow(comm, {}, {}, {rain(300.0)}, {}));
    for (int k = 0; k < steps; ++k) simulation.step();
    return all_bodies(comm, simulation);
  };
  const std::vector<Body> here = after(world(), 20), there = after(alone, 20);
  BOOST_REQUIRE(here.size() == there.size());
  BOOST_TEST(here.size() == 28U);  // 300 a second, before steps at 0 to 0.095 s
  for (std::size_t k = 0; k < here.size(); ++k) {
    BOOST_TEST(here[k].id == static_cast<std::int64_t>(k));
    BOOST_TEST(here[k].radius == there[k].radius);
    BOOST_TEST((position_of(here[k]) - position_of(there[k])).norm() <= 1e-12);
  }
}

BOOST_AUTO_TEST_CASE(what_has_no_room_waits_and_nothing_overlaps) {
  // A bin that is full before all are in it.
  const std::vector<model::Wall> bin = model::container("bin", {Vec3::Zero(), Vec3(1.0, 1.0, 3.0)}, 0, true);
  Source source = rain(2000.0);
  source.region = Box{Vec3::Zero(), Vec3(1.0, 1.0, 0.6)};
  source.total = 500;
  Simulation simulation(world(), with_flow(world(), {}, bin, {source}, {}));
  dynamics::StepReport report;
  for (int k = 0; k < 60; ++k) {
    report = simulation.step();
    BOOST_TEST(report.max_penetration <= 0.01);
  }
  const std::vector<Body> bodies = all_bodies(world(), simulation);
  BOOST_TEST(std::ssize(bodies) == simulation.flow().state().sources[0].bodies);
  BOOST_TEST(std::ssize(bodies) > 60);
  BOOST_TEST(simulation.flow().waiting(0, report.time) == 500 - std::ssize(bodies));
  BOOST_TEST(deepest(bodies) <= 0.01);
  BOOST_TEST(report.lost_bodies == 0);
}

BOOST_AUTO_TEST_CASE(a_source_by_mass_gives_its_rate) {
  Source source = rain(50.0);
  source.by_mass = true;
  source.start = 0.1;
  source.end = 0.4;
  Simulation simulation(world(), with_flow(world(), {}, {}, {source}, {}));
  for (int k = 0; k <= 120; ++k) simulation.step();
  const dynamics::FlowTally& tally = simulation.flow().state().sources[0];
  double mass = 0.0, heaviest = 0.0;
  for (const Body& body : all_bodies(world(), simulation)) {
    mass += body.mass;
    heaviest = std::max(heaviest, body.mass);
  }
  BOOST_TEST(std::abs(mass / tally.mass - 1.0) <= 1e-12);
  BOOST_TEST(tally.mass <= 15.0 * (1.0 + 1e-6));
  BOOST_TEST(tally.mass > 15.0 - heaviest);
}

BOOST_AUTO_TEST_CASE(sinks_count_what_they_remove_until_nothing_is_left) {
  std::vector<Body> bodies;
  for (int k = 0; k < 20; ++k) bodies.push_back(unit_sphere(k, {1.1 * (k % 5), 1.1 * (k / 5), 1.0 + 0.1 * k}));
  Source source = rain(40.0);
  source.end = 0.2;
  Sink out{"out", Sink::Outside{Box{Vec3::Constant(-10.0), Vec3::Constant(10.0)}}};
  Simulation simulation(world(), with_flow(world(), bodies, {}, {source}, {out, below(-3.0)}));
  dynamics::StepReport report;
  for (int k = 0; k < 300; ++k) {
    report = simulation.step();
    std::set<std::int64_t> ids;
    for (const Body& body : all_bodies(world(), simulation)) BOOST_TEST(ids.insert(body.id).second);
  }
  const dynamics::FlowState& flow = simulation.flow().state();
  BOOST_TEST(report.bodies == 0);
  BOOST_TEST(report.lost_bodies == 0);
  BOOST_TEST(flow.sources[0].bodies == 8);
  BOOST_TEST(flow.sinks[0].bodies == 0);
  BOOST_TEST(flow.sinks[1].bodies == 28);
  BOOST_TEST(flow.next_id == 28);
}

BOOST_AUTO_TEST_CASE(joints_go_with_their_bodies) {
  // A chain of eight; the last ones fall into the sink and the first ones go on.
  std::vector<Body> bodies;
  std::vector<model::Joint> joints;
  for (int k = 0; k < 8; ++k) bodies.push_back(unit_sphere(k, {0.0, 0.0, -1.5 * k}));
  for (int k = 0; k + 1 < 8; ++k)
    joints.push_back(model::make_joint(k, model::JointKind::ball, bodies[k], &bodies[k + 1],
                                       0.5 * (position_of(bodies[k]) + position_of(bodies[k + 1]))));
  joints.push_back(model::make_joint(7, model::JointKind::ball, bodies[0], nullptr, Vec3(0.0, 0.0, 0.75)));
  Setup setup = with_flow(world(), bodies, {}, {}, {below(-7.0)});
  for (const model::Joint& joint : joints)
    if (joint.id % world().size() == world().rank()) setup.joints.push_back(joint);
  Simulation simulation(world(), std::move(setup));
  BOOST_TEST(simulation.report().joints == 8);
  dynamics::StepReport report;
  for (int k = 0; k < 5; ++k) report = simulation.step();
  BOOST_TEST(report.bodies == 5);
  BOOST_TEST(report.joints == 5);
  BOOST_TEST(report.max_joint_gap <= 1e-3);
}

BOOST_AUTO_TEST_CASE(a_body_that_is_in_the_way_keeps_others_out) {
  // One large sphere fills all of the region but its corners.
  Source source = rain(1000.0);
  source.region = Box{Vec3::Constant(-0.5), Vec3::Constant(0.5)};
  source.recipe.radius_min = source.recipe.radius_max = 0.2;
  Body ball = unit_sphere(0, Vec3::Zero());
  Setup setup = with_flow(world(), {ball}, {}, {source}, {});
  setup.step.gravity.setZero();
  Simulation simulation(world(), std::move(setup));
  for (int k = 0; k < 10; ++k) simulation.step();
  BOOST_TEST(simulation.flow().state().sources[0].bodies == 0);
  dynamics::FlowState other = simulation.flow().state();
  other.sinks.resize(3);
  dynamics::Flow flow({{source}, {}, 7, 0}, *simulation.bodies().shapes);
  BOOST_CHECK_THROW(flow.resume(other), InputError);
}
