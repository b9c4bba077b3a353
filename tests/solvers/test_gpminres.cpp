#include "scree/solvers/gpminres.hpp"

#include <cmath>

#include "scree/solvers/jacobi.hpp"
#include "support/frozen.hpp"
#include "support/run_solver.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using problem::Law;

namespace {

template <typename Solver>
SolverRun run(const Frozen& frozen, double tolerance, int max_iterations, Solver&& solver) {
  return run_method(frozen.problem, {.tolerance = tolerance, .max_iterations = max_iterations}, solver);
}

SolverRun run_gpminres(const Frozen& frozen, double tolerance, int max_iterations,
                       const solvers::GpminresOptions& options = {}) {
  return run(frozen, tolerance, max_iterations,
             [&](const auto& problem, Vec x, auto& monitor) { solvers::gpminres(problem, x, monitor, options); });
}

}  // namespace

BOOST_AUTO_TEST_CASE(needs_at_most_a_third_of_the_products_of_jacobi) {
  for (const Law law : {Law::frictionless, Law::box}) {
    const Frozen frozen = freeze(world(), bed(6, 5, 3, 1, 0.02), Placement::slabs, law);
    const SolverRun krylov = run_gpminres(frozen, 1e-6, 200);
    BOOST_TEST_CONTEXT(name_of(law) << ": " << krylov.products) {
      BOOST_TEST(krylov.converged);
      BOOST_TEST(krylov.judged.natural <= 1.0001e-6);
      // Jacobi, one product an iteration, is still above the tolerance after three times as many.
      const int limit = static_cast<int>(3 * krylov.products);
      BOOST_TEST(!run(frozen, 1e-6, limit, [](const auto& problem, Vec x, auto& monitor) {
                    solvers::jacobi(problem, x, monitor, {});
                  }).converged);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_column_is_a_linear_system_solved_in_one_krylov_phase) {
  // All contacts are active, so minimum residuals end after as many steps as there are unknowns.
  const int height = 10;
  const Frozen frozen = freeze(world(), column(height), Placement::scattered, Law::frictionless);
  const SolverRun solved = run_gpminres(frozen, 1e-12, 3, {.eta2 = 0.0, .krylov_steps = height});
  BOOST_TEST(solved.converged);
  for (std::size_t k = 0; k < frozen.ids.size(); ++k) {
    const auto upper = frozen.ids[k].second < 0 ? frozen.ids[k].first : frozen.ids[k].second;
    const double weight = static_cast<double>(height - upper) * gravity * 5e-3;
    BOOST_TEST(std::abs(solved.judged.x[3 * k] - weight) <= 1e-10 * weight);
  }
}

BOOST_AUTO_TEST_CASE(takes_the_same_iterations_on_every_number_of_ranks) {
  const parallel::Comm self(MPI_COMM_SELF);
  const FrozenScene scene = bed(5, 4, 4, 2, 0.02);
  for (const Law law : {Law::frictionless, Law::box}) {
    const Frozen whole = freeze(self, scene, Placement::slabs, law);
    const SolverRun alone = run_gpminres(whole, 1e-6, 500);
    BOOST_TEST(alone.converged);
    for (const Placement placement : all_placements) {
      BOOST_TEST_CONTEXT(name_of(law) << ", " << name_of(placement)) {
        const Frozen frozen = freeze(world(), scene, placement, law);
        const SolverRun together = run_gpminres(frozen, 1e-6, 500);
        BOOST_TEST(std::abs(together.iterations - alone.iterations) <= 1);
        const Distance distance = compare(frozen, together.judged, whole, alone.judged);
        BOOST_TEST(distance.velocities <= distance.allowed + 1e-12 * distance.scale);
        BOOST_TEST(distance.velocities <= 1e-4 * distance.scale);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(reaches_a_very_small_residual) {
  for (const Law law : {Law::frictionless, Law::box}) {
    const Frozen frozen = freeze(world(), bed(4, 4, 3, 3), Placement::slabs, law);
    const SolverRun solved = run_gpminres(frozen, 1e-10, 300);
    BOOST_TEST(solved.converged, name_of(law) << ": " << solved.judged.natural);
    BOOST_TEST(solved.judged.outside == 0.0);
  }
}
