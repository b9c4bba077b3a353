// Two spheres meet: momentum and Newton's law of impact.
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

/// Two spheres of different mass on either side of a boundary between cells of the search, so that they are at home on
/// two ranks where there are two.
struct Pair {
  Body a, b;
};

Pair meeting(const Vec3& offset, const Vec3& velocity_a, const Vec3& velocity_b) {
  Pair pair{model::make_sphere(0, -0.55 * Vec3::UnitX(), 0.5, 2.0, 0),
            model::make_sphere(1, 0.55 * Vec3::UnitX() + offset, 0.5, 7.0, 0)};
  set_velocity(pair.a, velocity_a);
  set_velocity(pair.b, velocity_b);
  return pair;
}

struct Impact {
  Pair before, after;
  Vec3 normal;   ///< from a to b at the step of the impact
  double gap;    ///< m
  Vec3 impulse;  ///< on b (N s)
};

Vec3 relative_velocity(const Pair& pair) { return velocity_of(pair.b) - velocity_of(pair.a); }

/// Steps until the spheres no longer approach each other. (On the convex cone, friction may begin to act a moment
/// before the surfaces meet; the step of the impact is the last one.)
Impact collide(const Pair& pair, double friction, double restitution) {
  Setup setup = make_setup(world(), {pair.a, pair.b}, {}, friction, restitution);
  setup.step.gravity.setZero();
  setup.step.step = 1e-3;
  Simulation simulation(world(), std::move(setup));
  for (int k = 0; k < 500; ++k) {
    const auto before = all_bodies(world(), simulation);
    simulation.step();
    const auto after = all_bodies(world(), simulation);
    Vec3 impulse = Vec3::Zero();
    for (const auto& contact : simulation.contacts().contacts) impulse += simulation.impulse_of(contact);
    world().sum({impulse.data(), 3});
    const Vec3 line = position_of(before[1]) - position_of(before[0]);
    const Impact impact{{before[0], before[1]}, {after[0], after[1]}, line.normalized(), line.norm() - 1.0, impulse};
    if (impact.normal.dot(relative_velocity(impact.after)) >= -1e-12) return impact;
  }
  BOOST_FAIL("the spheres never met");
  return {pair, pair, Vec3::UnitX(), 0.0, Vec3::Zero()};
}

Vec3 momentum(const Pair& pair) { return pair.a.mass * velocity_of(pair.a) + pair.b.mass * velocity_of(pair.b); }

/// About the origin, at the positions of `at`: impulses act there.
Vec3 angular_momentum(const Pair& pair, const Pair& at) {
  const auto of = [](const Body& body, const Body& place) -> Vec3 {
    return position_of(place).cross(body.mass * velocity_of(body)) + body.inertia[0] * spin_of(body);
  };
  return of(pair.a, at.a) + of(pair.b, at.b);
}

double energy(const Pair& pair) {
  const auto of = [](const Body& body) {
    return 0.5 * body.mass * velocity_of(body).squaredNorm() + 0.5 * body.inertia[0] * spin_of(body).squaredNorm();
  };
  return of(pair.a) + of(pair.b);
}

void check_balance(const Impact& impact) {
  const double scale = impact.before.a.mass * velocity_of(impact.before.a).norm() +
                       impact.before.b.mass * velocity_of(impact.before.b).norm();
  BOOST_TEST((momentum(impact.after) - momentum(impact.before)).norm() <= 1e-12 * scale);
  const Vec3 gained = impact.after.b.mass * (velocity_of(impact.after.b) - velocity_of(impact.before.b));
  BOOST_TEST((gained - impact.impulse).norm() <= 1e-12 * scale);
  // The impulses on the two surfaces are a gap apart, so a tangential impulse turns the pair by gap n x p, no more.
  const Vec3 turned = angular_momentum(impact.after, impact.before) - angular_momentum(impact.before, impact.before);
  BOOST_TEST((turned - impact.gap * impact.normal.cross(impact.impulse)).norm() <= 1e-12 * scale);
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_pair_is_at_home_on_two_ranks) {
  const Pair pair = meeting(Vec3::Zero(), Vec3::Zero(), Vec3::Zero());
  const Simulation simulation(world(), make_setup(world(), {pair.a, pair.b}, {}, 0.0));
  BOOST_TEST(simulation.owned_spread().max == (world().size() > 1 ? 1 : 2));
}

