// Joints whose motion is known in closed form.
// timeout: 300
#include <cmath>
#include <numbers>
#include <string>

#include "scree/parallel/error.hpp"
#include "support/mechanism.hpp"

using namespace scree;
using namespace scree::test;
using dynamics::Setup;
using dynamics::Simulation;
using dynamics::StabilisationKind;
using model::Body;
using model::Joint;
using model::JointKind;
using model::make_joint;
using model::Vec3;

namespace {

constexpr double pi = std::numbers::pi;

}  // namespace

BOOST_AUTO_TEST_CASE(momentum_is_exact_with_joints) {
  std::vector<Body> bodies;
  Dice dice(3);
  for (int k = 0; k < 12; ++k) {
    bodies.push_back(unit_sphere(k, {1.3 * (k % 4), 1.3 * (k / 4), 0.1 * k}));
    set_velocity(bodies.back(), 2.0 * dice.vector());
    set_spin(bodies.back(), 2.0 * dice.vector());
  }
  std::vector<Joint> joints;
  for (int k = 0; k + 1 < 12; ++k) {
    const auto kind = model::joint_kinds()[static_cast<std::size_t>(k) % 5].kind;
    const Vec3 a = position_of(bodies[k]), b = position_of(bodies[k + 1]);
    const bool is_distance = kind == JointKind::distance;
    joints.push_back(make_joint(k, kind, bodies[k], &bodies[k + 1],
                                {is_distance ? a : Vec3(0.5 * (a + b)), is_distance ? b : Vec3(0.5 * (a + b)),
                                 Vec3(dice.vector().normalized())}));
  }
  Setup setup = without_gravity(make_mechanism(bodies, joints));
  setup.solver.stop = {.tolerance = 1e-4, .max_iterations = 60};  // exact however well it is solved
  Simulation simulation(world(), std::move(setup));
  const auto momenta = [](const std::vector<Body>& all) {
    Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
    for (const Body& body : all) {
      linear += body.mass * velocity_of(body);
      angular += body.mass * position_of(body).cross(velocity_of(body)) + body.inertia[0] * spin_of(body);
    }
    return std::pair(linear, angular);
  };
  const auto [linear, angular] = momenta(all_bodies(world(), simulation));
  for (int step = 0; step < 50; ++step) simulation.step();
  const auto [linear_now, angular_now] = momenta(all_bodies(world(), simulation));
  BOOST_TEST((linear_now - linear).norm() <= 1e-12 * linear.norm());
  BOOST_TEST((angular_now - angular).norm() <= 1e-12 * angular.norm());
}

BOOST_AUTO_TEST_CASE(limits_of_a_hinge_hold) {
  auto [body, joint] = pendulum(JointKind::hinge, 1.0, 0.0);
  joint.lower = -0.5;
  joint.upper = 0.3;
  for (const double side : {1.0, -1.0}) {
    Setup setup = make_mechanism({body}, {joint});
    setup.step.gravity = side * Vec3(gravity, 0.0, 0.0);  // a turn about +y moves the bob to -x
    Simulation simulation(world(), std::move(setup));
    double lowest = 0.0, highest = 0.0;
    for (int step = 0; step < 250; ++step) {
      simulation.step();
      const double angle = all_joints(simulation)[0].angle;
      lowest = std::min(lowest, angle);
      highest = std::max(highest, angle);
    }
    BOOST_TEST(lowest >= -0.5 - 1e-6);
    BOOST_TEST(highest <= 0.3 + 1e-6);
    BOOST_TEST(std::abs(all_joints(simulation)[0].angle - (side > 0.0 ? -0.5 : 0.3)) <= 1e-6);
  }
}

BOOST_AUTO_TEST_CASE(a_motor_reaches_its_speed_with_limited_torque_and_turns_until_its_limit) {
  const Body body = small_sphere(0, {0.2, 0.1, 0.3});
  Joint joint = make_joint(0, JointKind::hinge, body, nullptr, position_of(body), Vec3(1.0, 2.0, 2.0) / 3.0);
  joint.motor_speed = 8.0;
  joint.motor_limit = 0.04;  // N m: 10 rad/s^2
  joint.upper = 3.0 * pi;
  Simulation simulation(world(), without_gravity(make_mechanism({body}, {joint})));
  const Vec3 axis = Vec3(1.0, 2.0, 2.0) / 3.0;
  for (int step = 1; step <= 240; ++step) {
    simulation.step();
    const Vec3 spin = spin_of(all_bodies(world(), simulation)[0]);
    BOOST_TEST((spin - std::min(10.0 * 5e-3 * step, 8.0) * axis).norm() <= 1e-9,
               "step " << step << ": " << spin.transpose());
  }
  for (int step = 0; step < 400; ++step) simulation.step();
  BOOST_TEST(std::abs(all_joints(simulation)[0].angle - 3.0 * pi) <= 1e-6);
  BOOST_TEST(spin_of(all_bodies(world(), simulation)[0]).norm() <= 1e-9);
}

