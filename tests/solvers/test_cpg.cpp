#include "scree/solvers/cpg.hpp"

#include "support/run_solver.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using problem::Law;

BOOST_AUTO_TEST_CASE(is_conjugate_gradients_where_no_contact_opens) {
  const int height = 10;
  const Frozen frozen = freeze(world(), column(height), Placement::scattered, Law::frictionless);
  const SolverRun run = run_solver(frozen.problem, "cpg", {.tolerance = 1e-12, .max_iterations = height + 1});
  BOOST_TEST(run.converged);
}

BOOST_AUTO_TEST_CASE(makes_two_products_an_iteration_and_needs_fewer_than_descent) {
  for (const Law law : {Law::frictionless, Law::box, Law::cylinder}) {
    const Frozen frozen = freeze(world(), bed(6, 5, 3, 1, 0.02), Placement::slabs, law);
    const SolverRun run = run_solver(frozen.problem, "cpg", {.tolerance = 1e-5, .max_iterations = 1000});
    BOOST_TEST_CONTEXT(name_of(law) << ": " << run.iterations) {
      BOOST_TEST(run.converged);
      BOOST_TEST(run.products == 2 + 2 * run.iterations);  // one to begin with, one that confirms the end
      // Descent is still above the tolerance after twice as many iterations.
      BOOST_TEST(
          !run_solver(frozen.problem, "pgd", {.tolerance = 1e-5, .max_iterations = 2 * run.iterations}).converged);
    }
  }
}
