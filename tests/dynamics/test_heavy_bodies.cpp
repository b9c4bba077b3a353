// One body that is large and heavy against all others, and touches bodies of every rank.
// timeout: 240
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "support/motion.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using dynamics::Setup;
using dynamics::Simulation;
using model::Body;
using model::Vec3;

namespace {

constexpr double heavy_radius = 5.0;    // m
constexpr double heavy_mass = 16000.0;  // kg
constexpr double step = 5e-3;           // s
constexpr double largest_small = 0.05;  // m: a hundredth of the heavy one

/// A heavy sphere, number 0, that rests on many small ones which lie on the floor: each just fits between the two.
std::vector<Body> heavy_on_many() {
  constexpr double clearance = 0.04;  // of the heavy sphere above the floor (m)
  std::vector<Body> bodies{model::make_sphere(0, {0.0, 0.0, heavy_radius + clearance}, heavy_radius, 1.0, 0)};
  const double scale = heavy_mass / bodies[0].mass;
  bodies[0].mass = heavy_mass;
  for (double& moment : bodies[0].inertia) moment *= scale;
  for (int x = -8; x <= 8; ++x)
    for (int y = -8; y <= 8; ++y) {
      const double distance_squared = 0.01 * (x * x + y * y), top = heavy_radius + clearance;
      const double radius = (distance_squared + top * top - heavy_radius * heavy_radius) / (2.0 * (top + heavy_radius));
      if (radius < largest_small)
        bodies.push_back(model::make_sphere(static_cast<std::int64_t>(bodies.size()), {0.1 * x, 0.1 * y, radius},
                                            radius, 2000.0, 0));
    }
  return bodies;
}

Setup heavy_setup(const parallel::Comm& comm) {
  Setup setup = make_setup(comm, heavy_on_many(), {floor_wall()}, 0.5);
  setup.solver.name = "npgs";
  setup.solver.stop = {.tolerance = 1e-7, .max_iterations = 3000};
  return setup;
}

double weight_of(const std::vector<Body>& bodies) {
  double weight = 0.0;
  for (const Body& body : bodies) weight += gravity * body.mass;
  return weight;
}

/// Collective: how many contacts the heavy body has, and how many ranks have bodies in them.
std::pair<std::int64_t, std::int64_t> contacts_of_heavy(const Simulation& simulation) {
  const auto& bodies = simulation.bodies();
  std::set<int> partners;
  std::int64_t contacts = 0;
  for (const auto& contact : simulation.contacts().contacts) contacts += bodies.id[contact.a] == 0 ? 1 : 0;
  for (int k = 0; k < bodies.owned(); ++k)
    if (bodies.id[k] != 0) partners.insert(k);
  return {world().sum(contacts), world().sum(static_cast<std::int64_t>(partners.empty() ? 0 : 1))};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_heavy_body_on_bodies_of_every_rank_presses_its_weight_on_the_floor) {
  const auto bodies = heavy_on_many();
  BOOST_TEST(bodies.size() > 150);
  Simulation simulation(world(), heavy_setup(world()));
  const double weight = step * weight_of(bodies);
  Vec3 momentum = Vec3::Zero();
  for (int k = 0; k < 30; ++k) {
    const auto report = simulation.step();
    const Vec3 pressed = impulse_on_walls(simulation);
    momentum += Vec3(0.0, 0.0, -weight) - pressed;
    BOOST_TEST((report.momentum - momentum).norm() <= 1e-12 * weight * (k + 1), "step " << k);
    BOOST_TEST(std::abs(pressed.z() / -weight - 1.0) <= 1e-3, "step " << k << ": " << pressed.z() / -weight);
  }
  const auto [contacts, ranks] = contacts_of_heavy(simulation);
  BOOST_TEST(contacts == static_cast<std::int64_t>(bodies.size()) - 1);
  BOOST_TEST_MESSAGE(ranks << " ranks have bodies under it");
  BOOST_TEST(simulation.report().max_penetration <= 1e-5);
}

BOOST_AUTO_TEST_CASE(sweeps_are_those_of_one_rank) {
  // What one rank needs is counted with the heavy sphere pushed aside: at rest everything is symmetric, and as long as
  // the order of sweeps leaves it so, the slow modes, in which the small ones roll, do not show.
  const auto first_step = [](const parallel::Comm& comm, const Vec3& push, problem::Coupling coupling) {
    Setup setup = heavy_setup(comm);
    setup.solver.sweeps.coupling = coupling;
    setup.solver.stop.check_every = 1;
    for (std::size_t k = 0; k < static_cast<std::size_t>(setup.bodies.owned()); ++k)
      if (setup.bodies.id[k] == 0) setup.bodies.velocity[k] = push;
    return Simulation(comm, std::move(setup)).step();
  };
  const Vec3 at_rest = Vec3::Zero(), pushed(7e-4, 3e-4, 0.0);
  const parallel::Comm self(MPI_COMM_SELF);
  const auto alone = first_step(self, pushed, problem::Coupling::colouring);
  BOOST_TEST(alone.converged);
  // Shares may take more sweeps than colours, which change the order only.
  for (const auto& [coupling, factor] :
       {std::pair{problem::Coupling::colouring, 1.05}, std::pair{problem::Coupling::interface_splitting, 1.8}})
    for (const Vec3& push : {at_rest, pushed}) {
      const auto report = first_step(world(), push, coupling);
      BOOST_TEST_MESSAGE(report.iterations << " sweeps by " << name_of(coupling) << ", " << alone.iterations
                                           << " on one rank");
      BOOST_TEST(report.converged);
      BOOST_TEST(report.iterations <= factor * alone.iterations);
    }
}

BOOST_AUTO_TEST_CASE(a_heavy_body_flies_through_a_crowd_and_momentum_stays) {
  std::vector<Body> bodies = heavy_on_many();
  Dice dice(4);
  Vec3 momentum = Vec3::Zero();
  double scale = 0.0;
  for (Body& body : bodies) {
    set_velocity(body, body.id == 0 ? Vec3(3.0, 0.0, -2.0) : Vec3(2.0 * dice.vector()));
    momentum += body.mass * velocity_of(body);
    scale += body.mass * velocity_of(body).norm();
  }
  Setup setup = make_setup(world(), bodies, {}, 0.3, 0.5);
  setup.step.gravity.setZero();
  setup.solver.stop = {.tolerance = 1e-4, .max_iterations = 30};
  Simulation simulation(world(), std::move(setup));
  for (int k = 0; k < 60; ++k) {
    const auto report = simulation.step();
    BOOST_TEST((report.momentum - momentum).norm() <= 1e-12 * scale);
    BOOST_TEST(report.bodies == static_cast<std::int64_t>(bodies.size()));
  }
}
