// Boxes and other shapes in motion: what is known of a few of them, on any number of ranks.
// timeout: 240
#include <algorithm>
#include <cmath>
#include <numbers>

#include "scree/model/shape.hpp"
#include "support/motion.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using dynamics::Setup;
using dynamics::Simulation;
using model::Body;
using model::Mat3;
using model::Quat;
using model::Vec3;

namespace {

constexpr double step = 5e-3, density = 2000.0;

using ShapeTable = std::shared_ptr<const std::vector<model::Shape>>;

const ShapeTable& shapes() {
  static const auto all = std::make_shared<const std::vector<model::Shape>>(std::vector<model::Shape>{
      model::make_shape("brick", model::Cuboid{{0.2, 0.1, 0.05}}),
      model::make_shape("cube", model::Cuboid{{0.1, 0.1, 0.1}}), model::make_shape("pill", model::Capsule{0.1, 0.15}),
      model::make_shape("can", model::Cylinder{0.12, 0.1})});
  return all;
}
enum { brick, cube, pill, can };

Body make(std::int64_t id, int shape, const Vec3& position, const Quat& turn = Quat::Identity()) {
  return model::make_body(id, position, turn, *shapes(), shape, density, 0);
}

Setup setup_of(const std::vector<Body>& bodies, std::vector<model::Wall> walls, double friction,
               double restitution = 0.0) {
  Setup setup = make_setup(world(), bodies, std::move(walls), friction, restitution);
  setup.bodies.shapes = shapes();
  return setup;
}

Quat about(const Vec3& axis, double angle) { return Quat(Eigen::AngleAxisd(angle, axis.normalized())); }

Vec3 angular_momentum(const std::vector<Body>& bodies) {
  Vec3 sum = Vec3::Zero();
  for (const Body& body : bodies) {
    const Mat3 R = Quat(body.attitude).toRotationMatrix();
    sum += body.mass * position_of(body).cross(velocity_of(body)) +
           R * Vec3(body.inertia).asDiagonal() * R.transpose() * spin_of(body);
  }
  return sum;
}

/// How far the farthest body has moved between two states (m).
double drift(const std::vector<Body>& before, const std::vector<Body>& after) {
  double largest = 0.0;
  for (std::size_t k = 0; k < before.size(); ++k)
    largest = std::max(largest, (position_of(after[k]) - position_of(before[k])).norm());
  return largest;
}

/// Bricks in rows of three and two by turns, as the paper's wall. The outer bricks of three lie with their centres just
/// beyond the row below: those above hold them, so a row of two is the last.
std::vector<Body> brick_wall(int rows) {
  std::vector<Body> bodies;
  const double gap = 2e-3;
  for (int row = 0; row < rows; ++row) {
    const int count = row % 2 == 0 ? 3 : 2;
    for (int k = 0; k < count; ++k)
      bodies.push_back(make(std::ssize(bodies), brick, {(0.4 + gap) * (k - 0.5 * (count - 1)), 0.0, 0.05 + 0.1 * row}));
  }
  return bodies;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_box_rests_on_four_points_that_carry_its_weight_alike) {
  Simulation simulation(world(), setup_of({make(0, brick, {0.0, 0.0, 0.05})}, {floor_wall()}, 0.5));
  for (int k = 0; k < 20; ++k) simulation.step();
  std::vector<double> normal;
  for (const auto& contact : simulation.contacts().contacts) normal.push_back(-simulation.impulse_of(contact).z());
  normal = gathered(world(), normal);
  BOOST_TEST_REQUIRE(normal.size() == 4);
  double sum = 0.0;
  for (const double x : normal) sum += x;
  const double weight = density * 0.008 * 9.81 * step;
  BOOST_TEST(std::abs(sum / weight - 1.0) <= 1e-9);
  const Body now = all_bodies(world(), simulation).at(0);
  BOOST_TEST((position_of(now) - Vec3(0.0, 0.0, 0.05)).norm() <= 1e-9);
  BOOST_TEST(spin_of(now).norm() <= 1e-9);
}

BOOST_AUTO_TEST_CASE(a_box_that_stands_on_a_corner_falls_over_and_comes_to_rest) {
  const Quat turn = about({1.0, 0.3, 0.1}, 0.6);
  Simulation simulation(world(), setup_of({make(0, brick, {0.0, 0.0, 0.3}, turn)}, {floor_wall()}, 0.5));
  double energy = 1e300;
  for (int k = 0; k < 500; ++k) energy = simulation.step().kinetic_energy;
  const Body now = all_bodies(world(), simulation).at(0);
  BOOST_TEST(energy <= 1e-8);
  const Vec3 up = Quat(now.attitude).conjugate() * Vec3::UnitZ();
  const double height = std::abs(up.z()) > 0.9 ? 0.05 : std::abs(up.y()) > 0.9 ? 0.1 : 0.2;
  BOOST_TEST(up.cwiseAbs().maxCoeff() >= 1.0 - 1e-6);
  BOOST_TEST(std::abs(now.position[2] - height) <= 1e-4);
}

BOOST_AUTO_TEST_CASE(a_brick_wall_stands_and_starts_each_step_warm) {
  const auto bodies = brick_wall(6);
  const auto iterations_at_rest = [&](bool warm) {
    Setup setup = setup_of(bodies, {floor_wall()}, 0.6);
    setup.solver.stop = {.tolerance = 1e-8, .max_iterations = 2000};
    setup.step.warm_start = warm;
    Simulation simulation(world(), std::move(setup));
    int iterations = 0;
    for (int k = 0; k < 60; ++k) {
      const auto report = simulation.step();
      if (k >= 40) iterations += report.iterations;
    }
    const double moved = drift(bodies, all_bodies(world(), simulation));
    BOOST_TEST(moved <= 1e-5, moved << " m");
    return iterations;
  };
  const int warm = iterations_at_rest(true), cold = iterations_at_rest(false);
  BOOST_TEST(3 * warm <= cold, warm << " iterations in 20 steps, without memory " << cold);
}

BOOST_AUTO_TEST_CASE(momentum_and_angular_momentum_stay_in_a_collision) {
  std::vector<Body> bodies{make(0, brick, {-0.35, 0.02, 0.01}, about({0.0, 1.0, 1.0}, 0.4)),
                           make(1, cube, {0.0, 0.0, 0.0}, about({1.0, 1.0, 0.0}, 0.7)),
                           make(2, pill, {0.4, 0.1, -0.03}, about({1.0, 0.0, 0.0}, 1.2)),
                           make(3, can, {0.05, 0.35, 0.02}, about({0.0, 0.0, 1.0}, 0.2)),
                           model::make_sphere(4, {0.0, -0.4, 0.0}, 0.12, density, 0)};
  set_velocity(bodies[0], {2.0, 0.1, 0.0});
  set_velocity(bodies[2], {-3.0, 0.0, 0.4});
  set_velocity(bodies[3], {0.0, -2.0, 0.0});
  set_velocity(bodies[4], {0.0, 3.0, 0.2});
  set_spin(bodies[0], {3.0, -2.0, 5.0});
  set_spin(bodies[2], {0.0, 6.0, -1.0});
  for (const double restitution : {0.0, 0.5}) {
    Setup setup = setup_of(bodies, {}, 0.4, restitution);
    setup.step.gravity.setZero();
    Simulation simulation(world(), std::move(setup));
    double momentum_scale = 0.0;
    Vec3 momentum = Vec3::Zero();
    for (const Body& body : bodies) {
      momentum_scale += body.mass * velocity_of(body).norm();
      momentum += body.mass * velocity_of(body);
    }
    const Vec3 turning = angular_momentum(bodies);
    double before = 1e300;
    int touched = 0;
    for (int k = 0; k < 60; ++k) {
      const auto report = simulation.step();
      touched += report.contacts > 0 ? 1 : 0;
      BOOST_TEST((report.momentum - momentum).norm() <= 1e-12 * momentum_scale);
      if (restitution == 0.0) BOOST_TEST(report.kinetic_energy <= before * (1.0 + 1e-3), "step " << k);
      before = report.kinetic_energy;
    }
    BOOST_TEST(touched >= 3);
    // Attitudes are integrated to first order in the step, contacts keep angular momentum to rounding.
    BOOST_TEST((angular_momentum(all_bodies(world(), simulation)) - turning).norm() <= 0.03 * turning.norm());
  }
}

BOOST_AUTO_TEST_CASE(a_run_is_the_same_on_any_number_of_ranks) {
  std::vector<Body> bodies = brick_wall(4);
  bodies.push_back(make(std::ssize(bodies), can, {0.1, 0.0, 0.6}));
  bodies.push_back(model::make_sphere(std::ssize(bodies), {-0.2, 0.02, 0.6}, 0.1, density, 0));
  const parallel::Comm self(MPI_COMM_SELF);
  Setup alone = make_setup(self, bodies, {floor_wall()}, 0.5);
  alone.bodies.shapes = shapes();
  Simulation one(self, std::move(alone)), many(world(), setup_of(bodies, {floor_wall()}, 0.5));
  for (int k = 0; k < 20; ++k) {
    const auto a = one.step(), b = many.step();
    BOOST_TEST(a.contacts == b.contacts, "step " << k);
  }
  const auto a = all_bodies(self, one), b = all_bodies(world(), many);
  const double apart = drift(a, b);
  BOOST_TEST(apart <= 1e-6, apart << " m");
}

BOOST_AUTO_TEST_CASE(a_block_on_an_incline_sticks_or_slides_as_friction_has_it) {
  constexpr double mu = 0.5;
  for (const double share : {0.99, 1.01}) {
    const double angle = std::atan(share * mu);
    const Vec3 normal(std::sin(angle), 0.0, std::cos(angle)), downhill(std::cos(angle), 0.0, -std::sin(angle));
    const model::Wall plane{"incline", model::Plane{Vec3::Zero(), normal}, 0};
    const std::vector<Body> bodies{make(0, brick, 0.05 * normal, about(Vec3::UnitY(), angle))};
    Setup setup = setup_of(bodies, {plane}, mu);
    setup.solver.law = problem::Law::coulomb;
    Simulation simulation(world(), std::move(setup));
    constexpr int steps = 200;
    for (int k = 0; k < steps; ++k) simulation.step();
    const auto now = all_bodies(world(), simulation);
    const double way = downhill.dot(position_of(now[0]) - position_of(bodies[0]));
    const double acceleration = 9.81 * (std::sin(angle) - mu * std::cos(angle));
    const double expected = share < 1.0 ? 0.0 : 0.5 * acceleration * steps * (steps + 1) * step * step;
    BOOST_TEST(std::abs(way - expected) <= 1e-8 + 1e-3 * expected, share << ": " << way << " m, not " << expected);
    BOOST_TEST(std::abs(normal.dot(position_of(now[0])) - 0.05) <= 1e-8);
  }
}

BOOST_AUTO_TEST_CASE(a_cylinder_rolls_down_an_incline_as_its_inertia_has_it) {
  const double angle = 0.2;
  const Vec3 normal(std::sin(angle), 0.0, std::cos(angle)), downhill(std::cos(angle), 0.0, -std::sin(angle));
  const model::Wall plane{"incline", model::Plane{Vec3::Zero(), normal}, 0};
  const std::vector<Body> bodies{make(0, can, 0.12 * normal, about(Vec3::UnitX(), 0.5 * std::numbers::pi))};
  Setup setup = setup_of(bodies, {plane}, 0.8);
  setup.step.step = 1e-3;
  Simulation simulation(world(), std::move(setup));
  for (int k = 0; k < 200; ++k) simulation.step();
  const double speed = downhill.dot(velocity_of(all_bodies(world(), simulation).at(0)));
  const double expected = 0.2 * 9.81 * std::sin(angle) * 2.0 / 3.0;  // a solid cylinder: I = m r^2 / 2
  BOOST_TEST(std::abs(speed / expected - 1.0) <= 0.01, speed << " m/s, not " << expected);
}

BOOST_AUTO_TEST_CASE(a_heavy_plate_on_spheres_of_every_rank_presses_its_weight_on_the_floor) {
  // 16 t on 289 spheres of 8 kg: the plate spans all ranks.
  constexpr double radius = 0.1, mass = 16000.0;
  const auto plates = std::make_shared<const std::vector<model::Shape>>(
      std::vector<model::Shape>{model::make_shape("plate", model::Cylinder{2.5, 0.05})});
  std::vector<Body> bodies{model::make_body(0, {0.0, 0.0, 2.0 * radius + 0.05}, Quat::Identity(), *plates, 0, 1.0, 0)};
  const double scale = mass / bodies[0].mass;
  bodies[0].mass = mass;
  for (double& moment : bodies[0].inertia) moment *= scale;
  for (int x = -8; x <= 8; ++x)
    for (int y = -8; y <= 8; ++y)
      bodies.push_back(model::make_sphere(std::ssize(bodies), {0.21 * x, 0.21 * y, radius}, radius, density, 0));
  Setup setup = make_setup(world(), bodies, {floor_wall()}, 0.5);
  setup.bodies.shapes = plates;
  setup.solver.stop = {.tolerance = 1e-7, .max_iterations = 5000};
  Simulation simulation(world(), std::move(setup));
  double weight = 0.0;
  for (const Body& body : bodies) weight += step * gravity * body.mass;
  for (int k = 0; k < 20; ++k) {
    BOOST_TEST(simulation.step().converged, "step " << k);
    const double pressed = -impulse_on_walls(simulation).z();
    BOOST_TEST(std::abs(pressed / weight - 1.0) <= 1e-3, "step " << k << ": " << pressed / weight);
  }
  BOOST_TEST(drift(bodies, all_bodies(world(), simulation)) <= 1e-5);
  BOOST_TEST(simulation.report().max_penetration <= 1e-5);
}
