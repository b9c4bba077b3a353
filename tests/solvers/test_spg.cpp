#include "scree/solvers/spg.hpp"

#include <algorithm>

#include "support/dense_operator.hpp"
#include "support/run_solver.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using problem::Law;
using problem::Measure;

namespace {

/// q = 1/2 x.(w + r).
double objective(const problem::ContactProblem& problem, const Judged& judged) {
  const parallel::ReadArray r(problem.r);
  double sum = 0.0;
  for (int k = 0; k < r.size(); ++k)
    sum += 0.5 * judged.x[static_cast<std::size_t>(k)] * (judged.w[static_cast<std::size_t>(k)] + r[k]);
  return world().sum(sum);
}

}  // namespace

BOOST_AUTO_TEST_CASE(rejects_a_step_that_raises_the_objective) {
  // Twenty contacts act on the same body. The first step is the one that would suit each of them alone: twenty times
  // too long, and q would rise far above its start.
  const int contacts = 20;
  Eigen::MatrixXd N = Eigen::MatrixXd::Identity(3 * contacts, 3 * contacts);
  Eigen::VectorXd r = Eigen::VectorXd::Zero(3 * contacts);
  for (int i = 0; i < contacts; ++i) {
    r[3 * i] = -1.0;
    for (int j = 0; j < contacts; ++j) N(3 * i, 3 * j) = 1.0;
  }
  const problem::ContactProblem problem =
      dense_problem(N, r, {Law::frictionless, std::vector<double>(contacts, 0.0), {}});
  const SolverRun run =
      run_solver(problem, "spg", {.measure = Measure::gradient_step, .tolerance = 0.0, .max_iterations = 1});
  BOOST_TEST(run.products == 3);  // to begin with, of the step, and the one that confirms the end
  BOOST_TEST(objective(problem, run.judged) < 0.0);
  BOOST_TEST(std::abs(objective(problem, run.judged) + 0.5) <= 1e-12);  // the minimum along the step
}

BOOST_AUTO_TEST_CASE(falls_back_to_the_best_iterate_by_eq_24) {
  const Frozen frozen = freeze(world(), bed(5, 4, 4, 2, 0.02), Placement::slabs, Law::cone);
  const SolverRun run =
      run_solver(frozen.problem, "spg",
                 {.measure = Measure::gradient_step, .tolerance = 0.0, .max_iterations = 40, .keep_history = true});
  const auto by_eq_24 = [](const solvers::HistoryEntry& entry) { return entry.errors.gradient_step; };
  BOOST_TEST(!std::ranges::is_sorted(run.history, std::ranges::greater{}, by_eq_24));
  const double best = by_eq_24(*std::ranges::min_element(run.history, {}, by_eq_24));
  const parallel::Vector x = frozen.problem.make_vector(), w = frozen.problem.make_vector();
  {
    const parallel::WriteArray at(x), velocity(w);
    std::ranges::copy(run.judged.x, at.data());
    std::ranges::copy(run.judged.w, velocity.data());
  }
  BOOST_TEST(std::abs(measure_errors(frozen.problem, x, w).gradient_step - best) <= 1e-9 * best);
}

BOOST_AUTO_TEST_CASE(makes_one_product_an_iteration_whatever_its_options) {
  const Frozen frozen = freeze(world(), bed(5, 4, 4, 2, 0.02), Placement::slabs, Law::cone);
  for (const char* scaling : {"averaged", "anisotropic"})
    for (const int memory : {1, 10}) {
      const SolverRun run = run_solver(frozen.problem, "spg", {.tolerance = 1e-6, .max_iterations = 2000},
                                       {{"scaling", scaling}, {"memory", memory}});
      BOOST_TEST_CONTEXT(scaling << ", " << memory << ": " << run.iterations) {
        BOOST_TEST(run.converged);
        BOOST_TEST(run.products == 2 + run.iterations);
      }
    }
}
