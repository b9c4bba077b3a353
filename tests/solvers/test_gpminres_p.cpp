// timeout: 300
#include "scree/solvers/gpminres_p.hpp"

#include <string>

#include "scree/solvers/tresca.hpp"
#include "support/frozen.hpp"
#include "support/run_solver.hpp"
#include "support/sparse_forms.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using problem::Law;

namespace {

template <typename Solver>
SolverRun run(const problem::ContactProblem& problem, double tolerance, int max_iterations, Solver&& solver) {
  return run_method(problem, {.tolerance = tolerance, .max_iterations = max_iterations}, solver);
}

SolverRun run_p(const problem::ContactProblem& problem, double tolerance, int max_iterations, const std::string& kind) {
  solvers::GpminresPOptions options;
  options.preconditioner = kind;
  return run(problem, tolerance, max_iterations,
             [&](const auto& p, Vec x, auto& monitor) { solvers::gpminres_p(p, x, monitor, options); });
}

}  // namespace

BOOST_AUTO_TEST_CASE(needs_fewer_products_than_gpminres) {
  const Frozen frozen = freeze(world(), bed(5, 4, 4, 1, 0.02), Placement::slabs, Law::frictionless);
  const SolverRun plain =
      run(frozen.problem, 1e-8, 500, [](const auto& p, Vec x, auto& monitor) { solvers::gpminres(p, x, monitor, {}); });
  for (const std::string kind : {"bjacobi", "gamg", "cholesky"}) {
    const SolverRun solved = run_p(frozen.problem, 1e-8, 500, kind);
    BOOST_TEST(solved.converged, kind);
    BOOST_TEST(solved.judged.natural <= 1.0001e-8, kind);
    BOOST_TEST(solved.products < plain.products, kind << ": " << solved.products << " against " << plain.products);
  }
}

BOOST_AUTO_TEST_CASE(all_preconditioners_lead_to_the_same_velocities_wherever_bodies_live) {
  const parallel::Comm self(MPI_COMM_SELF);
  const FrozenScene scene = bed(4, 3, 2, 2);
  for (const Law law : {Law::frictionless, Law::box}) {
    const Frozen whole = freeze(self, scene, Placement::slabs, law);
    const SolverRun alone = run_p(whole.problem, 1e-8, 500, "bjacobi");
    for (const std::string kind : {"bjacobi", "gamg", "cholesky"})
      for (const Placement placement : {Placement::scattered, Placement::even_ranks}) {  // the latter leaves some empty
        const Frozen frozen = freeze(world(), scene, placement, law);
        const SolverRun together = run_p(frozen.problem, 1e-8, 500, kind);
        BOOST_TEST_CONTEXT(name_of(law) << ", " << kind << ", " << name_of(placement)) {
          BOOST_TEST(together.converged);
          const Distance distance = compare(frozen, together.judged, whole, alone.judged);
          BOOST_TEST(distance.velocities <= distance.allowed + 1e-12 * distance.scale);
          BOOST_TEST(distance.velocities <= 1e-5 * distance.scale);
        }
      }
  }
}

BOOST_AUTO_TEST_CASE(problems_from_files_are_preconditioned_alike) {
  RandomMatrices random(13);
  problem::SparseProblem sparse = make_sparse(random.chain(7, 20));
  sparse.problem.K.law = Law::frictionless;
  for (const std::string kind : {"bjacobi", "gamg", "cholesky"})
    BOOST_TEST(run_p(sparse.problem, 1e-9, 200, kind).converged, kind);
}

BOOST_AUTO_TEST_CASE(coulombs_law_by_the_fixed_point_of_its_bounds) {
  const Frozen frozen = freeze(world(), bed(3, 3, 2, 4), Placement::slabs, Law::coulomb);
  for (const std::string inner : {"gpminres", "gpminres-p"}) {
    const SolverRun solved = run(frozen.problem, 1e-6, 100, [&](const auto& p, Vec x, auto& monitor) {
      solvers::tresca(p, x, monitor, {.inner = inner});
    });
    BOOST_TEST(solved.converged, inner);
    BOOST_TEST(solved.judged.natural <= 1.0001e-6, inner);
  }
}
