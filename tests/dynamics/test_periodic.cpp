// Space that repeats itself: nothing notices where a period begins.
// timeout: 240
#include <cmath>
#include <utility>

#include "scree/parallel/error.hpp"
#include "support/motion.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using dynamics::Setup;
using dynamics::Simulation;
using model::Body;
using model::Periodicity;
using model::Vec3;

namespace {

using Id = std::pair<std::int64_t, std::int64_t>;

constexpr double period = 4.0;

/// Periodic along the axes of the mask: 1 x, 2 y, 4 z.
Periodicity periodic(int axes, double length = period) {
  Periodicity space{Vec3::Constant(-0.5 * length), Vec3::Zero()};
  for (int axis = 0; axis < 3; ++axis)
    if ((axes >> axis & 1) != 0) space.length[axis] = length;
  return space;
}

Setup periodic_setup(const parallel::Comm& comm, const std::vector<Body>& bodies, const Periodicity& space,
                     std::vector<model::Wall> walls, double friction, double restitution = 0.0) {
  Setup setup = make_setup(comm, bodies, std::move(walls), friction, restitution);
  setup.bodies.space = space;
  return setup;
}

/// Collective: ids of the contacts of the last step, sorted; duplicates stay.
std::vector<Id> contact_ids(const parallel::Comm& comm, const Simulation& simulation) {
  std::vector<collision::ContactId> own;
  for (const auto& contact : simulation.contacts().contacts)
    own.push_back(collision::id_of(simulation.bodies(), contact.a, contact.b));
  std::vector<Id> all;
  for (const auto& id : gathered(comm, own)) all.emplace_back(id.first, id.second);
  std::ranges::sort(all);
  return all;
}

/// Layers of spheres over a period of 4 m in x and y, a little disordered.
std::vector<Body> loose_bed() {
  std::vector<Body> bodies;
  Dice dice(8);
  for (int k = 0; k < 48; ++k)
    bodies.push_back(unit_sphere(k, Vec3(k % 4 - 1.5, k / 4 % 4 - 1.5, k / 16 + 0.55) + 0.04 * dice.vector(), 0.47));
  return bodies;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_chain_around_the_torus_moves_as_one) {
  // Touching spheres along x close the ring: what pushes one of them pushes all, and itself from behind.
  for (const int links : {5, 16}) {
    std::vector<Body> chain;
    for (int k = 0; k < links; ++k) chain.push_back(unit_sphere(k, {k + 0.25, 0.0, 0.0}));
    set_velocity(chain[2], {static_cast<double>(links), 0.0, 0.0});
    Setup setup = periodic_setup(world(), chain, {Vec3::Zero(), Vec3(links, 0.0, 0.0)}, {}, 0.0);
    setup.step.gravity.setZero();
    Simulation simulation(world(), std::move(setup));
    for (int k = 0; k < 300; ++k) {
      const auto report = simulation.step();
      BOOST_TEST(report.contacts == links);
      BOOST_TEST(std::abs(report.momentum.x() - links * chain[0].mass) <= 1e-12 * links * chain[0].mass);
    }
    for (const Body& body : all_bodies(world(), simulation)) BOOST_TEST(std::abs(body.velocity[0] - 1.0) <= 1e-6);
    BOOST_TEST(simulation.report().max_penetration <= 1e-6);
  }
}

BOOST_AUTO_TEST_CASE(a_uniform_translation_changes_nothing) {
  const Vec3 drift(7.0, -4.0, 0.0);
  std::vector<Simulation> simulations;
  for (const bool drifts : {false, true}) {
    std::vector<Body> bodies = loose_bed();
    if (drifts)
      for (Body& body : bodies) set_velocity(body, drift);
    simulations.emplace_back(world(), periodic_setup(world(), bodies, periodic(3), {floor_wall()}, 0.0));
  }
  for (int k = 0; k < 40; ++k) {
    for (Simulation& simulation : simulations) simulation.step();
    BOOST_TEST((contact_ids(world(), simulations[0]) == contact_ids(world(), simulations[1])), "step " << k);
    const auto still = all_bodies(world(), simulations[0]), moving = all_bodies(world(), simulations[1]);
    double difference = 0.0;
    for (std::size_t body = 0; body < still.size(); ++body)
      difference = std::max(difference, (velocity_of(moving[body]) - drift - velocity_of(still[body])).norm());
    BOOST_TEST(difference <= 1e-6, "step " << k);
  }
}

BOOST_AUTO_TEST_CASE(a_periodic_bed_presses_its_weight_on_the_floor) {
  // Layers that touch all around the torus, each in the pockets of the one below: at rest, even without friction.
  std::vector<Body> bodies;
  for (int k = 0; k < 48; ++k) {
    const double aside = k / 16 % 2 == 0 ? -1.5 : -1.0;
    bodies.push_back(unit_sphere(k, Vec3(k % 4 + aside, k / 4 % 4 + aside, 0.5 + std::sqrt(0.5) * (k / 16))));
  }
  for (const double friction : {0.0, 0.5}) {
    Setup setup = periodic_setup(world(), bodies, periodic(3), {floor_wall()}, friction);
    setup.solver.stop = {.tolerance = 1e-8, .max_iterations = 1000};
    Simulation simulation(world(), std::move(setup));
    double pressed = 0.0, weight = 0.0;
    constexpr int steps = 20;
    for (int k = 0; k < steps; ++k) {
      simulation.step();
      pressed += impulse_on_walls(simulation).z();
    }
    for (const Body& body : bodies) weight += steps * 5e-3 * gravity * body.mass;
    BOOST_TEST(std::abs(pressed / -weight - 1.0) <= 1e-3);
    BOOST_TEST(simulation.report().max_penetration <= 1e-5);
  }
}

BOOST_AUTO_TEST_CASE(a_gas_in_a_torus_is_that_of_one_rank_and_keeps_its_momentum) {
  const parallel::Comm self(MPI_COMM_SELF);
  std::vector<Body> bodies;
  Dice dice(11);
  Vec3 momentum = Vec3::Zero();
  double scale = 0.0;
  for (int k = 0; k < 64; ++k) {
    bodies.push_back(unit_sphere(k, Vec3(k % 4, k / 4 % 4, k / 16) + 0.05 * dice.vector(), 0.3 + 0.1 * dice()));
    set_velocity(bodies.back(), 6.0 * dice.vector());
    set_spin(bodies.back(), 6.0 * dice.vector());
    momentum += bodies.back().mass * velocity_of(bodies.back());
    scale += bodies.back().mass * velocity_of(bodies.back()).norm();
  }
  const auto start = [&](const parallel::Comm& comm) {
    Setup setup = periodic_setup(comm, bodies, periodic(7), {}, 0.2, 0.9);
    setup.step.gravity.setZero();
    return setup;
  };
  Simulation together(world(), start(world())), alone(self, start(self));
  double energy = together.report().kinetic_energy;
  for (int k = 0; k < 80; ++k) {
    const auto report = together.step();
    BOOST_TEST((report.momentum - momentum).norm() <= 1e-12 * scale, "step " << k);
    BOOST_TEST(report.kinetic_energy <= energy * (1.0 + 1e-9));
    energy = report.kinetic_energy;
    const auto ids = contact_ids(world(), together);
    BOOST_TEST((std::ranges::adjacent_find(ids) == ids.end()), "a contact is there twice");
    if (k >= 40) continue;  // later, rounding has made the two runs differ
    alone.step();
    BOOST_TEST((ids == contact_ids(self, alone)), "step " << k);
  }
  for (const auto& body : all_bodies(world(), together)) BOOST_TEST(body.radius == bodies[body.id].radius);
}

BOOST_AUTO_TEST_CASE(a_period_that_is_too_short_is_refused) {
  BOOST_CHECK_THROW(
      Simulation(world(), periodic_setup(world(), {unit_sphere(0, Vec3::Zero())}, periodic(1, 2.3), {}, 0.0)),
      InputError);
  Simulation simulation(world(), periodic_setup(world(), {unit_sphere(0, Vec3::Zero())}, periodic(1, 2.5), {}, 0.0));
  for (int k = 0; k < 100; ++k) BOOST_TEST(simulation.step().contacts == 0);
}
