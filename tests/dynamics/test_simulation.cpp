// The whole time step on any number of ranks: the same contacts, the same motion, the same failures.
#include "scree/dynamics/simulation.hpp"

#include <fenv.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "scree/parallel/error.hpp"
#include "support/frozen.hpp"
#include "support/motion.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using dynamics::Setup;
using dynamics::Simulation;
using dynamics::StepReport;
using model::Body;
using model::Vec3;
using problem::Law;

namespace {

/// Spheres of unequal size that fall into a container, stirred a little.
std::vector<Body> falling_bed(int nx, int ny, int nz) {
  std::vector<Body> bodies;
  Dice dice(21);
  for (int k = 0; k < nx * ny * nz; ++k) {
    const Vec3 cell(k % nx + 0.5, k / nx % ny + 0.5, k / (nx * ny) + 0.5);
    bodies.push_back(unit_sphere(k, cell + 0.03 * dice.vector(), 0.46 + 0.02 * dice()));
    set_velocity(bodies.back(), 0.3 * dice.vector());
  }
  return bodies;
}

Setup bed_setup(const parallel::Comm& comm, int nx, int ny, int nz, double tolerance, int max_iterations) {
  const model::Box inside{Vec3::Zero(), Vec3(nx, ny, nz + 1)};
  Setup setup = make_setup(comm, falling_bed(nx, ny, nz), model::container("box", inside, 0, true), 0.3);
  setup.solver.stop = {.tolerance = tolerance, .max_iterations = max_iterations};
  return setup;
}

/// Collective: ids of all contacts of the last step, sorted.
std::vector<std::pair<std::int64_t, std::int64_t>> contact_ids(const parallel::Comm& comm,
                                                               const Simulation& simulation) {
  std::vector<collision::ContactId> own;
  for (const auto& contact : simulation.contacts().contacts)
    own.push_back(collision::id_of(simulation.bodies(), contact.a, contact.b));
  std::vector<std::pair<std::int64_t, std::int64_t>> all;
  for (const auto& id : gathered(comm, own)) all.emplace_back(id.first, id.second);
  std::ranges::sort(all);
  return all;
}

/// The largest difference of positions (m) and velocities (m/s) of the same bodies.
std::pair<double, double> difference(const std::vector<Body>& a, const std::vector<Body>& b) {
  double position = 0.0, velocity = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    BOOST_REQUIRE(a[k].id == b[k].id);
    position = std::max(position, (position_of(a[k]) - position_of(b[k])).norm());
    velocity = std::max(velocity, (velocity_of(a[k]) - velocity_of(b[k])).norm());
    velocity = std::max(velocity, 0.5 * (spin_of(a[k]) - spin_of(b[k])).norm());
  }
  return {position, velocity};
}

/// Some of these tests make invalid numbers on purpose.
struct WithoutTraps {
  WithoutTraps() { fedisableexcept(FE_ALL_EXCEPT); }
};

