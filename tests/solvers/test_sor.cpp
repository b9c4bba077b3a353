#include "scree/solvers/sor.hpp"

#include <cmath>

#include "scree/solvers/pgs.hpp"
#include "support/frozen.hpp"
#include "support/run_solver.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using problem::Coupling;
using problem::Law;

namespace {

template <typename Solver>
SolverRun run(const Frozen& frozen, double tolerance, int max_iterations, Solver&& solver) {
  return run_method(frozen.problem, {.tolerance = tolerance, .max_iterations = max_iterations, .check_every = 1},
                    solver);
}

SolverRun run_sor(const Frozen& frozen, double tolerance, int max_iterations, double omega) {
  return run(frozen, tolerance, max_iterations,
             [&](const auto& problem, Vec x, auto& monitor) { solvers::sor(problem, x, monitor, {omega}); });
}

}  // namespace

BOOST_AUTO_TEST_CASE(with_omega_1_spheres_are_swept_as_by_pgs) {
  // Their blocks are diagonal: rows one after another are the block's solution, on all laws that sor takes.
  for (const Law law : {Law::frictionless, Law::box, Law::coulomb})
    for (const Coupling coupling : {Coupling::interface_splitting, Coupling::full_splitting, Coupling::colouring}) {
      const Frozen frozen = freeze(world(), bed(5, 4, 3, 2), Placement::slabs, law, {coupling});
      const SolverRun rows = run_sor(frozen, 0.0, 20, 1.0), blocks = run(frozen, 0.0, 20, solvers::pgs);
      double difference = 0.0, size = 0.0;
      for (std::size_t k = 0; k < rows.judged.x.size(); ++k) {
        difference = std::max(difference, std::abs(rows.judged.x[k] - blocks.judged.x[k]));
        size = std::max(size, std::abs(blocks.judged.x[k]));
      }
      BOOST_TEST(world().max(difference) <= 1e-12 * world().max(size), name_of(law) << ", " << name_of(coupling));
    }
}

BOOST_AUTO_TEST_CASE(converges_with_any_omega_between_0_and_2_on_bounds) {
  const parallel::Comm self(MPI_COMM_SELF);
  const FrozenScene scene = bed(4, 3, 3, 3);
  for (const Law law : {Law::frictionless, Law::box}) {
    const Frozen whole = freeze(self, scene, Placement::slabs, law);
    const SolverRun alone = run_sor(whole, 1e-8, 5000, 1.0);
    for (const double omega : {0.3, 1.0, 1.3, 1.7}) {
      const Frozen frozen = freeze(world(), scene, Placement::scattered, law);
      const SolverRun together = run_sor(frozen, 1e-8, 10000, omega);
      BOOST_TEST_CONTEXT(name_of(law) << ", omega " << omega) {
        BOOST_TEST(together.converged);
        const Distance distance = compare(frozen, together.judged, whole, alone.judged);
        BOOST_TEST(distance.velocities <= distance.allowed + 1e-12 * distance.scale);
        BOOST_TEST(distance.velocities <= 1e-5 * distance.scale);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(over_relaxation_saves_sweeps_without_friction) {
  const Frozen frozen = freeze(world(), bed(6, 5, 5, 1, 0.02), Placement::slabs, Law::frictionless);
  BOOST_TEST(run_sor(frozen, 1e-4, 5000, 1.3).iterations < run_sor(frozen, 1e-4, 5000, 1.0).iterations);
}