BOOST_AUTO_TEST_CASE(a_slider_is_driven_along_its_axis_to_its_limit) {
  const Body body = small_sphere(0, {0.0, 0.0, 0.0});
  const Vec3 axis = Vec3(1.0, 0.0, 1.0).normalized();
  Joint joint = make_joint(0, JointKind::slider, body, nullptr, Vec3::Zero(), axis);
  joint.motor_speed = 1.0;
  joint.motor_limit = gravity;  // along the slope it has to lift g / sqrt(2)
  joint.lower = -1.0;
  joint.upper = 0.5;
  Simulation simulation(world(), make_mechanism({body}, {joint}));
  const double acceleration = gravity * (1.0 - std::sqrt(0.5));
  for (int step = 1; step <= 100; ++step) {
    simulation.step();
    const Vec3 velocity = velocity_of(all_bodies(world(), simulation)[0]);
    BOOST_TEST((velocity - std::min(acceleration * 5e-3 * step, 1.0) * axis).norm() <= 1e-9,
               "step " << step << ": " << velocity.transpose());
  }
  for (int step = 0; step < 200; ++step) simulation.step();
  BOOST_TEST((position_of(all_bodies(world(), simulation)[0]) - 0.5 * axis).norm() <= 1e-6);
}

BOOST_AUTO_TEST_CASE(glued_spheres_roll_as_one) {
  // Side by side on a slope they roll like one sphere: a = 5/7 g sin(slope).
  constexpr double slope = 0.2;
  const std::vector<Body> bodies = {unit_sphere(0, {0.0, 0.0, 0.5}), unit_sphere(1, {0.0, 0.9, 0.5})};
  const Joint joint = make_joint(0, JointKind::fixed, bodies[0], &bodies[1], {0.0, 0.45, 0.5});
  Setup setup = make_mechanism(bodies, {joint}, {floor_wall()}, 0.5);
  setup.step.gravity = gravity * Vec3(std::sin(slope), 0.0, -std::cos(slope));
  Simulation simulation(world(), std::move(setup));
  dynamics::StepReport report;
  for (int step = 0; step < 200; ++step) report = simulation.step();
  const auto after = all_bodies(world(), simulation);
  const double expected = 5.0 / 7.0 * gravity * std::sin(slope) * report.time;
  for (const Body& body : after) {
    BOOST_TEST((velocity_of(body) - Vec3(expected, 0.0, 0.0)).norm() <= 1e-3 * expected);
    BOOST_TEST((spin_of(body) - Vec3(0.0, expected / 0.5, 0.0)).norm() <= 1e-3 * expected / 0.5);
  }
  BOOST_TEST(report.contacts == 2);  // each with the floor; they overlap, but do not touch each other
  BOOST_TEST(report.max_joint_gap <= 1e-6);
}

BOOST_AUTO_TEST_CASE(glued_spheres_collide_if_they_are_told_to) {
  const std::vector<Body> bodies = {unit_sphere(0, {0.0, 0.0, 0.5}), unit_sphere(1, {0.0, 1.0, 0.5})};
  Joint joint = make_joint(0, JointKind::ball, bodies[0], &bodies[1], {0.0, 0.5, 0.5});
  for (const bool collide : {false, true}) {
    joint.collides = collide ? 1 : 0;
    Simulation simulation(world(), make_mechanism(bodies, {joint}, {floor_wall()}));
    BOOST_TEST(simulation.step().contacts == (collide ? 3 : 2));
  }
}

BOOST_AUTO_TEST_CASE(a_compliant_joint_stretches_by_what_hangs_on_it) {
  for (const auto& [kind, name] : dynamics::stabilisations()) {
    const Body body = small_sphere(0, {0.0, 0.0, -1.0});
    Joint joint = make_joint(0, JointKind::distance, body, nullptr, model::JointPlace{position_of(body), Vec3::Zero()});
    joint.compliance = 1e-3;
    joint.damping = 0.05;
    Setup setup = make_mechanism({body}, {joint});
    setup.step.stabilisation.kind = kind;
    Simulation simulation(world(), std::move(setup));
    for (int step = 0; step < 800; ++step) simulation.step();
    const double stretch = -position_of(all_bodies(world(), simulation)[0]).z() - 1.0;
    BOOST_TEST(std::abs(stretch - 1e-3 * body.mass * gravity) <= 1e-7, name << " stretches by " << stretch);
  }
}

BOOST_AUTO_TEST_CASE(a_rope_is_slack_until_it_is_taut) {
  const Body body = small_sphere(0, {0.0, 0.0, -0.5});
  Joint joint = make_joint(0, JointKind::distance, body, nullptr, model::JointPlace{position_of(body), Vec3::Zero()});
  joint.lower = 0.0;
  joint.upper = 1.0;
  Simulation simulation(world(), make_mechanism({body}, {joint}));
  double longest = 0.0;
  for (int step = 1; step <= 200; ++step) {
    simulation.step();
    const double length = -position_of(all_bodies(world(), simulation)[0]).z();
    longest = std::max(longest, length);
    if (step == 20) BOOST_TEST(std::abs(length - 0.5 - gravity * 0.5 * 20 * 21 * 25e-6) <= 1e-12);
  }
  BOOST_TEST(longest <= 1.0 + 1e-9);
  BOOST_TEST(longest >= 1.0 - 1e-9);
}

BOOST_AUTO_TEST_CASE(a_joint_without_its_body_is_an_error) {
  const Body body = small_sphere(0, Vec3::Zero());
  Joint joint = make_joint(7, JointKind::ball, body, nullptr, Vec3::UnitX());
  joint.second = 99;
  const auto names_it = [](const StateError& error) { return std::string(error.what()).starts_with("joint 7:"); };
  BOOST_CHECK_EXCEPTION(Simulation(world(), make_mechanism({body}, {joint})), StateError, names_it);
}
