// Every measure can stop every solver and choose its best iterate; the energy error does so in any units.
// ranks: 1 2 4
#include <boost/test/data/test_case.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "scree/solvers/registry.hpp"
#include "support/frozen.hpp"
#include "support/solver_cases.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using problem::ErrorMeasures;
using problem::Law;
using problem::Measure;
using solvers::Monitor;
namespace data = boost::unit_test::data;

namespace {

/// Units of length and mass: the same bed, with other numbers.
struct Units {
  double length = 1.0, mass = 1.0;
  [[nodiscard]] double energy() const { return mass * length * length; }
};

Frozen frozen_in(const Units& units, Law law) {
  FrozenScene scene = bed(3, 3, 2, 4);
  for (model::Body& body : scene.bodies) {
    body.mass *= units.mass;
    for (double& moment : body.inertia) moment *= units.mass;
  }
  Frozen frozen = freeze(world(), scene, Placement::slabs, law);
  // Surface speeds stand for spins, so N knows no length: only velocities and impulses do.
  parallel::petsc(VecScale(frozen.problem.r, units.length));
  for (double& bound : frozen.problem.K.bound) bound *= units.length;
  return frozen;
}

struct Run {
  int iterations;
  bool converged;
  ErrorMeasures errors, recomputed;
};

Run run(const SolverCase& c, const Frozen& frozen, Measure measure, double tolerance) {
  Monitor monitor(frozen.problem,
                  {.measure = measure, .tolerance = tolerance, .max_iterations = 20000, .check_every = 1});
  const parallel::Vector x = frozen.problem.make_vector(), w = frozen.problem.make_vector();
  solvers::make_solver(c.solver, {}, c.law)(frozen.problem, x, monitor);
  frozen.problem.N->apply(x, w);
  parallel::petsc(VecAXPY(w, 1.0, frozen.problem.r));
  return {monitor.iterations(), monitor.converged(), monitor.errors(), measure_errors(frozen.problem, x, w)};
}

}  // namespace

BOOST_DATA_TEST_CASE(stopped_by_energy_units_do_not_matter, data::make(all_solver_cases()), the_case) {
  const double tolerance = 1e-9;  // J
  const Run plain = run(the_case, frozen_in({}, the_case.law), Measure::energy, tolerance);
  BOOST_TEST(plain.converged);
  BOOST_TEST(plain.iterations > 0);
  // Powers of two: what does not depend on units rounds alike.
  for (const Units units : {Units{1024.0, 1.0}, Units{1024.0, 1.0 / 1024.0}}) {
    const Run other = run(the_case, frozen_in(units, the_case.law), Measure::energy, tolerance * units.energy());
    BOOST_TEST(other.converged);
    BOOST_TEST(other.iterations == plain.iterations);
  }
}

BOOST_AUTO_TEST_CASE(stopped_by_the_natural_residual_units_do_matter) {
  const SolverCase npgs{"npgs", Law::cone};
  const int plain = run(npgs, frozen_in({}, Law::cone), Measure::natural, 1e-6).iterations;
  const int grams = run(npgs, frozen_in({1.0, 1e3}, Law::cone), Measure::natural, 1e-6).iterations;
  BOOST_TEST_MESSAGE("natural to 1e-6: " << plain << " iterations in kg, " << grams << " in g");
  BOOST_TEST(plain != grams);
}

BOOST_AUTO_TEST_CASE(every_measure_stops_a_solver) {
  for (const SolverCase& c : {SolverCase{"npgs", Law::cone},
                              {"jacobi", Law::box},
                              {"gpminres", Law::frictionless},
                              {"tresca", Law::coulomb},
                              {"pgs", Law::polyhedral}}) {
    const Frozen frozen = frozen_in({}, c.law);
    const parallel::Vector x = frozen.problem.make_vector();
    const ErrorMeasures first = measure_errors(frozen.problem, x, frozen.problem.r);
    for (const auto& info : problem::measures()) {
      // At x = 0 nothing is dissipated: f = 0, so its scale is taken from the energy.
      const bool from_energy = info.measure == Measure::complementarity;
      const double tolerance = 1e-5 * (from_energy ? first.energy : value_of(first, info.measure));
      if (from_energy && value_of(first, info.measure) <= tolerance) continue;
      const Run found = run(c, frozen, info.measure, tolerance);
      BOOST_TEST_CONTEXT(c << ", " << info.name << ": " << found.iterations) {
        BOOST_TEST(found.converged);
        BOOST_TEST(value_of(found.errors, info.measure) <= tolerance);
        BOOST_TEST(value_of(found.recomputed, info.measure) <= 1.01 * tolerance + 1e-12);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(the_history_tells_active_changes_and_the_distance_to_a_reference) {
  const Frozen frozen = frozen_in({}, Law::box);
  const auto solver = solvers::make_solver("npgs", {}, Law::box);
  const parallel::Vector reference = frozen.problem.make_vector(), x = frozen.problem.make_vector();
  Monitor exact(frozen.problem, {.tolerance = 1e-12, .max_iterations = 20000});
  solver(frozen.problem, reference, exact);
  Monitor monitor(frozen.problem, {.tolerance = 1e-8, .max_iterations = 20000, .check_every = 1, .keep_history = true});
  monitor.compare_with(reference);
  solver(frozen.problem, x, monitor);
  const auto& history = monitor.history();
  BOOST_REQUIRE(history.size() > 5U);
  BOOST_TEST(std::abs(history.front().velocity_error - 1.0) <= 1e-12);  // from rest
  BOOST_TEST(history.back().velocity_error <= 1e-6);
  BOOST_TEST(history.front().active_changes == 0);
  BOOST_TEST(history[1].active_changes > 0);
  BOOST_TEST(history.back().active_changes == 0);
}
