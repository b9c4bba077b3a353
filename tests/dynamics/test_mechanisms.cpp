// Mechanisms over a long time against their closed forms and conserved energy: of three bodies at most, so that more
// ranks would only be empty.
// ranks: 1 2 3
// timeout: 300
#include <cmath>
#include <numbers>

#include "support/mechanism.hpp"

using namespace scree;
using namespace scree::test;
using dynamics::Setup;
using dynamics::Simulation;
using model::Body;
using model::Joint;
using model::JointKind;
using model::make_joint;
using model::Vec3;

namespace {

constexpr double pi = std::numbers::pi;

/// Collective: the mean time between passages through the lowest point from the same side (s).
double measured_period(Simulation& simulation, int periods) {
  const double h = simulation.options().step;
  double x = position_of(all_bodies(world(), simulation)[0]).x(), first = -1.0, last = -1.0;
  for (int passages = 0; passages <= periods;) {
    const double time = simulation.step().time;
    const double now = position_of(all_bodies(world(), simulation)[0]).x();
    if (x > 0.0 && now <= 0.0) {
      last = time - h * now / (now - x);
      if (passages++ == 0) first = last;
    }
    x = now;
  }
  return (last - first) / periods;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_pendulum_has_its_period) {
  constexpr double length = 1.0, amplitude = 1.0;
  for (const JointKind kind : {JointKind::ball, JointKind::hinge, JointKind::distance}) {
    const auto [body, joint] = pendulum(kind, length, amplitude);
    // On a thread that it does not turn with, the bob is a point.
    const double inertia = body.mass * length * length + (kind == JointKind::distance ? 0.0 : body.inertia[0]);
    const double expected =
        4.0 * std::sqrt(inertia / (body.mass * gravity * length)) * std::comp_ellint_1(std::sin(0.5 * amplitude));
    Setup setup = make_mechanism({body}, {joint});
    setup.step.step = 4e-3;
    Simulation simulation(world(), std::move(setup));
    const double period = measured_period(simulation, 2);
    BOOST_TEST(std::abs(period / expected - 1.0) <= 1e-3, info_of(kind).name << ": " << period << ", not " << expected);
    BOOST_TEST(simulation.report().max_joint_gap <= 1e-6);
  }
}

BOOST_AUTO_TEST_CASE(a_double_pendulum_keeps_its_energy) {
  const std::vector<Body> bodies = {small_sphere(0, {1.0, 0.0, 0.0}), small_sphere(1, {2.0, 0.0, 0.3})};
  const std::vector<Joint> joints = {make_joint(0, JointKind::hinge, bodies[0], nullptr, Vec3::Zero(), Vec3::UnitY()),
                                     make_joint(1, JointKind::ball, bodies[1], &bodies[0], position_of(bodies[0]))};
  Setup setup = make_mechanism(bodies, joints);
  setup.step.step = 2e-3;
  setup.solver.stop = {.tolerance = 1e-9, .max_iterations = 1000, .check_every = 5};
  const Vec3 acceleration = setup.step.gravity;
  Simulation simulation(world(), std::move(setup));
  double first = 0.0, worst = 0.0, gap = 0.0;
  std::vector<Body> before = all_bodies(world(), simulation);
  for (int step = 0; step < 1500; ++step) {
    gap = std::max(gap, simulation.step().max_joint_gap);
    const std::vector<Body> after = all_bodies(world(), simulation);
    const double energy = energy_between(before, after, acceleration);
    if (step == 0) first = energy;
    worst = std::max(worst, std::abs(energy - first));
    before = after;
  }
  // Against the energy that lifts both bodies by the length of the upper arm.
  BOOST_TEST_MESSAGE("double pendulum: energy " << worst / (2.0 * gravity) << " of m g L away at most in 1500 steps");
  BOOST_TEST(worst <= 1e-3 * 2.0 * gravity);
  BOOST_TEST(gap <= 1e-4);
}

BOOST_AUTO_TEST_CASE(a_slider_crank_moves_as_its_closed_form) {
  constexpr double crank = 0.5, rod = 1.5, speed = 2.0 * pi;
  std::vector<Body> bodies = {small_sphere(0, {0.5 * crank, 0.0, 0.0}), small_sphere(1, {crank + 0.5 * rod, 0.0, 0.0}),
                              small_sphere(2, {crank + rod, 0.0, 0.0})};
  set_velocity(bodies[0], {0.0, 0.5 * crank * speed, 0.0});
  set_spin(bodies[0], {0.0, 0.0, speed});
  set_velocity(bodies[1], {0.0, 0.5 * crank * speed, 0.0});
  set_spin(bodies[1], {0.0, 0.0, -crank / rod * speed});
  std::vector<Joint> joints = {
      make_joint(0, JointKind::hinge, bodies[0], nullptr, Vec3::Zero(), Vec3::UnitZ()),
      make_joint(1, JointKind::ball, bodies[0], &bodies[1], {crank, 0.0, 0.0}),
      make_joint(2, JointKind::ball, bodies[1], &bodies[2], {crank + rod, 0.0, 0.0}),
      make_joint(3, JointKind::slider, bodies[2], nullptr, {crank + rod, 0.0, 0.0}, Vec3::UnitX())};
  joints[0].motor_speed = speed;
  joints[0].motor_limit = 1e6;
  Setup setup = without_gravity(make_mechanism(bodies, joints));
  setup.step.step = 4e-3;
  setup.solver.stop = {.tolerance = 1e-9, .max_iterations = 1000, .check_every = 5};
  Simulation simulation(world(), std::move(setup));
  double worst = 0.0;
  for (int step = 1; step <= 250; ++step) {
    const double angle = speed * simulation.step().time;
    const double expected =
        crank * std::cos(angle) + std::sqrt(rod * rod - crank * crank * std::sin(angle) * std::sin(angle));
    worst = std::max(worst, (position_of(all_bodies(world(), simulation)[2]) - Vec3(expected, 0.0, 0.0)).norm());
  }
  BOOST_TEST_MESSAGE("slider-crank: piston " << worst << " m from its place at most");
  BOOST_TEST(worst <= 1e-5);
}
