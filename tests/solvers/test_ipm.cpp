// ranks: 1 2 3 4
// timeout: 300
#include "scree/solvers/ipm.hpp"

#include <string>

#include "support/dense_operator.hpp"
#include "support/gallery.hpp"
#include "support/run_solver.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using problem::Law;

namespace {

/// By the interior point method alone: what it does within 60 iterations.
solvers::StopRule to(double tolerance) { return {.tolerance = tolerance, .max_iterations = 60}; }

}  // namespace

BOOST_AUTO_TEST_CASE(convex_problems_in_few_iterations_that_hardly_grow_with_size) {
  for (const Law law : {Law::frictionless, Law::cone})
    for (const int height : {1, 3}) {
      const Frozen frozen = freeze(world(), bed(4, 4, height, 3), Placement::slabs, law);
      const SolverRun solved = run_solver(frozen.problem, "ipm", to(1e-8));
      BOOST_TEST_CONTEXT(name_of(law) << ", " << height << " layers: " << solved.iterations << " iterations") {
        BOOST_TEST(solved.converged);
        BOOST_TEST(solved.judged.natural <= 1.01e-8);
        BOOST_TEST(solved.iterations <= 40);
      }
    }
}

BOOST_AUTO_TEST_CASE(true_friction_with_redundant_contacts) {
  for (const DenseGlobal& dense : {tower_of_boxes(3), brick_wall(3, 0.6), stack_of_spheres({1.0, 100.0}, 0.3)}) {
    const SolverRun solved = run_solver(make_sparse(dense).problem, "ipm", to(1e-8));
    BOOST_TEST(solved.converged);
    BOOST_TEST(solved.judged.natural <= 1.01e-8);
    BOOST_TEST(solved.judged.outside <= 1e-14);
  }
}

BOOST_AUTO_TEST_CASE(agrees_with_sweeps_on_the_velocities_of_a_convex_problem) {
  const parallel::Comm self(MPI_COMM_SELF);
  const FrozenScene scene = bed(3, 3, 2, 4);
  const Frozen whole = freeze(self, scene, Placement::slabs, Law::cone);
  const SolverRun sweeps = run_solver(whole.problem, "npgs", {.tolerance = 1e-11, .max_iterations = 20000});
  const Frozen frozen = freeze(world(), scene, Placement::even_ranks, Law::cone);
  const SolverRun interior = run_solver(frozen.problem, "ipm", to(1e-9));
  const Distance distance = compare(frozen, interior.judged, whole, sweeps.judged);
  BOOST_TEST(distance.velocities <= 1e-6 * distance.scale);
}

BOOST_AUTO_TEST_CASE(contacts_without_friction_beside_others) {
  DenseGlobal dense = tower_of_boxes(2);
  for (Eigen::Index k = 0; k < dense.mu.size(); k += 3) dense.mu[k] = 0.0;
  const SolverRun solved = run_solver(make_sparse(dense).problem, "ipm", to(1e-8));
  BOOST_TEST(solved.converged);
  BOOST_TEST(solved.judged.outside <= 1e-14);
}

BOOST_AUTO_TEST_CASE(sweeps_take_over_where_it_gets_no_further) {
  // No solution: two contacts of a body push against each other and both must open.
  Eigen::MatrixXd W = Eigen::MatrixXd::Identity(6, 6);
  W(0, 3) = W(3, 0) = -1.0;
  Eigen::VectorXd q = Eigen::VectorXd::Zero(6);
  q[0] = q[3] = -1.0;
  const problem::ContactProblem problem = dense_problem(W, q, {Law::coulomb, {0.3, 0.3}, {}});
  solvers::Monitor monitor(problem, {.measure = problem::Measure::natural_q, .tolerance = 1e-8, .max_iterations = 100});
  const parallel::Vector x = problem.make_vector();
  solvers::ipm(problem, x, monitor, {});
  BOOST_TEST(!monitor.converged());
  BOOST_TEST(monitor.iterations() == 100);
  BOOST_TEST(monitor.notes().size() == 1u);
  BOOST_TEST(judge(problem, x).outside <= 1e-14);
}
