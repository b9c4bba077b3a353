// Walls with a prescribed motion: spheres on shakers, belts and drums follow what is known in closed form.
// timeout: 240
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "support/frozen.hpp"
#include "support/motion.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using dynamics::Setup;
using dynamics::Simulation;
using model::Body;
using model::Vec3;
using model::Wall;
using model::WallMotion;

namespace {

constexpr double radius = 0.5;

Wall moving_floor(const WallMotion& motion) {
  Wall wall = floor_wall();
  wall.motion = motion;
  return wall;
}

/// A sphere that lies on the floor z = 0.
Setup sphere_on(const Wall& floor, double friction) {
  return make_setup(world(), {unit_sphere(0, {0.0, 0.0, radius}, radius)}, {floor}, friction);
}

Body only_body(const Simulation& simulation) { return all_bodies(world(), simulation).at(0); }

}  // namespace

BOOST_AUTO_TEST_CASE(a_sphere_rides_on_a_gentle_shaker) {
  // Less than g at the turning points: the sphere never leaves the floor, whatever the step.
  const WallMotion shake{.amplitude = {0.0, 0.0, 0.02}, .frequency = 3.0, .phase = 0.4};
  Simulation simulation(world(), sphere_on(moving_floor(shake), 0.3));
  for (int k = 1; k <= 400; ++k) {
    const Vec3 before = velocity_of(only_body(simulation));
    const auto report = simulation.step();
    const Body body = only_body(simulation);
    BOOST_TEST(std::abs(body.position[2] - radius - shake.travel(report.time).z()) <= 1e-12, "step " << k);
    const Vec3 expected = body.mass * (before + Vec3(0.0, 0.0, -gravity * 5e-3) - velocity_of(body));
    BOOST_TEST((impulse_on_walls(simulation) - expected).norm() <= 1e-12);
  }
  BOOST_TEST(simulation.searches() < 100);
}

BOOST_AUTO_TEST_CASE(a_hard_shaker_throws_the_sphere_with_the_speed_it_had) {
  // The floor falls back faster than g from the phase where g = a omega^2 sin(omega t) on.
  const WallMotion shake{.amplitude = {0.0, 0.0, 0.05}, .frequency = 5.0};
  const double omega = 2.0 * std::numbers::pi * shake.frequency, a = shake.amplitude.z();
  const double leaves = std::asin(gravity / (a * omega * omega)) / omega, h = 1e-4;
  Setup setup = sphere_on(moving_floor(shake), 0.0);
  setup.step.step = h;
  Simulation simulation(world(), std::move(setup));
  const double time = leaves + 0.05;
  for (int k = 0; k < std::lround(time / h); ++k) simulation.step();
  const double flight = simulation.report().time - leaves;
  const double expected = radius + a * std::sin(omega * leaves) + a * omega * std::cos(omega * leaves) * flight -
                          0.5 * gravity * flight * flight;
  BOOST_TEST(std::abs(only_body(simulation).position[2] - expected) <= 1e-4);
  BOOST_TEST(impulse_on_walls(simulation).norm() == 0.0);
}

BOOST_AUTO_TEST_CASE(a_belt_drags_a_sphere_until_it_rolls) {
  // Sliding: mu g, and spin the other way at 5/2 mu g / r. Contact velocities meet at t = v / (7/2 mu g).
  const double friction = 0.2, speed = 2.0, h = 1e-3;
  Setup setup = sphere_on(moving_floor({.belt = {speed, 0.0, 0.0}}), friction);
  setup.step.step = h;
  Simulation simulation(world(), std::move(setup));
  const double rolls = speed / (3.5 * friction * gravity);
  for (int k = 0; k < std::lround(0.5 * rolls / h); ++k) simulation.step();
  // The convex cone lets a sliding contact hover, which costs it weight while it gets there.
  BOOST_TEST(std::abs(only_body(simulation).velocity[0] / (0.5 * friction * gravity * rolls) - 1.0) <= 5e-3);
  for (int k = 0; k < std::lround(2.0 * rolls / h); ++k) simulation.step();
  const Body body = only_body(simulation);
  BOOST_TEST(std::abs(body.velocity[0] - 2.0 / 7.0 * speed) <= 5e-3);
  BOOST_TEST(std::abs(body.velocity[0] - radius * body.spin[1] - speed) <= 1e-6);  // no slip
  BOOST_TEST(std::abs(simulation.walls()[0].motion.belt.x() - speed) == 0.0);
}

