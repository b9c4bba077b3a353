#include "scree/solvers/apgd.hpp"

#include <cstdint>

#include "support/run_solver.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using problem::Law;

BOOST_AUTO_TEST_CASE(makes_hardly_more_than_one_product_an_iteration) {
  for (const Law law : {Law::frictionless, Law::cone}) {
    const Frozen frozen = freeze(world(), bed(6, 5, 5, 1, 0.02), Placement::slabs, law);
    const SolverRun run = run_solver(frozen.problem, "apgd", {.tolerance = 1e-6, .max_iterations = 1000});
    BOOST_TEST_CONTEXT(name_of(law) << ": " << run.iterations) {
      BOOST_TEST(run.converged);
      BOOST_TEST(run.products > run.iterations);
      BOOST_TEST(run.products <= std::int64_t{5} + run.iterations + run.iterations / 8);
    }
  }
}

BOOST_AUTO_TEST_CASE(without_relaxation_the_bound_is_found_once) {
  const Frozen frozen = freeze(world(), bed(6, 5, 5, 1, 0.02), Placement::slabs, Law::cone);
  const SolverRun run =
      run_solver(frozen.problem, "apgd", {.tolerance = 1e-6, .max_iterations = 1000}, {{"relaxation", 1.0}});
  BOOST_TEST(run.converged);
  BOOST_TEST(run.products <= 6 + run.iterations);
}

BOOST_AUTO_TEST_CASE(needs_at_most_a_fifth_of_the_products_of_jacobi) {
  const Frozen frozen = freeze(world(), bed(6, 5, 5, 1, 0.02), Placement::slabs, Law::cone);
  const SolverRun run = run_solver(frozen.problem, "apgd", {.tolerance = 1e-5, .max_iterations = 1000});
  BOOST_TEST(run.converged);
  const int limit = static_cast<int>(5 * run.products);
  BOOST_TEST(!run_solver(frozen.problem, "jacobi", {.tolerance = 1e-5, .max_iterations = limit}).converged);
}
