// One sphere and walls: motions that are known in closed form.
#include <algorithm>
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

namespace {

constexpr double radius = 0.5;

Setup one_sphere(const Vec3& position, const Vec3& velocity, double friction, double restitution = 0.0) {
  Body body = unit_sphere(0, position, radius);
  set_velocity(body, velocity);
  return make_setup(world(), {body}, {floor_wall()}, friction, restitution);
}

Body only_body(const Simulation& simulation) { return all_bodies(world(), simulation).at(0); }

/// Gravity on a floor that is inclined by the angle, down along x.
Vec3 inclined(double angle) { return gravity * Vec3(std::sin(angle), 0.0, -std::cos(angle)); }

struct Roll {
  double acceleration;  ///< of the second half of the run (m/s^2)
  Body last;
};

/// From rest on an incline, for a second.
Roll let_go(double angle, double friction, double step) {
  Setup setup = one_sphere({0.0, 0.0, radius}, Vec3::Zero(), friction);
  setup.step.gravity = inclined(angle);
  setup.step.step = step;
  Simulation simulation(world(), std::move(setup));
  const int half = static_cast<int>(std::lround(0.5 / step));
  for (int k = 0; k < half; ++k) simulation.step();
  const double before = only_body(simulation).velocity[0];
  for (int k = 0; k < half; ++k) simulation.step();
  const Body last = only_body(simulation);
  return {(last.velocity[0] - before) / (half * step), last};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_sphere_on_a_plane_stays) {
  for (const double friction : {0.0, 0.3}) {
    const Vec3 place(0.2, -0.3, radius);
    Simulation simulation(world(), one_sphere(place, Vec3::Zero(), friction));
    dynamics::StepReport report;
    for (int k = 0; k < 1000; ++k) report = simulation.step();
    const Body body = only_body(simulation);
    BOOST_TEST((position_of(body) - place).norm() <= 1e-14);
    BOOST_TEST(report.kinetic_energy <= 1e-28);
    BOOST_TEST(report.max_penetration <= 1e-14);
    BOOST_TEST(report.contacts == 1);
    BOOST_TEST(std::abs(body.attitude[3]) == 1.0);
  }
}

BOOST_AUTO_TEST_CASE(a_sphere_rolls_down_a_gentle_incline) {
  // tan(angle) < 3.5 mu. Each step is exact: the contact sticks and force and inertia are constant.
  const double friction = 0.3;
  for (const double tangent : {0.1, 0.5, 1.0}) {
    const double angle = std::atan(tangent);
    const Roll roll = let_go(angle, friction, 5e-3);
    BOOST_TEST(std::abs(roll.acceleration / (5.0 / 7.0 * gravity * std::sin(angle)) - 1.0) <= 1e-10);
    BOOST_TEST(std::abs(roll.last.spin[1] * radius / roll.last.velocity[0] - 1.0) <= 1e-10);
    BOOST_TEST(std::abs(roll.last.position[2] - radius) <= 1e-12);
  }
}

BOOST_AUTO_TEST_CASE(a_sphere_slips_down_a_steep_incline) {
  // tan(angle) > 3.5 mu. On the convex cone a sliding contact hovers at the height h mu |slip|, so the weight's share
  // on it differs by a term of order h while it gets there.
  const double friction = 0.2, step = 1e-3;
  for (const double tangent : {0.8, 1.5}) {
    const double angle = std::atan(tangent);
    const Roll roll = let_go(angle, friction, step);
    const double expected = gravity * (std::sin(angle) - friction * std::cos(angle));
    BOOST_TEST(std::abs(roll.acceleration / expected - 1.0) <= 2e-3);
    const double spin = 2.5 * friction * gravity * std::cos(angle) / radius;  // after one second
    BOOST_TEST(std::abs(roll.last.spin[1] / spin - 1.0) <= 1e-2);
    const double slip = roll.last.velocity[0] - radius * roll.last.spin[1];
    BOOST_TEST(slip > 0.0);
    BOOST_TEST(roll.last.position[2] - radius <= 1.05 * step * friction * slip);
  }
}

BOOST_AUTO_TEST_CASE(free_flight_is_that_of_symplectic_euler) {
  const double h = 5e-3;
  const Vec3 place(0.0, 0.0, 100.0), velocity(3.0, -2.0, 10.0), g(0.0, 0.0, -gravity);
  Simulation simulation(world(), one_sphere(place, velocity, 0.3));
  const int steps = 400;
  for (int k = 0; k < steps; ++k) simulation.step();
  const Body body = only_body(simulation);
  const double time = steps * h;
  BOOST_TEST((velocity_of(body) - (velocity + time * g)).norm() <= 1e-12);
  BOOST_TEST((position_of(body) - (place + time * velocity + 0.5 * h * h * steps * (steps + 1) * g)).norm() <= 1e-11);
  BOOST_TEST(simulation.report().contacts == 0);
}

BOOST_AUTO_TEST_CASE(a_drop_rebounds_by_its_restitution) {
  for (const double restitution : {0.0, 0.5, 1.0}) {
    Simulation simulation(world(), one_sphere({0.0, 0.0, 1.5}, Vec3::Zero(), 0.0, restitution));
    double before = 0.0, after = 0.0;
    for (int k = 0; k < 200; ++k) {
      before = after;
      simulation.step();
      after = only_body(simulation).velocity[2];
      if (after >= 0.0) break;
    }
    BOOST_TEST(before < -4.0);
    BOOST_TEST(std::abs(after + restitution * before) <= 1e-12 * std::abs(before));
  }
}

BOOST_AUTO_TEST_CASE(a_sphere_without_rebound_comes_to_rest_on_the_plane) {
  Simulation simulation(world(), one_sphere({0.0, 0.0, 1.5}, Vec3::Zero(), 0.3));
  for (int k = 0; k < 400; ++k) simulation.step();
  BOOST_TEST(std::abs(only_body(simulation).position[2] - radius) <= 1e-12);
  BOOST_TEST(velocity_of(only_body(simulation)).norm() <= 1e-12);
}

BOOST_AUTO_TEST_CASE(slow_approaches_do_not_rebound) {
  Setup setup = one_sphere({0.0, 0.0, radius}, {0.0, 0.0, -0.09}, 0.0, 1.0);
  Simulation simulation(world(), std::move(setup));
  simulation.step();
  BOOST_TEST(std::abs(only_body(simulation).velocity[2]) <= 1e-14);
}

BOOST_AUTO_TEST_CASE(an_overlap_is_undone_no_faster_than_the_recovery_speed) {
  for (const double recovery : {0.5, 2.0}) {
    Setup setup = one_sphere({0.0, 0.0, 0.6 * radius}, Vec3::Zero(), 0.3);
    setup.step.stabilisation.recovery_speed = recovery;
    Simulation simulation(world(), std::move(setup));
    double fastest = 0.0;
    for (int k = 0; k < 400; ++k) {
      simulation.step();
      fastest = std::max(fastest, only_body(simulation).velocity[2]);
    }
    BOOST_TEST(std::abs(fastest / recovery - 1.0) <= 1e-12);
    BOOST_TEST(std::abs(only_body(simulation).position[2] - radius) <= 1e-6);
  }
}

BOOST_AUTO_TEST_CASE(a_small_overlap_is_undone_in_one_step) {
  Setup setup = one_sphere({0.0, 0.0, radius - 1e-3}, Vec3::Zero(), 0.3);
  Simulation simulation(world(), std::move(setup));
  simulation.step();
  BOOST_TEST(std::abs(only_body(simulation).position[2] - radius) <= 1e-14);
}

BOOST_AUTO_TEST_CASE(a_fast_sphere_does_not_enter_the_wall) {
  // Walls hold at any speed, here up to ten radii a step.
  for (const double restitution : {0.0, 1.0})
    for (const double speed : {10.0, 100.0, 390.0, 1000.0}) {
      Simulation simulation(world(), one_sphere({0.0, 0.0, 6.3}, {0.0, 0.0, -speed}, 0.3, restitution));
      double lowest = 6.0;
      int steps_after_impact = 0;
      for (int k = 0; k < 150 && steps_after_impact < 5; ++k) {
        simulation.step();
        const Body body = only_body(simulation);
        lowest = std::min(lowest, body.position[2]);
        if (body.velocity[2] >= -1.0) ++steps_after_impact;
      }
      BOOST_TEST(steps_after_impact == 5);
      BOOST_TEST(lowest >= radius - 1e-10);
    }
}

BOOST_AUTO_TEST_CASE(a_sphere_slides_inside_a_tube) {
  Body body = unit_sphere(0, {0.3, 0.0, 0.0}, radius);
  Setup setup = make_setup(world(), {body}, {{"tube", model::Tube{Vec3::Zero(), Vec3::UnitY(), 2.0}, 0}}, 0.0);
  Simulation simulation(world(), std::move(setup));
  double overlap = 0.0;
  for (int k = 0; k < 400; ++k) {
    simulation.step();
    const Vec3 place = position_of(only_body(simulation));
    overlap = std::max(overlap, std::hypot(place.x(), place.z()) + radius - 2.0);
    BOOST_TEST(std::abs(place.y()) <= 1e-14);
  }
  BOOST_TEST(overlap <= 1e-3);
}

BOOST_AUTO_TEST_CASE(a_constant_force_and_torque_act_on_their_body_alone) {
  std::vector<Body> bodies{unit_sphere(0, Vec3::Zero(), radius), unit_sphere(1, {3.0, 0.0, 0.0}, radius)};
  bodies[1].inertia[0] *= 2.0;  // torques turn bodies that are no balls about their own axes
  Setup setup = make_setup(world(), bodies, {}, 0.0);
  setup.step.gravity.setZero();
  const Vec3 force(1.0, -2.0, 0.5);
  const Vec3 torque(0.3, 0.0, 0.0);
  setup.forces = {{1, force, torque}};
  Simulation simulation(world(), std::move(setup));
  for (int k = 0; k < 100; ++k) simulation.step();
  const std::vector<Body> after = all_bodies(world(), simulation);
  BOOST_TEST((velocity_of(after[1]) - 0.5 / bodies[1].mass * force).norm() <= 1e-12);
  BOOST_TEST(std::abs(after[1].spin[0] - 0.5 * 0.3 / bodies[1].inertia[0]) <= 1e-12);
  BOOST_TEST(velocity_of(after[0]).norm() == 0.0);
}

BOOST_AUTO_TEST_CASE(drag_lets_a_body_fall_at_its_final_speed) {
  Setup setup = one_sphere({0.0, 0.0, 100.0}, {3.0, 0.0, 0.0}, 0.0);
  setup.step.drag = {2.0, 1.0};
  Simulation simulation(world(), std::move(setup));
  for (int k = 0; k < 2000; ++k) simulation.step();
  BOOST_TEST(std::abs(only_body(simulation).velocity[2] + gravity / 2.0) <= 1e-6);
  BOOST_TEST(std::abs(only_body(simulation).velocity[0]) <= 1e-6);
}
