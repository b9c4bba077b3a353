// What contacts cannot change: momentum, angular momentum, the bodies themselves.
#include <cmath>

#include "support/frozen.hpp"
#include "support/motion.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using dynamics::Setup;
using dynamics::Simulation;
using model::Body;
using model::Vec3;
using problem::Coupling;
using problem::Law;

namespace {

/// Spheres of a 4:1 mix of radii on a loose lattice, flying about.
std::vector<Body> gas(int n, double speed) {
  std::vector<Body> bodies;
  Dice dice(5);
  for (int k = 0; k < n * n * n; ++k) {
    const Vec3 cell(k % n, k / n % n, k / (n * n));
    const double radius = k % 3 == 0 ? 0.1 : 0.4;
    bodies.push_back(unit_sphere(k, cell + 0.05 * dice.vector(), radius));
    set_velocity(bodies.back(), speed * dice.vector());
    set_spin(bodies.back(), speed * dice.vector());
  }
  return bodies;
}

/// Totals of all bodies.
struct Totals {
  Vec3 momentum = Vec3::Zero();
  Vec3 angular = Vec3::Zero();
  double scale = 0.0;  ///< sum of |m v|

  explicit Totals(const std::vector<Body>& bodies) {
    for (const Body& body : bodies) {
      momentum += body.mass * velocity_of(body);
      angular += position_of(body).cross(body.mass * velocity_of(body)) + body.inertia[0] * spin_of(body);
      scale += body.mass * velocity_of(body).norm();
    }
  }
};

/// Collective: impulses of the last step: on walls, and what gaps between the surfaces add to angular momentum.
struct StepImpulses {
  Vec3 walls = Vec3::Zero();
  Vec3 turn = Vec3::Zero();
  double sum = 0.0;  ///< of the lengths

  explicit StepImpulses(const Simulation& simulation) {
    for (const auto& contact : simulation.contacts().contacts) {
      const Vec3& p = simulation.impulse_of(contact);
      if (contact.b < 0) walls += p;
      if (contact.b >= 0) turn += contact.gap * contact.normal.cross(p);
      sum += p.norm();
    }
    world().sum({walls.data(), 3});
    world().sum({turn.data(), 3});
    sum = world().sum(sum);
  }
};

void check_same_bodies(const std::vector<Body>& before, const std::vector<Body>& after) {
  BOOST_REQUIRE(after.size() == before.size());
  for (std::size_t k = 0; k < before.size(); ++k) {
    BOOST_TEST(after[k].id == before[k].id);
    BOOST_TEST(after[k].mass == before[k].mass);
    BOOST_TEST(after[k].radius == before[k].radius);
  }
}

Setup gas_setup(const std::vector<Body>& bodies, std::vector<model::Wall> walls, double friction, Law law,
                Coupling coupling) {
  Setup setup = make_setup(world(), bodies, std::move(walls), friction, 0.8);
  setup.solver.law = law;
  setup.solver.sweeps.coupling = coupling;
  // Loosely solved: momentum must be kept whatever the residual.
  setup.solver.stop = {.tolerance = 1e-3, .max_iterations = 20};
  return setup;
}

void check_free_gas(double friction, Law law, Coupling coupling) {
  const auto bodies = gas(4, 5.0);
  Setup setup = gas_setup(bodies, {}, friction, law, coupling);
  setup.step.gravity.setZero();
  Simulation simulation(world(), std::move(setup));
  const Totals before(bodies);
  Vec3 turn = Vec3::Zero();
  double exchanged = 0.0;
  for (int k = 0; k < 100; ++k) {
    simulation.step();
    const StepImpulses impulses(simulation);
    turn += impulses.turn;
    exchanged += impulses.sum;
  }
  BOOST_TEST(exchanged > 0.3 * before.scale);  // there were collisions
  const auto after_bodies = all_bodies(world(), simulation);
  check_same_bodies(bodies, after_bodies);
  const Totals after(after_bodies);
  const double size = 10.0;  // m, the cloud
  BOOST_TEST((after.momentum - before.momentum).norm() <= 1e-12 * before.scale);
  BOOST_TEST((after.angular - before.angular - turn).norm() <= 1e-12 * before.scale * size);
  if (law == Law::frictionless) BOOST_TEST(turn.norm() <= 1e-12 * before.scale * size);
}

void check_gas_in_a_box(Law law, Coupling coupling) {
  const auto bodies = gas(4, 3.0);
  const model::Box inside{Vec3::Constant(-0.6), Vec3::Constant(3.7)};
  const Vec3 g(1.0, 2.0, -9.81);
  Setup setup = gas_setup(bodies, model::container("box", inside, 0, false), 0.3, law, coupling);
  setup.step.gravity = g;
  Simulation simulation(world(), std::move(setup));
  double mass = 0.0;
  for (const Body& body : bodies) mass += body.mass;
  Totals before(bodies);
  bool walls_were_hit = false;
  for (int k = 0; k < 80; ++k) {
    simulation.step();
    const StepImpulses impulses(simulation);
    const Totals after(all_bodies(world(), simulation));
    const Vec3 external = simulation.options().step * mass * g - impulses.walls;
    const double scale = before.scale + impulses.sum;
    BOOST_TEST((after.momentum - before.momentum - external).norm() <= 1e-12 * scale, "step " << k);
    walls_were_hit = walls_were_hit || impulses.walls.norm() > 0.0;
    before = after;
  }
  BOOST_TEST(walls_were_hit);
  check_same_bodies(bodies, all_bodies(world(), simulation));
}

constexpr Coupling couplings[] = {Coupling::interface_splitting, Coupling::full_splitting, Coupling::colouring};

}  // namespace

BOOST_AUTO_TEST_CASE(a_smooth_gas_keeps_momentum_and_angular_momentum) {
  for (const Coupling coupling : couplings) check_free_gas(0.0, Law::frictionless, coupling);
}

BOOST_AUTO_TEST_CASE(a_rough_gas_keeps_momentum_and_angular_momentum_up_to_the_gaps) {
  for (const Coupling coupling : couplings) check_free_gas(0.3, Law::cone, coupling);
}

BOOST_AUTO_TEST_CASE(in_a_box_momentum_changes_by_gravity_and_walls_alone) {
  for (const Coupling coupling : couplings)
    for (const Law law : {Law::frictionless, Law::box, Law::cone}) check_gas_in_a_box(law, coupling);
}