BOOST_AUTO_TEST_CASE(central_impacts_follow_newtons_law) {
  for (const double restitution : {0.0, 0.5, 1.0})
    for (const double friction : {0.0, 0.4}) {
      const Impact impact = collide(meeting(Vec3::Zero(), {2.0, 0.0, 0.0}, {-1.0, 0.0, 0.0}), friction, restitution);
      check_balance(impact);
      const Vec3 expected = -restitution * relative_velocity(impact.before);
      BOOST_TEST((relative_velocity(impact.after) - expected).norm() <= 1e-12 * 3.0);
      BOOST_TEST(spin_of(impact.after.a).norm() == 0.0);
      if (restitution == 1.0) BOOST_TEST(std::abs(energy(impact.after) / energy(impact.before) - 1.0) <= 1e-12);
    }
}

BOOST_AUTO_TEST_CASE(oblique_smooth_impacts_change_the_normal_velocity_only) {
  for (const double restitution : {0.0, 0.3, 1.0}) {
    const Impact impact = collide(meeting({0.0, 0.4, 0.2}, {2.0, 0.1, 0.0}, {-1.0, 0.0, 0.3}), 0.0, restitution);
    check_balance(impact);
    const Vec3 before = relative_velocity(impact.before), after = relative_velocity(impact.after);
    const Vec3& n = impact.normal;
    BOOST_TEST(std::abs(n.dot(after) + restitution * n.dot(before)) <= 1e-12 * before.norm());
    BOOST_TEST((after - n.dot(after) * n - (before - n.dot(before) * n)).norm() <= 1e-12 * before.norm());
    BOOST_TEST(spin_of(impact.after.a).norm() == 0.0);
    BOOST_TEST(spin_of(impact.after.b).norm() == 0.0);
  }
}

BOOST_AUTO_TEST_CASE(oblique_rough_impacts_stick_or_slide) {
  // Much friction: the surfaces stop sliding. The sign: what rolls off on a turns b the same way.
  const Impact stuck = collide(meeting({0.0, 0.1, 0.0}, {2.0, 0.0, 0.0}, {-1.0, 0.0, 0.0}), 2.0, 0.5);
  check_balance(stuck);
  const Vec3& n = stuck.normal;
  const Vec3 surface =
      relative_velocity(stuck.after) - (0.5 * spin_of(stuck.after.a) + 0.5 * spin_of(stuck.after.b)).cross(n);
  BOOST_TEST((surface - n.dot(surface) * n).norm() <= 1e-12 * 3.0);
  BOOST_TEST(std::abs(n.dot(surface) + 0.5 * n.dot(relative_velocity(stuck.before))) <= 1e-12 * 3.0);
  BOOST_TEST(spin_of(stuck.after.a).z() * spin_of(stuck.after.b).z() > 0.0);

  // Little friction: the impulse lies on the cone, against the sliding.
  const double mu = 0.05;
  const Impact slid = collide(meeting({0.0, 0.6, 0.0}, {2.0, 0.0, 0.0}, {-1.0, 0.0, 0.0}), mu, 0.5);
  check_balance(slid);
  const double normal = slid.normal.dot(slid.impulse);
  const Vec3 tangential = slid.impulse - normal * slid.normal;
  BOOST_TEST(normal > 0.0);
  BOOST_TEST(std::abs(tangential.norm() / (mu * normal) - 1.0) <= 1e-10);
  const Vec3 before = relative_velocity(slid.before);
  BOOST_TEST(tangential.dot(before - slid.normal.dot(before) * slid.normal) < 0.0);
  BOOST_TEST(energy(slid.after) < energy(slid.before));
}

BOOST_AUTO_TEST_CASE(light_and_heavy_bodies_keep_the_balance) {
  Pair pair = meeting(Vec3::Zero(), {5.0, 0.0, 0.0}, Vec3::Zero());
  pair.b.mass *= 1e6;
  for (double& moment : pair.b.inertia) moment *= 1e6;
  const Impact impact = collide(pair, 0.3, 1.0);
  check_balance(impact);
  BOOST_TEST((relative_velocity(impact.after) + relative_velocity(impact.before)).norm() <= 1e-12 * 5.0);
}
