// multigrid by both transfers against pivot, on every rank count; small coarsest problems force several levels.
// ranks: 1 2 3 4
// timeout: 300
#include "scree/solvers/multigrid.hpp"

#include <string>

#include "scree/parallel/error.hpp"
#include "support/gallery.hpp"
#include "support/run_solver.hpp"

using namespace scree;
using namespace scree::test;
using problem::Law;
using solvers::OptionValues;

namespace {

SolverRun solve(const problem::ContactProblem& problem, const OptionValues& options, double tolerance,
                int max_iterations = 500) {
  return run_solver(problem, "multigrid",
                    {.tolerance = tolerance, .max_iterations = max_iterations, .check_every = 1, .keep_history = true},
                    options);
}

/// What the solver says when it refuses; empty if it does not.
std::string refusal(const problem::ContactProblem& problem, const OptionValues& options) {
  try {
    (void)solve(problem, options, 1e-6, 5);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

BOOST_AUTO_TEST_CASE(finds_the_velocities_of_pivot_by_every_transfer_and_cycle) {
  const parallel::Comm self(MPI_COMM_SELF);
  const FrozenScene scene = bed(3, 3, 8, 2);
  for (const Law law : {Law::frictionless, Law::box}) {
    const Frozen whole = freeze(self, scene, Placement::slabs, law);
    const SolverRun exact = run_solver(whole.problem, "pivot", {.tolerance = 1e-13});
    for (const Placement placement : {Placement::scattered, Placement::even_ranks}) {  // the latter leaves some empty
      const Frozen frozen = freeze(world(), scene, placement, law);
      for (const std::string transfer : {"velocities", "impulses"})
        for (const std::string cycle : {"v", "w"}) {
          const SolverRun run =
              solve(frozen.problem, {{"transfer", transfer}, {"cycle", cycle}, {"coarsest", 20}}, 1e-8);
          BOOST_TEST_CONTEXT(name_of(law) << ", " << name_of(placement) << ", " << transfer << ", " << cycle << ": "
                                          << run.iterations << " cycles") {
            BOOST_TEST(run.converged);
            BOOST_TEST(run.judged.natural <= 1.0001e-8);
            BOOST_TEST(run.judged.outside <= 1e-14);
            const Distance distance = compare(frozen, run.judged, whole, exact.judged);
            BOOST_TEST(distance.velocities <= 1e-5 * distance.scale);
          }
        }
    }
  }
}

// Sweeps and searched corrections both minimise: the objective cannot rise.
BOOST_AUTO_TEST_CASE(no_cycle_raises_the_objective) {
  const Frozen frozen = freeze(world(), bed(4, 4, 6, 3), Placement::slabs, Law::box);
  for (const std::string transfer : {"velocities", "impulses"}) {
    const SolverRun run =
        solve(frozen.problem, {{"transfer", transfer}, {"coarsest", 20}, {"first_sweeps", 1}}, 0.0, 15);
    for (std::size_t k = 1; k < run.history.size(); ++k)
      BOOST_TEST(
          run.history[k].objective <= run.history[k - 1].objective + 1e-12 * std::abs(run.history[k - 1].objective),
          transfer << ", cycle " << k);
  }
}

// What the paper does: corrections are added whole, or not where they leave the bounds. Without friction that
// converges.
BOOST_AUTO_TEST_CASE(impulses_are_corrected_as_in_the_paper_without_friction) {
  const Frozen frozen = freeze(world(), bed(3, 3, 8, 2), Placement::slabs, Law::frictionless);
  for (const std::string correction : {"project", "reject"}) {
    const SolverRun run =
        solve(frozen.problem, {{"transfer", "impulses"}, {"correction", correction}, {"coarsest", 20}}, 1e-8);
    BOOST_TEST(run.converged, correction << ", " << run.judged.natural);
  }
}

BOOST_AUTO_TEST_CASE(a_tall_pile_takes_fewer_sweeps_with_coarse_impulses_than_without) {
  const Frozen frozen = freeze(world(), bed(4, 4, 30, 1), Placement::last_rank, Law::frictionless);
  const auto sweeps_of = [&](const std::string& solver, const OptionValues& options) {
    const std::int64_t before = frozen.problem.N->sweeps();
    const SolverRun run =
        run_solver(frozen.problem, solver, {.tolerance = 1e-6, .max_iterations = 5000, .check_every = 1}, options);
    BOOST_TEST(run.converged, solver);
    return frozen.problem.N->sweeps() - before;
  };
  BOOST_TEST(2 * sweeps_of("multigrid", {{"transfer", "impulses"}}) < sweeps_of("pgs", {}));
}

BOOST_AUTO_TEST_CASE(small_problems_are_solved_directly) {
  const Frozen frozen = freeze(world(), bed(3, 3, 2, 4), Placement::slabs, Law::box);
  const SolverRun run = solve(frozen.problem, {}, 1e-9);
  BOOST_TEST(run.converged);
  BOOST_TEST(run.iterations == 1);
}

BOOST_AUTO_TEST_CASE(what_cannot_work_is_refused) {
  problem::SparseProblem sparse = make_sparse(brick_wall(12, 0.6));
  sparse.problem.K.law = Law::frictionless;
  BOOST_TEST(contains(refusal(sparse.problem, {{"transfer", "velocities"}}), "impulses"));
  BOOST_TEST(refusal(sparse.problem, {{"transfer", "impulses"}}).empty());
  BOOST_TEST(contains(refusal(sparse.problem, {{"transfer", "impulses"}, {"memory", 1e-9}}), "GB"));
  const Frozen frozen = freeze(world(), bed(3, 3, 2, 4), Placement::slabs, Law::frictionless);
  BOOST_TEST(contains(refusal(frozen.problem, {{"transfer", "velocities"}, {"correction", "project"}}), "search"));
}