BOOST_AUTO_TEST_CASE(a_belt_carries_a_body_that_cannot_roll) {
  // A heavy rim keeps it from turning: it speeds up with mu g until it has the speed of the belt.
  const double friction = 0.3, speed = 1.5, h = 1e-3;
  Body body = unit_sphere(0, {0.0, 0.0, radius}, radius);
  std::fill_n(body.inertia, 3, 1e9);
  Setup setup = make_setup(world(), {body}, {moving_floor({.belt = {speed, 0.0, 0.0}})}, friction);
  setup.step.step = h;
  Simulation simulation(world(), std::move(setup));
  const double reached = speed / (friction * gravity);
  for (int k = 0; k < std::lround(0.5 * reached / h); ++k) simulation.step();
  BOOST_TEST(std::abs(only_body(simulation).velocity[0] / (0.5 * speed) - 1.0) <= 5e-3);
  for (int k = 0; k < std::lround(0.6 * reached / h); ++k) simulation.step();
  BOOST_TEST(std::abs(only_body(simulation).velocity[0] - speed) <= 1e-6);
}

BOOST_AUTO_TEST_CASE(a_drum_spins_up_a_sphere_without_weight) {
  // No gravity, the sphere pressed against the drum by its own circling: in the end it goes round with the drum.
  const double drum = 2.0, spin = 3.0;
  Wall wall{"drum", model::Tube{Vec3::Zero(), Vec3::UnitY(), drum}, 0, {.spin = {0.0, spin, 0.0}}};
  Body body = unit_sphere(0, {drum - radius, 0.0, 0.0}, radius);
  set_velocity(body, spin * Vec3::UnitY().cross(position_of(body)));
  set_spin(body, Vec3(0.0, spin, 0.0));
  Setup setup = make_setup(world(), {body}, {wall}, 0.5);
  setup.step.gravity.setZero();
  setup.step.step = 1e-3;
  Simulation simulation(world(), std::move(setup));
  for (int k = 0; k < 2000; ++k) simulation.step();
  const Body after = only_body(simulation);
  const Vec3 arm = position_of(after);
  BOOST_TEST(std::abs(arm.norm() - (drum - radius)) <= 1e-3);
  const Vec3 contact = velocity_of(after) + spin_of(after).cross(radius * arm.normalized());
  // No slip, seen at the end of a step in which the place of contact moved on by h spin: first order in h.
  BOOST_TEST((contact - spin * Vec3::UnitY().cross(drum * arm.normalized())).norm() <= 1e-2);
  BOOST_TEST(std::abs(spin_of(after).y() - spin) <= 2e-2);
}

BOOST_AUTO_TEST_CASE(a_sphere_at_rest_in_a_drum_stays_where_rolling_balances_it) {
  // With rolling contact and steady spin nothing turns the sphere any more: it rests at the bottom, spinning.
  const double drum = 2.0, spin = 1.0;
  Wall wall{"drum", model::Tube{Vec3::Zero(), Vec3::UnitY(), drum}, 0, {.spin = {0.0, spin, 0.0}}};
  Body body = unit_sphere(0, {0.0, 0.0, radius - drum}, radius);
  set_spin(body, Vec3(0.0, spin * drum / radius, 0.0));
  Simulation simulation(world(), make_setup(world(), {body}, {wall}, 0.5));
  for (int k = 0; k < 400; ++k) simulation.step();
  const Body after = only_body(simulation);
  BOOST_TEST((position_of(after) - position_of(body)).norm() <= 1e-10);
  BOOST_TEST(std::abs(after.spin[1] - spin * drum / radius) <= 1e-10);
  BOOST_TEST(simulation.searches() == 1);  // a drum that turns in itself comes no nearer to anybody
}

