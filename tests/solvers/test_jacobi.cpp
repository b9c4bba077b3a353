#include "scree/solvers/jacobi.hpp"

#include <cmath>

#include "support/frozen.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using problem::Law;

namespace {

struct Run {
  Judged judged;
  int iterations;
  std::int64_t products;
};

Run run(const Frozen& frozen, const solvers::JacobiOptions& options, double tolerance, int max_iterations) {
  solvers::Monitor monitor(frozen.problem, {.tolerance = tolerance, .max_iterations = max_iterations});
  const parallel::Vector x = frozen.problem.make_vector();
  solvers::jacobi(frozen.problem, x, monitor, options);
  const std::int64_t products = frozen.problem.N->applications();
  return {judge(frozen.problem, x), monitor.iterations(), products};
}

/// Collective: the normal impulse of the one contact.
double only_impulse(const Run& run) { return world().sum(run.judged.x.empty() ? 0.0 : run.judged.x[0]); }

}  // namespace

BOOST_AUTO_TEST_CASE(a_step_goes_the_stated_way_along_the_scaled_gradient) {
  // One sphere of 1 kg: x = 0 - omega lambda r / N_nn with r = -g h and N_nn = 1; alike for a mass of 4 kg, 4 times.
  FrozenScene scene = column(1);
  const double solution = gravity * scene.step;
  for (const double mass : {1.0, 4.0}) {
    scene.bodies[0].mass = mass;
    const Frozen frozen = freeze(world(), scene, Placement::last_rank, Law::frictionless);
    BOOST_TEST(std::abs(only_impulse(run(frozen, {.omega = 1.0}, 0.0, 1)) - mass * solution) <= 1e-15);
    BOOST_TEST(std::abs(only_impulse(run(frozen, {.omega = 0.3}, 0.0, 1)) - 0.3 * mass * solution) <= 1e-15);
    const double damped = only_impulse(run(frozen, {.omega = 0.3, .lambda = 0.5}, 0.0, 1));
    BOOST_TEST(std::abs(damped - 0.15 * mass * solution) <= 1e-15);
  }
}

BOOST_AUTO_TEST_CASE(with_friction_a_contact_has_one_step_length) {
  // The mean of the diagonal (1, 1 + 5/2, 1 + 5/2) of a sphere of 1 kg on the floor is 8/3.
  FrozenScene scene = column(1);
  const Frozen frozen = freeze(world(), scene, Placement::last_rank, Law::cone);
  BOOST_TEST(std::abs(only_impulse(run(frozen, {.omega = 1.0}, 0.0, 1)) - 3.0 / 8.0 * gravity * scene.step) <= 1e-15);
}

BOOST_AUTO_TEST_CASE(costs_one_product_an_iteration) {
  const Frozen frozen = freeze(world(), bed(3, 3, 2, 1), Placement::slabs, Law::cone);
  const std::int64_t before = frozen.problem.N->applications();
  const Run fifty = run(frozen, {}, 0.0, 50);
  BOOST_TEST(fifty.iterations == 50);
  BOOST_TEST(fifty.products - before == 51);
}

BOOST_AUTO_TEST_CASE(impulses_do_not_depend_on_the_number_of_ranks) {
  const parallel::Comm self(MPI_COMM_SELF);
  const FrozenScene scene = bed(4, 4, 3, 2);
  for (const Law law : {Law::frictionless, Law::box, Law::cone}) {
    const Frozen whole = freeze(self, scene, Placement::slabs, law);
    const Run alone = run(whole, {}, 0.0, 100);
    for (const Placement placement : all_placements) {
      const Frozen frozen = freeze(world(), scene, placement, law);
      const Run together = run(frozen, {}, 0.0, 100);
      // Rounding only: the same iterates.
      const Distance distance = compare(frozen, together.judged, whole, alone.judged);
      BOOST_TEST(distance.velocities <= 1e-13 * distance.scale);
    }
  }
}
