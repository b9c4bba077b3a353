// Chains across ranks, and joints whose bodies travel.
// timeout: 300
#include <cmath>
#include <set>

#include "support/mechanism.hpp"

using namespace scree;
using namespace scree::test;
using dynamics::Setup;
using dynamics::Simulation;
using dynamics::StepReport;
using model::Body;
using model::Joint;
using model::JointKind;
using model::make_joint;
using model::Vec3;

namespace {

struct Chain {
  std::vector<Body> bodies;
  std::vector<Joint> joints;
};

/// Spheres one metre apart along a direction, each joined to the one before half-way between them.
Chain make_chain(int links, const Vec3& start, const Vec3& direction, std::int64_t first_id = 0) {
  Chain chain;
  for (int k = 0; k < links; ++k) {
    chain.bodies.push_back(unit_sphere(first_id + k, start + k * direction));
    if (k == 0) continue;
    const Body &a = chain.bodies[static_cast<std::size_t>(k) - 1], &b = chain.bodies.back();
    chain.joints.push_back(make_joint(k, JointKind::ball, a, &b, Vec3(0.5 * (position_of(a) + position_of(b)))));
  }
  return chain;
}

/// Collective: in how many places the joint is, and on how many ranks there are any joints.
std::pair<std::int64_t, std::int64_t> spread_of_joints(const Simulation& simulation) {
  const auto own = static_cast<std::int64_t>(simulation.joints().size());
  return {world().sum(own), world().sum(std::int64_t{own > 0 ? 1 : 0})};
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_link_of_a_hanging_chain_carries_the_weight_below) {
  constexpr int links = 100;
  Chain chain = make_chain(links, Vec3::Zero(), -Vec3::UnitZ());
  chain.joints.push_back(make_joint(0, JointKind::ball, chain.bodies[0], nullptr, {0.0, 0.0, 0.5}));
  Setup setup = make_mechanism(chain.bodies, chain.joints);
  setup.solver.stop = {.tolerance = 1e-7, .max_iterations = 4000, .check_every = 10};
  Simulation simulation(world(), std::move(setup));
  StepReport report;
  for (int step = 0; step < 5; ++step) report = simulation.step();
  const auto [joints, ranks] = spread_of_joints(simulation);
  BOOST_TEST(joints == links);
  BOOST_TEST(ranks == world().size());
  const double weight = chain.bodies[0].mass * gravity * 5e-3;
  for (const Joint& joint : all_joints(simulation)) {
    // The impulse acts on the second body; that of joint 0 on the world.
    const double expected = joint.id == 0 ? -links * weight : static_cast<double>(links - joint.id) * weight;
    BOOST_TEST((Vec3(joint.impulse) - Vec3(0.0, 0.0, expected)).norm() <= 1e-3 * std::abs(expected),
               "link " << joint.id << " carries " << joint.impulse[2] / weight << " weights");
  }
  BOOST_TEST(report.max_joint_gap <= 1e-6);
}

BOOST_AUTO_TEST_CASE(a_joint_follows_its_bodies_over_the_ranks) {
  // A row of spheres at rest; one flies along it, through the parts of all ranks, on a long leash to one far aside.
  std::vector<Body> bodies;
  for (int k = 0; k < 40; ++k) bodies.push_back(unit_sphere(k, {1.1 * k, 0.5, 0.5}));
  bodies.push_back(unit_sphere(40, {-1.0, 1.65, 0.5}));
  bodies.push_back(unit_sphere(41, {-1.0, 12.0, 0.5}));
  for (const int k : {40, 41}) set_velocity(bodies[static_cast<std::size_t>(k)], {40.0, 0.0, 0.0});
  set_spin(bodies[41], {0.0, 0.0, 1.0});
  Joint joint = make_joint(0, JointKind::fixed, bodies[40], &bodies[41], {-1.0, 5.0, 0.5});
  Setup setup = make_mechanism(bodies, {joint});
  setup.step.gravity.setZero();
  setup.balance = {.partitioner = "rcb", .when = dynamics::Rebalance::periodic, .period = 5, .threshold = 1.1};
  Simulation simulation(world(), std::move(setup));
  const auto rank_of = [&](std::int64_t id) {
    const auto& all = simulation.bodies();
    const auto end = all.id.begin() + all.owned();
    return world().max(std::int64_t{std::find(all.id.begin(), end, id) != end ? world().rank() : -1});
  };
  std::set<std::int64_t> visited;
  double apart = 0.0;
  for (int step = 0; step < 220; ++step) {
    apart = std::max(apart, simulation.step().max_joint_gap);
    visited.insert(rank_of(40));
    BOOST_TEST(spread_of_joints(simulation).first == 1);
  }
  BOOST_TEST(apart <= 1e-4);
  BOOST_TEST(static_cast<int>(visited.size()) == world().size());
  const Vec3 momentum = simulation.report().momentum;
  BOOST_TEST((momentum - 2.0 * bodies[0].mass * Vec3(40.0, 0.0, 0.0)).norm() <= 1e-9 * momentum.norm());
}

BOOST_AUTO_TEST_CASE(a_chain_falls_on_spheres) {
  std::vector<Body> bodies;
  for (int k = 0; k < 25; ++k) bodies.push_back(unit_sphere(k, {0.5 + k % 5, 0.5 + static_cast<double>(k / 5), 0.5}));
  Chain chain = make_chain(6, {0.6, 0.6, 2.0}, Vec3(0.5, 0.5, 0.3).normalized(), 25);
  for (Body& body : chain.bodies) bodies.push_back(body);
  Setup setup =
      make_mechanism(bodies, chain.joints, model::container("box", {Vec3::Zero(), Vec3(5.0, 5.0, 9.0)}, 0, true), 0.3);
  setup.solver.stop = {.tolerance = 1e-6, .max_iterations = 500, .check_every = 10};
  Simulation simulation(world(), std::move(setup));
  double apart = 0.0, overlap = 0.0;
  StepReport report;
  for (int step = 0; step < 300; ++step) {
    report = simulation.step();
    apart = std::max(apart, report.max_joint_gap);
    overlap = std::max(overlap, report.max_penetration);
  }
  BOOST_TEST(apart <= 1e-3);
  BOOST_TEST(overlap <= 1e-2);
  BOOST_TEST(report.kinetic_energy <= 6.0 * chain.bodies[0].mass * gravity * 2.0);
}