BOOST_AUTO_TEST_CASE(no_moving_wall_passes_a_body_by) {
  // A piston, and a paddle that turns about an edge far away, meet a resting sphere at up to several radii a step.
  for (const double speed : {1.0, 30.0, 300.0, 900.0}) {
    const Vec3 place(3.0, 0.0, 0.0);
    const model::Plane face{Vec3::Zero(), Vec3::UnitX()};
    const Wall piston{"piston", face, 0, {.velocity = {speed, 0.0, 0.0}}};
    const Wall paddle{"paddle", face, 0, {.spin = {0.0, speed / 400.0, 0.0}, .pivot = {0.0, 0.0, -400.0}}};
    for (const Wall& wall : {piston, paddle}) {
      Setup setup = make_setup(world(), {unit_sphere(0, place, radius)}, {wall}, 0.0);
      setup.step.gravity.setZero();
      Simulation simulation(world(), std::move(setup));
      const int steps = std::min(200, static_cast<int>(6.0 / (speed * 5e-3)) + 5);
      for (int k = 0; k < steps; ++k) {
        const auto report = simulation.step();
        BOOST_TEST(report.lost_bodies == 0);
      }
      const Body body = only_body(simulation);
      const double gap = gap_to_wall(simulation.walls()[0], position_of(body), radius).gap;
      BOOST_TEST(gap >= -2e-3 * speed * 5e-3 - 1e-9, wall.name << " at " << speed << ": " << gap);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_shaken_box_keeps_its_bed_on_any_number_of_ranks) {
  std::vector<Body> bodies;
  for (int k = 0; k < 60; ++k)
    bodies.push_back(unit_sphere(k, Vec3(k % 4 + 0.5, k / 4 % 3 + 0.5, 1.02 * (k / 12) + 0.52), 0.49));
  auto box = model::container("box", {Vec3::Zero(), Vec3(4.0, 3.0, 8.0)}, 0, true);
  for (Wall& wall : box) wall.motion = {.amplitude = {0.1, 0.0, 0.05}, .frequency = 2.0};
  Setup setup = make_setup(world(), bodies, box, 0.3);
  setup.solver.stop = {.tolerance = 1e-6, .max_iterations = 300};
  Simulation simulation(world(), std::move(setup));
  Vec3 momentum = Vec3::Zero();
  for (int k = 0; k < 200; ++k) {
    const auto report = simulation.step();
    for (const Body& body : bodies) momentum += 5e-3 * body.mass * Vec3(0.0, 0.0, -gravity);
    momentum -= impulse_on_walls(simulation);
    BOOST_TEST((report.momentum - momentum).norm() <= 1e-12 * 60.0 * gravity, "step " << k);
    BOOST_TEST(report.max_penetration <= 0.02);
  }
}

namespace {

/// The floor z = 0 in triangles of this edge, from -5 to 5.
Wall mesh_floor(double edge, const WallMotion& motion = {}) {
  const int squares = static_cast<int>(10.0 / edge);
  std::vector<Vec3> vertices;
  std::vector<model::TriangleMesh::Triangle> triangles;
  for (int y = 0; y <= squares; ++y)
    for (int x = 0; x <= squares; ++x) vertices.emplace_back(edge * x - 5.0, edge * y - 5.0, 0.0);
  for (int y = 0; y < squares; ++y)
    for (int x = 0; x < squares; ++x) {
      const int first = y * (squares + 1) + x, above = first + squares + 1;
      triangles.push_back({first, first + 1, above});
      triangles.push_back({first + 1, above + 1, above});
    }
  return {"mesh", model::MeshSurface{std::make_shared<const model::TriangleMesh>(vertices, triangles)}, 0, motion};
}

std::shared_ptr<const std::vector<model::Shape>> one_shape(const model::Form& form) {
  return std::make_shared<const std::vector<model::Shape>>(std::vector{model::make_shape("shape", form)});
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_mesh_floor_is_a_plane_to_what_rolls_and_slides_on_it) {
  const auto shapes = one_shape(model::Cuboid{{0.3, 0.2, 0.1}});
  const auto run = [&](const Wall& wall) {
    Body rolling = unit_sphere(0, {-2.0, 0.013, radius}, radius),
         sliding = unit_sphere(1, {-2.0, -2.0, radius}, radius);
    set_velocity(rolling, {2.0, 0.3, 0.0});
    set_spin(rolling, Vec3(-0.3, 2.0, 0.0) / radius);
    set_velocity(sliding, {3.0, 0.2, 0.0});  // the convex law lifts what slides a little
    Body box = model::make_body(2, {-2.0, 2.0, 0.1}, model::Quat::Identity(), *shapes, 0, 2000.0, 0);
    set_velocity(box, {3.0, 0.2, 0.0});
    set_spin(box, {0.0, 0.0, 1.0});
    Setup setup = make_setup(world(), {rolling, sliding, box}, {wall}, 0.2);
    setup.bodies.shapes = shapes;
    setup.solver.stop = {.tolerance = 1e-10, .max_iterations = 5000};
    Simulation simulation(world(), std::move(setup));
    for (int k = 0; k < 150; ++k) simulation.step();
    return all_bodies(world(), simulation);
  };
  const auto plane = run(floor_wall()), mesh = run(mesh_floor(0.25));
  for (std::size_t k = 0; k < 3; ++k)
    BOOST_TEST((position_of(plane[k]) - position_of(mesh[k])).norm() <= 1e-8, "body " << k);
  BOOST_TEST(std::abs(mesh[0].position[2] - radius) <= 1e-9);
  BOOST_TEST(mesh[0].position[0] > -1.0);
}

BOOST_AUTO_TEST_CASE(a_mesh_shakes_as_a_plane_does) {
  const WallMotion shake{.amplitude = {0.01, 0.0, 0.02}, .frequency = 3.0, .phase = 0.4};
  Simulation simulation(world(), sphere_on(mesh_floor(2.5, shake), 0.0));
  for (int k = 1; k <= 200; ++k) {
    const auto report = simulation.step();
    BOOST_TEST(std::abs(only_body(simulation).position[2] - radius - shake.travel(report.time).z()) <= 1e-12);
  }
}

BOOST_AUTO_TEST_CASE(a_driven_box_pushes_whatever_is_in_its_way) {
  // It has no mass: a thousand times heavier sphere moves as fast as a light one.
  for (const double mass : {1.0, 1000.0}) {
    const auto shape = std::make_shared<const model::Shape>(model::make_shape("ram", model::Cuboid{{0.2, 1.0, 0.3}}));
    const Wall ram{
        "ram", make_part(shape, {-1.0, 0.0, 0.5}, model::Quat::Identity()), 0, {.velocity = {1.0, 0.0, 0.0}}};
    Body sphere = unit_sphere(0, {0.0, 0.0, radius}, radius);
    sphere.mass *= mass;
    for (double& moment : sphere.inertia) moment *= mass;
    Simulation simulation(world(), make_setup(world(), {sphere}, {floor_wall(), ram}, 0.0));
    for (int k = 0; k < 200; ++k) simulation.step();
    const Body body = only_body(simulation);
    BOOST_TEST(std::abs(body.velocity[0] - 1.0) <= 1e-9);
    // An impact gives the sphere its new speed for all of the step: it may end as far ahead as the ram comes in one.
    const double ahead = body.position[0] - (-1.0 + 0.2 + radius + simulation.report().time);
    BOOST_TEST(ahead >= -1e-9);
    BOOST_TEST(ahead <= 5e-3 + 1e-9);
  }
}

BOOST_AUTO_TEST_CASE(a_roller_that_turns_in_itself_drives_a_box_and_asks_for_no_search) {
  // The box lies on the roller's top and is carried along by friction at mu g until it is as fast as the surface.
  const auto roller = std::make_shared<const model::Shape>(model::make_shape("roller", model::Cylinder{2.0, 1.0}));
  const model::Quat lying(Eigen::AngleAxisd(std::numbers::pi / 2.0, Vec3::UnitX()));
  const WallMotion turning{.spin = {0.0, 0.5, 0.0}, .pivot = {0.0, 0.0, -2.0}};
  const Wall wall{"roller", make_part(roller, {0.0, 0.0, -2.0}, lying), 0, turning};
  const auto shapes = one_shape(model::Cuboid{{0.3, 0.3, 0.1}});
  const Body box = model::make_body(0, {0.0, 0.0, 0.1}, model::Quat::Identity(), *shapes, 0, 2000.0, 0);
  Setup setup = make_setup(world(), {box}, {wall}, 0.3);
  setup.bodies.shapes = shapes;
  setup.solver.law = problem::Law::coulomb;  // the convex law would make it hover at first
  setup.step.step = 2e-3;
  Simulation simulation(world(), std::move(setup));
  for (int k = 0; k < 25; ++k) simulation.step();
  BOOST_TEST(std::abs(only_body(simulation).velocity[0] / (0.3 * gravity * 0.05) - 1.0) <= 0.05);
  BOOST_TEST(simulation.searches() <= 3);
}
