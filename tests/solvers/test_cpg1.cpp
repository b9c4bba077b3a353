#include "scree/solvers/cpg1.hpp"

#include "support/run_solver.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using problem::Law;

BOOST_AUTO_TEST_CASE(makes_one_product_an_iteration) {
  for (const auto& info : laws_of_beds()) {
    if (!is_convex(info.law)) continue;
    const Frozen frozen = freeze(world(), bed(4, 4, 3, 1), Placement::slabs, info.law);
    const SolverRun run = run_solver(frozen.problem, "cpg1", {.tolerance = 0.0, .max_iterations = 20});
    BOOST_TEST(run.products == 2 + run.iterations);  // the first gradient and the first Rayleigh quotient
  }
}

BOOST_AUTO_TEST_CASE(needs_at_most_0_6_of_the_products_of_cpg) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    const Frozen frozen = freeze(world(), bed(12, 10, 8, seed, 0.02), Placement::slabs, Law::frictionless);
    const SolverRun two = run_solver(frozen.problem, "cpg", {.tolerance = 1e-6, .max_iterations = 1000});
    const SolverRun one = run_solver(frozen.problem, "cpg1", {.tolerance = 1e-6, .max_iterations = 1000});
    BOOST_TEST(two.converged);
    BOOST_TEST(one.converged);
    BOOST_TEST(one.judged.natural <= 1.0001e-6);
    BOOST_TEST(static_cast<double>(one.products) <= 0.6 * static_cast<double>(two.products));
  }
}

BOOST_AUTO_TEST_CASE(its_gradient_does_not_drift) {
  // The gradient follows from products with steps alone.
  const Frozen frozen = freeze(world(), bed(4, 4, 3, 3), Placement::slabs, Law::box);
  const SolverRun run = run_solver(frozen.problem, "cpg1", {.tolerance = 1e-11, .max_iterations = 5000});
  BOOST_TEST(run.converged);
  BOOST_TEST(run.judged.natural <= 1.001e-11);
}
