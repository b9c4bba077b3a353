// A block that slides to rest on a plane, by every law of friction: the figures of docs/friction.md.
// Run it with --log_level=message to see them.
// ranks: 1 2 3
#include <cmath>
#include <cstdio>
#include <string>

#include "support/frozen.hpp"
#include "support/motion.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using dynamics::BoundSource;
using dynamics::Setup;
using dynamics::Simulation;
using model::Body;
using model::Vec3;
using problem::Law;

namespace {

constexpr double mu = 0.5, speed = 2.0, step = 5e-3, radius = 0.5;

struct Reading {
  std::string solver = "npgs";
  Law law;
  BoundSource bounds = BoundSource::frictionless;
  double angle = 0.0;  ///< of the direction of sliding, against x
  double gap = 0.0;    ///< at the start (m)
};

struct Slide {
  double pressed = 0.0;   ///< time with an impulse (s)
  double time = 0.0;      ///< until the block moves no more (s)
  double distance = 0.0;  ///< m
  double lift = 0.0;      ///< largest w_n / |w_T| while it slides
  double eq12 = 0.0;      ///< largest |w_n - mu |w_T|| / speed: how far eq. 12 of the convex law is missed
  double rise = 0.0;      ///< largest speed upwards (m/s)
  double height = 0.0;    ///< largest gap (m)
  double sideways = 0.0;  ///< largest speed across the first direction (m/s)
};

/// A sphere that is too heavy to turn is a block. Slides until it rests.
Slide slide(const Reading& reading) {
  const Vec3 along(std::cos(reading.angle), std::sin(reading.angle), 0.0), across(-along.y(), along.x(), 0.0);
  Body body = unit_sphere(0, {0.0, 0.0, radius + reading.gap}, radius);
  std::ranges::fill(body.inertia, 1e12);
  set_velocity(body, speed * along);
  Setup setup = make_setup(world(), {body}, {floor_wall()}, mu);
  setup.step.step = step;
  setup.solver.name = reading.solver;
  setup.solver.law = reading.law;
  setup.solver.bounds = reading.bounds;
  Simulation simulation(world(), std::move(setup));
  Slide result;
  for (int k = 0; k < 400; ++k) {
    const Vec3 before = position_of(all_bodies(world(), simulation).at(0));
    simulation.step();
    const Body now = all_bodies(world(), simulation).at(0);
    const Vec3 velocity = velocity_of(now);
    const Vec3 w(velocity.z() + (before.z() - radius) / step, velocity.x(), velocity.y());  // with the gap in r
    const double sliding = w.tail<2>().norm();
    result.height = std::max(result.height, position_of(now).z() - radius);
    result.rise = std::max(result.rise, velocity.z());
    result.sideways = std::max(result.sideways, std::abs(velocity.dot(across)));
    if (sliding <= 1e-9) break;
    result.time = (k + 1) * step;
    result.distance = position_of(now).dot(along);
    bool pressed = false;
    for (const auto& contact : simulation.contacts().contacts)
      pressed = pressed || simulation.impulse_of(contact).norm() > 0.0;
    if (!world().any(pressed) || sliding <= 0.1) continue;  // in flight; or in the last step, which ends within itself
    result.pressed += step;
    result.lift = std::max(result.lift, w.x() / sliding);
    result.eq12 = std::max(result.eq12, std::abs(w.x() - mu * sliding) / speed);
  }
  return result;
}

void show(const std::string& name, const Slide& s) {
  char line[200];
  std::snprintf(
      line, sizeof line,
      "%-24s time %.3f s (pressed %.3f), distance %.4f m, lift %.2e, height %.2e m, rise %.2e m/s, sideways %.1e",
      name.c_str(), s.time, s.pressed, s.distance, s.lift, s.height, s.rise, s.sideways);
  BOOST_TEST_MESSAGE(line);
}

/// Coulomb's slide in the time steps of the program: v falls by mu g h in each.
double exact_distance() {
  double v = speed, distance = 0.0;
  while (v > 0.0) v = std::max(0.0, v - mu * gravity * step), distance += step * v;
  return distance;
}

}  // namespace

