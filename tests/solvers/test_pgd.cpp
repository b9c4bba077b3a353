#include "scree/solvers/pgd.hpp"

#include <cmath>
#include <vector>

#include "support/run_solver.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using parallel::petsc;
using problem::Law;

namespace {

/// Collective: the natural residuals of the first iterates of seed 000 algorithm 1, line by line.
std::vector<double> residuals_of_listing(const problem::ContactProblem& problem, int iterations) {
  const parallel::Vector x = problem.make_vector(), g = problem.make_vector();
  const parallel::Vector d = problem.make_vector(), Nd = problem.make_vector();
  std::vector<double> residuals = {judge(problem, x).natural};
  for (int k = 0; k < iterations; ++k) {
    problem.N->apply(x, g);
    petsc(VecAXPY(g, 1.0, problem.r));
    problem.K.project_gradient(x, g, d);
    problem.N->apply(d, Nd);
    double slope = 0.0, curvature = 0.0;
    petsc(VecDot(g, d, &slope));
    petsc(VecDot(d, Nd, &curvature));
    petsc(VecAXPY(x, -slope / curvature, d));
    problem.K.project(x);
    residuals.push_back(judge(problem, x).natural);
  }
  return residuals;
}

}  // namespace

BOOST_AUTO_TEST_CASE(follows_the_listing_on_bounds_with_two_products_an_iteration) {
  for (const Law law : {Law::frictionless, Law::box}) {
    const Frozen frozen = freeze(world(), bed(4, 4, 3, 1), Placement::slabs, law);
    const SolverRun run =
        run_solver(frozen.problem, "pgd", {.tolerance = 0.0, .max_iterations = 8, .keep_history = true});
    BOOST_TEST(run.products == 1 + 2 * run.iterations);
    const std::vector<double> expected = residuals_of_listing(frozen.problem, 8);
    BOOST_REQUIRE(run.history.size() == expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k)
      BOOST_TEST(std::abs(run.history[k].errors.natural - expected[k]) <= 1e-9 * expected[k]);
  }
}
