// ranks: 1 2 3 4
// timeout: 300
#include "scree/solvers/proximal.hpp"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "support/dense_operator.hpp"
#include "support/gallery.hpp"
#include "support/run_solver.hpp"
#include "support/scramble.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using problem::Law;

namespace {

solvers::StopRule to(double tolerance, problem::Measure measure = problem::Measure::natural) {
  return {.measure = measure, .tolerance = tolerance, .max_iterations = 300};
}

std::vector<std::pair<std::string, DenseGlobal>> hard_problems() {
  return {{"tower of boxes", tower_of_boxes(4)},
          {"slippery tower", tower_of_boxes(3, 0.05)},
          {"brick wall", brick_wall(4, 0.6)},
          {"heavy on light", stack_of_spheres({1.0, 1e4}, 0.3)}};
}

}  // namespace

BOOST_AUTO_TEST_CASE(true_friction_with_redundant_contacts_to_twelve_digits) {
  for (const auto& [name, dense] : hard_problems()) {
    const SolverRun solved = run_solver(make_sparse(dense).problem, "proximal", to(1e-12));
    BOOST_TEST(solved.converged, name);
    BOOST_TEST(solved.judged.natural <= 1.01e-12, name);
    BOOST_TEST(solved.judged.outside <= 1e-14, name);
    BOOST_TEST(solved.iterations <= 100, name << ": " << solved.iterations);
  }
}

BOOST_AUTO_TEST_CASE(order_tangents_and_units_change_no_verdict) {
  for (const auto& [name, dense] : hard_problems())
    for (unsigned k = 0; k < std::size(unit_systems); ++k) {
      const DenseLocal scrambled = scramble(local_of(dense), k + 1, unit_systems[k]);
      for (const auto measure : {problem::Measure::natural, problem::Measure::natural_q}) {
        const SolverRun solved = run_solver(make_sparse(scrambled).problem, "proximal", to(1e-8, measure));
        BOOST_TEST(solved.converged, name << ", units " << k);
      }
    }
}

BOOST_AUTO_TEST_CASE(a_matrix_that_is_not_quite_symmetric_is_taken_as_it_is) {
  RandomMatrices random(11);
  DenseLocal dense = local_of(tower_of_boxes(3));
  for (double& entry : dense.W.reshaped()) entry *= 1.0 + 1e-3 * random();
  const SolverRun solved = run_solver(make_sparse(dense).problem, "proximal", to(1e-10));
  BOOST_TEST(solved.converged);
  BOOST_TEST(solved.judged.natural <= 1.01e-10);
}

BOOST_AUTO_TEST_CASE(a_block_that_slides_keeps_coulombs_law) {
  // One sphere pushed sideways harder than friction holds: x_n carries the weight and x_T = mu x_n against the push.
  ProblemBuilder builder;
  const model::Vec3 down(0.0, 0.0, -0.5);
  const int body = builder.add_body(2.0, model::Vec3::Constant(1e6), model::Vec3(2.0 * gravity, 0.0, 0.0));
  builder.add_contact(body, down, -1, -down, model::Vec3::UnitZ());
  const SolverRun solved = run_solver(make_sparse(builder.build(0.3)).problem, "proximal", to(1e-12));
  const Eigen::VectorXd x = whole_of(solved.judged.x), w = whole_of(solved.judged.w);
  const double weight = 2.0 * gravity * ProblemBuilder::step;
  BOOST_TEST(std::abs(x[0] - weight) <= 1e-9 * weight);
  BOOST_TEST(std::abs(x.tail<2>().norm() - 0.3 * weight) <= 1e-9 * weight);
  BOOST_TEST(std::abs(w[0]) <= 1e-10);
  BOOST_TEST(x.tail<2>().dot(w.tail<2>()) < 0.0);
}

BOOST_AUTO_TEST_CASE(without_a_solution_the_best_iterate_comes_back) {
  // Two contacts of a body push against each other and both must open: no impulse does that.
  Eigen::MatrixXd W = Eigen::MatrixXd::Identity(6, 6);
  W(0, 3) = W(3, 0) = -1.0;
  Eigen::VectorXd q = Eigen::VectorXd::Zero(6);
  q[0] = q[3] = -1.0;
  const problem::ContactProblem problem = dense_problem(W, q, {Law::coulomb, {0.3, 0.3}, {}});
  const auto rule = to(1e-8, problem::Measure::natural_q);
  solvers::Monitor monitor(problem, rule);
  const parallel::Vector x = problem.make_vector();
  solvers::proximal(problem, x, monitor, {.patience = 20});
  BOOST_TEST(!monitor.converged());
  BOOST_TEST(monitor.iterations() < rule.max_iterations);
  const Judged judged = judge(problem, x);
  BOOST_TEST(std::isfinite(judged.natural_q));
  BOOST_TEST(judged.outside <= 1e-14);
  double least = HUGE_VAL;
  for (const auto& judgement : monitor.trend()) least = std::min(least, judgement.error);
  BOOST_TEST(std::abs(judged.natural_q - least) <= 1e-9 * least);
}

BOOST_AUTO_TEST_CASE(contacts_that_nothing_can_move_are_borne) {
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(6, 6);
  W.topLeftCorner<3, 3>().setIdentity();
  Eigen::VectorXd q(6);
  q << -1.0, 0.2, 0.0, 0.5, 0.0, 0.0;
  const SolverRun solved = run_solver(dense_problem(W, q, {Law::coulomb, {0.3, 0.3}, {}}), "proximal", to(1e-10));
  BOOST_TEST(solved.converged);
  const Eigen::VectorXd x = whole_of(solved.judged.x);
  BOOST_TEST(std::abs(x[0] - 1.0) <= 1e-9);
  BOOST_TEST(x.tail<3>().norm() <= 1e-9);
}