BOOST_AUTO_TEST_CASE(by_coulomb_the_block_stays_on_the_plane) {
  for (const char* solver : {"npgs", "pgs", "adaptive-bounds", "tresca", "de-saxce"}) {
    const Slide s = slide({.solver = solver, .law = Law::coulomb});
    show(std::string("coulomb, ") + solver, s);
    BOOST_TEST(std::abs(s.distance - exact_distance()) <= 1e-9, solver);
    BOOST_TEST(s.height <= 1e-12, solver);
    BOOST_TEST(std::abs(s.lift) <= 1e-10, solver);
  }
}

BOOST_AUTO_TEST_CASE(by_fixed_bounds_it_stays_too) {
  const Slide now = slide({.law = Law::cylinder}),
              last = slide({.law = Law::cylinder, .bounds = BoundSource::last_step});
  show("cylinder, this step", now);
  show("cylinder, last step", last);
  // Without coupling the frictionless solve knows x_n exactly. The last step's bound is missing in the first.
  BOOST_TEST(std::abs(now.distance - exact_distance()) <= 1e-9);
  BOOST_TEST(std::abs(last.distance - exact_distance() - step * speed) <= 0.02);
  for (const Slide& s : {now, last}) {
    BOOST_TEST(s.height <= 1e-12);
    BOOST_TEST(std::abs(s.lift) <= 1e-10);
  }
}

BOOST_AUTO_TEST_CASE(by_the_convex_law_it_lifts_by_equation_12) {
  const double hover = step * mu * speed;  // where w_n = gap / h = mu |w_T|
  const Slide thrown = slide({.law = Law::cone}), hovering = slide({.law = Law::cone, .gap = hover});
  show("cone, from the plane", thrown);
  show("cone, from h mu v above", hovering);
  for (const Slide& s : {thrown, hovering}) {
    BOOST_TEST(s.eq12 <= 1e-11);  // w_n = mu |w_T| in every step with an impulse
    BOOST_TEST(std::abs(s.lift - mu) <= 1e-10);
  }
  // On the plane the law demands the speed mu |w_T| upwards at once, and the block flies; x_n = (g h + mu v) m / (1 +
  // mu^2) brakes it by mu x_n / m.
  const double kick = (gravity * step + mu * speed) / (1.0 + mu * mu);
  BOOST_TEST(std::abs(thrown.rise - mu * (speed - mu * kick)) <= 1e-9);
  BOOST_TEST(std::abs(thrown.height - thrown.rise * thrown.rise / (2.0 * gravity)) <= step * thrown.rise);
  // Above the plane it glides down as it slows, and brakes nearly as it should.
  BOOST_TEST(hovering.height <= hover);
  BOOST_TEST(hovering.pressed >= 0.95 * hovering.time);
  BOOST_TEST(std::abs(hovering.distance / exact_distance() - 1.0) <= 0.02);
}

BOOST_AUTO_TEST_CASE(sections_with_corners_prefer_directions) {
  const double eighth = std::acos(-1.0) / 8.0;
  const Slide along = slide({.law = Law::box}), diagonal = slide({.law = Law::box, .angle = 2.0 * eighth});
  const Slide oblique = slide({.law = Law::box, .angle = 0.3});
  const Slide corner = slide({.law = Law::prism}), facet = slide({.law = Law::prism, .angle = eighth});
  show("box along x", along);
  show("box at 45 degrees", diagonal);
  show("box at 17 degrees", oblique);
  show("prism (8) at a corner", corner);
  show("prism (8) at a facet", facet);
  BOOST_TEST(std::abs(along.distance - exact_distance()) <= 1e-9);
  // Friction is sqrt(2) times as strong across the corners of a square, and cos(pi / 8) as strong across facets.
  BOOST_TEST(std::abs(diagonal.distance / along.distance - std::sqrt(0.5)) <= 0.02);
  BOOST_TEST(oblique.sideways > 0.05);
  BOOST_TEST(std::abs(corner.distance - exact_distance()) <= 1e-9);
  BOOST_TEST(std::abs(facet.distance / corner.distance - 1.0 / std::cos(eighth)) <= 0.02);
}
