// Bodies that fly from rank to rank: no contact is lost, none is found twice, and no body.
// ranks: 1 2 3 4 7 16
// timeout: 240
#include <algorithm>
#include <cmath>
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

using Id = std::pair<std::int64_t, std::int64_t>;

std::vector<Body> flying(unsigned seed, int count, double spread, double speed) {
  std::vector<Body> bodies;
  Dice dice(seed);
  for (int k = 0; k < count; ++k) {
    bodies.push_back(unit_sphere(k, spread * dice.vector(), 0.4 + 0.1 * dice()));
    set_velocity(bodies.back(), speed * dice.vector());
    set_spin(bodies.back(), speed * dice.vector());
  }
  return bodies;
}

/// Oracle: which of all pairs are nearer than the margin, or will be at the end of a step of free flight.
std::vector<Id> expected_contacts(const std::vector<Body>& bodies, double margin, double step) {
  std::vector<Id> ids;
  for (std::size_t a = 0; a < bodies.size(); ++a)
    for (std::size_t b = a + 1; b < bodies.size(); ++b) {
      const Vec3 offset = position_of(bodies[b]) - position_of(bodies[a]), normal = offset.normalized();
      const double gap = offset.norm() - bodies[a].radius - bodies[b].radius;
      const double closing = normal.dot(velocity_of(bodies[a]) - velocity_of(bodies[b]));
      if (gap - step * std::max(0.0, closing) <= margin) ids.emplace_back(bodies[a].id, bodies[b].id);
    }
  return ids;
}

/// Collective: ids of the contacts between bodies in the last step, sorted; duplicates stay.
std::vector<Id> contact_ids(const Simulation& simulation) {
  std::vector<collision::ContactId> own;
  for (const auto& contact : simulation.contacts().contacts)
    if (contact.b >= 0) own.push_back(collision::id_of(simulation.bodies(), contact.a, contact.b));
  std::vector<Id> all;
  for (const auto& id : gathered(world(), own)) all.emplace_back(id.first, id.second);
  std::ranges::sort(all);
  return all;
}

void check_ids(const std::vector<Body>& bodies, int count) {
  BOOST_TEST(std::ssize(bodies) == count);
  for (int k = 0; k < std::ssize(bodies); ++k) BOOST_TEST(bodies[k].id == k);
}

void fly(unsigned seed, int count, double spread) {
  const auto bodies = flying(seed, count, spread, 25.0);
  Vec3 momentum = Vec3::Zero();
  double scale = 0.0, mean_radius = 0.0;
  for (const Body& body : bodies) {
    momentum += body.mass * velocity_of(body);
    scale += body.mass * velocity_of(body).norm();
    mean_radius += body.radius / count;
  }
  Setup setup = make_setup(world(), bodies, {}, 0.3, 0.7);
  setup.step.gravity.setZero();
  setup.solver.stop = {.tolerance = 1e-4, .max_iterations = 20};
  const dynamics::StepOptions options = setup.step;
  Simulation simulation(world(), std::move(setup));
  for (int k = 0; k < 40; ++k) {
    const auto before = all_bodies(world(), simulation);
    check_ids(before, count);
    const auto report = simulation.step();
    BOOST_TEST((contact_ids(simulation) == expected_contacts(before, options.margin * mean_radius, options.step)),
               "step " << k);
    BOOST_TEST((report.momentum - momentum).norm() <= 1e-12 * scale);
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(no_contact_of_flying_bodies_is_lost_or_found_twice) {
  for (const unsigned seed : {1U, 2U, 3U}) fly(seed, 120, 2.2);
}

BOOST_AUTO_TEST_CASE(fewer_bodies_than_ranks_fly_alike) {
  for (const int count : {2, 3, 5}) fly(7, count, 0.8);
}