/// Steps until a StateError; returns its message, empty if there was none.
std::string failure(Simulation& simulation, int steps) {
  try {
    for (int k = 0; k < steps; ++k) simulation.step();
  } catch (const StateError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

BOOST_AUTO_TEST_CASE(contacts_and_motion_are_those_of_one_rank) {
  const parallel::Comm self(MPI_COMM_SELF);
  for (const Law law : {Law::frictionless, Law::cone}) {
    Setup setups[] = {bed_setup(self, 4, 3, 3, 1e-10, 5000), bed_setup(world(), 4, 3, 3, 1e-10, 5000)};
    for (Setup& setup : setups) setup.solver.law = law;
    Simulation alone(self, std::move(setups[0])), together(world(), std::move(setups[1]));
    for (int k = 0; k < 25; ++k) {
      const StepReport expected = alone.step(), report = together.step();
      BOOST_TEST(report.converged);
      BOOST_TEST(report.contacts == expected.contacts);
      BOOST_TEST(report.bodies == expected.bodies);
      BOOST_TEST((contact_ids(world(), together) == contact_ids(self, alone)), "step " << k);
      const auto [position, velocity] = difference(all_bodies(world(), together), all_bodies(self, alone));
      // Velocities are as exact as the root of the tolerance, at worst, and errors add up over the steps.
      BOOST_TEST(velocity <= 1e-6, "step " << k);
      BOOST_TEST(position <= 1e-7, "step " << k);
      BOOST_TEST(std::abs(report.kinetic_energy - expected.kinetic_energy) <= 1e-6 * expected.kinetic_energy);
      BOOST_TEST((report.momentum - expected.momentum).norm() <= 1e-6);
    }
    BOOST_TEST(alone.report().contacts > 36);
  }
}

BOOST_AUTO_TEST_CASE(a_report_tells_the_sums_over_all_ranks) {
  Simulation simulation(world(), bed_setup(world(), 3, 3, 2, 1e-6, 200));
  StepReport report;
  for (int k = 0; k < 10; ++k) report = simulation.step();
  double energy = 0.0;
  Vec3 momentum = Vec3::Zero();
  const auto bodies = all_bodies(world(), simulation);
  for (const Body& body : bodies) {
    energy += 0.5 * body.mass * velocity_of(body).squaredNorm() + 0.5 * body.inertia[0] * spin_of(body).squaredNorm();
    momentum += body.mass * velocity_of(body);
  }
  BOOST_TEST(report.step == 10);
  BOOST_TEST(std::abs(report.time - 0.05) <= 1e-15);
  BOOST_TEST(report.bodies == static_cast<std::int64_t>(bodies.size()));
  BOOST_TEST(report.lost_bodies == 0);
  BOOST_TEST(std::abs(report.kinetic_energy - energy) <= 1e-12 * energy);
  BOOST_TEST((report.momentum - momentum).norm() <= 1e-12 * momentum.norm());
  BOOST_TEST(report.contacts == static_cast<std::int64_t>(contact_ids(world(), simulation).size()));

  std::vector<int> counts = gathered(world(), simulation.contact_counts());
  std::int64_t ends = 0, expected = 0;
  for (const int count : counts) ends += count;
  for (const auto& contact : simulation.contacts().contacts)
    if (!simulation.impulse_of(contact).isZero(0.0)) expected += contact.b < 0 ? 1 : 2;
  BOOST_TEST(ends == world().sum(expected));
}

BOOST_AUTO_TEST_CASE(a_warm_start_saves_iterations_on_a_settled_bed) {
  std::int64_t iterations[2] = {};
  for (const bool warm : {false, true}) {
    Setup setup = make_setup(world(), nested_layers(3), nesting_box(), 0.3);
    setup.solver.stop = {.tolerance = 1e-6, .max_iterations = 2000, .check_every = 5};
    setup.step.warm_start = warm;
    Simulation simulation(world(), std::move(setup));
    for (int k = 0; k < 30; ++k) simulation.step();
    const std::int64_t before = simulation.total_iterations();
    for (int k = 0; k < 10; ++k) simulation.step();
    iterations[warm ? 1 : 0] = simulation.total_iterations() - before;
  }
  BOOST_TEST(static_cast<double>(iterations[0]) > 1.5 * static_cast<double>(iterations[1]),
             iterations[0] << " cold, " << iterations[1] << " warm");
}

BOOST_AUTO_TEST_CASE(a_slow_bed_is_searched_rarely_and_misses_no_contact) {
  Simulation simulation(world(), bed_setup(world(), 3, 3, 2, 1e-6, 200));
  const int steps = 150;
  for (int k = 0; k < steps; ++k) {
    simulation.step();
    BOOST_TEST(simulation.report().max_penetration <= 5e-3);
  }
  BOOST_TEST(simulation.searches() > 0);
  BOOST_TEST(simulation.searches() < steps / 4);
}

BOOST_AUTO_TEST_CASE(fast_bodies_are_searched_for_in_time) {
  // Two bodies far apart race towards each other. The search looks four radii ahead: up to two radii a step for each.
  for (const double start : {20.0, 20.4, 20.8, 21.2, 21.6}) {
    Body left = unit_sphere(0, {-20.0, 0.0, 0.0}), right = unit_sphere(1, {start, 0.0, 0.0});
    set_velocity(left, {195.0, 0.0, 0.0});
    set_velocity(right, {-195.0, 0.0, 0.0});
    Setup setup = make_setup(world(), {left, right}, {}, 0.0, 1.0);
    setup.step.gravity.setZero();
    Simulation simulation(world(), std::move(setup));
    for (int k = 0; k < 30; ++k) simulation.step();
    const auto after = all_bodies(world(), simulation);
    BOOST_TEST((velocity_of(after[0]) - Vec3(-195.0, 0.0, 0.0)).norm() <= 1e-9);
    BOOST_TEST((velocity_of(after[1]) - Vec3(195.0, 0.0, 0.0)).norm() <= 1e-9);
  }
}

BOOST_AUTO_TEST_CASE(no_body_and_one_body_are_legal_on_any_number_of_ranks) {
  for (const int count : {0, 1}) {
    std::vector<Body> bodies;
    if (count == 1) bodies.push_back(unit_sphere(0, {0.0, 0.0, 0.7}));
    Simulation simulation(world(), make_setup(world(), bodies, {floor_wall()}, 0.3));
    StepReport report;
    for (int k = 0; k < 100; ++k) report = simulation.step();
    BOOST_TEST(report.bodies == count);
    BOOST_TEST(report.contacts == count);
    BOOST_TEST(report.converged);
    BOOST_TEST(simulation.owned_spread().max == count);
    if (count == 1) BOOST_TEST(std::abs(all_bodies(world(), simulation)[0].position[2] - 0.5) <= 1e-12);
  }
}

BOOST_AUTO_TEST_CASE(bodies_may_all_come_from_one_rank) {
  const parallel::Comm self(MPI_COMM_SELF);
  Setup setup = bed_setup(world(), 3, 3, 2, 1e-8, 1000);
  setup.bodies = {};
  if (world().rank() == world().size() - 1)
    for (const Body& body : falling_bed(3, 3, 2)) setup.bodies.add_owned(body);
  Simulation simulation(world(), std::move(setup));
  BOOST_TEST(simulation.owned_spread().max < (world().size() > 1 ? 18 : 19));  // they were spread
  Simulation alone(self, bed_setup(self, 3, 3, 2, 1e-8, 1000));
  for (int k = 0; k < 5; ++k) {
    simulation.step();
    alone.step();
  }
  BOOST_TEST(difference(all_bodies(world(), simulation), all_bodies(self, alone)).second <= 1e-6);
}

BOOST_AUTO_TEST_CASE(a_body_behind_a_wall_is_a_failure_on_all_ranks) {
  // Without iterations nothing holds the bodies: they fall through the floor.
  Setup setup = bed_setup(world(), 2, 2, 2, 1e-6, 0);
  Simulation simulation(world(), std::move(setup));
  const std::string message = failure(simulation, 400);
  BOOST_TEST(message.find("lost") != std::string::npos, message);
  BOOST_TEST(message.find("of 8 bodies") != std::string::npos, message);
  BOOST_TEST(simulation.report().step > 50);  // falling two radii takes half a second
}

BOOST_FIXTURE_TEST_CASE(invalid_numbers_are_a_failure_on_all_ranks, WithoutTraps) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    auto bodies = falling_bed(2, 2, 2);
    set_velocity(bodies[3], Vec3(0.0, bad, 0.0));
    const model::Box inside{Vec3::Zero(), Vec3(2.0, 2.0, 3.0)};
    Simulation simulation(world(), make_setup(world(), bodies, model::container("box", inside, 0, true), 0.3));
    const std::string message = failure(simulation, 1);
    BOOST_TEST(message.find("non-finite") != std::string::npos, message);
  }
}

BOOST_AUTO_TEST_CASE(a_solver_that_cannot_take_the_law_is_refused) {
  Setup setup = bed_setup(world(), 2, 2, 1, 1e-6, 10);
  setup.solver.name = "kucera";
  setup.solver.law = Law::cone;
  BOOST_CHECK_THROW(Simulation(world(), std::move(setup)), InputError);
}

BOOST_AUTO_TEST_CASE(every_solver_settles_the_same_bed) {
  for (const char* name : {"npgs", "pgs", "jacobi", "gpminres"}) {
    Setup setup = make_setup(world(), nested_layers(2), nesting_box(), 0.3);
    setup.solver.name = name;
    setup.solver.law = Law::box;
    setup.solver.stop = {.tolerance = 1e-5, .max_iterations = 100};
    Simulation simulation(world(), std::move(setup));
    StepReport report;
    for (int k = 0; k < 30; ++k) report = simulation.step();
    BOOST_TEST(report.kinetic_energy <= 1e-4, name << ": " << report.kinetic_energy);
    BOOST_TEST(report.max_penetration <= 1e-4, name << ": " << report.max_penetration);
  }
}
