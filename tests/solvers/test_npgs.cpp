#include "scree/solvers/npgs.hpp"

#include <cmath>

#include "scree/solvers/pgs.hpp"
#include "support/frozen.hpp"
#include "support/gallery.hpp"
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

SolverRun run_npgs(const Frozen& frozen, double tolerance, int max_iterations, int refresh_every = 300) {
  return run(frozen, tolerance, max_iterations, [&](const auto& problem, Vec x, auto& monitor) {
    solvers::npgs(problem, x, monitor, {.refresh_every = refresh_every});
  });
}

/// Five layers that hold each other: plain sweeps are slow here.
FrozenScene tight_bed() { return bed(6, 5, 5, 1, 0.02); }

}  // namespace

BOOST_AUTO_TEST_CASE(needs_at_most_half_the_sweeps_of_pgs) {
  const FrozenScene scene = tight_bed();
  for (const Law law : {Law::frictionless, Law::box, Law::cone})
    for (const Coupling coupling : {Coupling::interface_splitting, Coupling::full_splitting, Coupling::colouring}) {
      const Frozen frozen = freeze(world(), scene, Placement::slabs, law, {coupling});
      const SolverRun accelerated = run_npgs(frozen, 1e-4, 2000);
      BOOST_TEST_CONTEXT(name_of(law) << ", " << name_of(coupling) << ": " << accelerated.iterations) {
        BOOST_TEST(accelerated.converged);
        BOOST_TEST(accelerated.judged.natural <= 1.0001e-4);
        // Plain sweeps are still above the tolerance after twice as many.
        BOOST_TEST(!run(frozen, 1e-4, 2 * accelerated.iterations, solvers::pgs).converged);
      }
    }
}

BOOST_AUTO_TEST_CASE(all_couplings_reach_a_small_residual_wherever_bodies_live) {
  const parallel::Comm self(MPI_COMM_SELF);
  const FrozenScene scene = bed(5, 4, 4, 2, 0.02);
  const Frozen whole = freeze(self, scene, Placement::slabs, Law::cone);
  const SolverRun alone = run_npgs(whole, 1e-8, 3000);
  for (const Coupling coupling : {Coupling::interface_splitting, Coupling::full_splitting, Coupling::colouring})
    for (const Placement placement : all_placements) {
      const Frozen frozen = freeze(world(), scene, placement, Law::cone, {coupling});
      const SolverRun together = run_npgs(frozen, 1e-8, 3000);
      BOOST_TEST_CONTEXT(name_of(coupling) << ", " << name_of(placement)) {
        BOOST_TEST(together.converged);
        BOOST_TEST(together.judged.natural <= 1.0001e-8);
        const Distance distance = compare(frozen, together.judged, whole, alone.judged);
        BOOST_TEST(distance.velocities <= distance.allowed + 1e-12 * distance.scale);
        BOOST_TEST(distance.velocities <= 1e-5 * distance.scale);
      }
    }
}

BOOST_AUTO_TEST_CASE(recomputing_velocities_changes_nothing_but_rounding) {
  const Frozen frozen = freeze(world(), bed(4, 4, 3, 3), Placement::slabs, Law::frictionless);
  // Few sweeps: once all has converged, rounding decides when the acceleration restarts.
  const SolverRun often = run_npgs(frozen, 0.0, 12, 1);
  const SolverRun never = run_npgs(frozen, 0.0, 12, 1000);
  double change = 0.0, size = 0.0;
  for (std::size_t k = 0; k < often.judged.x.size(); ++k) {
    change = std::max(change, std::abs(often.judged.x[k] - never.judged.x[k]));
    size = std::max(size, std::abs(never.judged.x[k]));
  }
  BOOST_TEST(world().max(change) <= 1e-12 * world().max(size));
}

BOOST_AUTO_TEST_CASE(the_motion_it_judges_by_is_that_of_its_impulses) {
  // Thousands of sweeps after convergence, with velocities carried along by linear combination, nothing drifts away.
  const Frozen frozen = freeze(world(), bed(3, 3, 2, 4), Placement::slabs, Law::cone);
  const SolverRun solved = run_npgs(frozen, 0.0, 2000, 1000000);
  BOOST_TEST(solved.judged.natural <= 1e-13);
}

BOOST_AUTO_TEST_CASE(symmetric_sweeps_reach_the_same_velocities_on_all_couplings) {
  const parallel::Comm self(MPI_COMM_SELF);
  const FrozenScene scene = bed(5, 4, 4, 2, 0.02);
  const auto symmetric = [](const auto& problem, Vec x, auto& monitor) {
    solvers::npgs(problem, x, monitor, {.sweep = "symmetric"});
  };
  for (const Law law : {Law::cone, Law::coulomb}) {
    const Frozen whole = freeze(self, scene, Placement::slabs, law);
    const SolverRun alone = run_npgs(whole, 1e-8, 3000);
    for (const Coupling coupling : {Coupling::interface_splitting, Coupling::full_splitting, Coupling::colouring})
      for (const Placement placement : all_placements) {
        const Frozen frozen = freeze(world(), scene, placement, law, {coupling});
        const SolverRun together = run(frozen, 1e-8, 3000, symmetric);
        BOOST_TEST_CONTEXT(name_of(law) << ", " << name_of(coupling) << ", " << name_of(placement)) {
          BOOST_TEST(together.converged);
          BOOST_TEST(together.judged.natural <= 1.0001e-8);
          if (!is_convex(law)) continue;  // velocities are not unique
          const Distance distance = compare(frozen, together.judged, whole, alone.judged);
          BOOST_TEST(distance.velocities <= distance.allowed + 1e-12 * distance.scale);
          BOOST_TEST(distance.velocities <= 1e-5 * distance.scale);
        }
      }
  }
}

BOOST_AUTO_TEST_CASE(symmetric_sweeps_solve_a_hyperstatic_tower) {
  const int height = 4;
  for (const Law law : {Law::cone, Law::coulomb}) {
    problem::SparseProblem sparse = make_sparse(tower_of_boxes(height));
    sparse.problem.K.law = law;
    solvers::Monitor monitor(sparse.problem, {.tolerance = 1e-8, .max_iterations = 2000, .check_every = 1});
    const parallel::Vector x = sparse.problem.make_vector();
    solvers::npgs(sparse.problem, x, monitor, {.sweep = "symmetric"});
    BOOST_TEST(monitor.converged(), name_of(law));
    BOOST_TEST(judge(sparse.problem, x).natural <= 1.0001e-8);
    const Eigen::VectorXd impulses = whole_of(x);
    for (int box = 0; box < height; ++box) {  // it stands: each level carries what is above
      double carried = 0.0;
      for (int foot = 0; foot < 4; ++foot) carried += impulses[12 * box + 3 * foot];
      const double weight = (height - box) * gravity * 5e-3;
      BOOST_TEST(std::abs(carried - weight) <= 1e-5 * weight, name_of(law) << ", box " << box);
    }
  }
}
