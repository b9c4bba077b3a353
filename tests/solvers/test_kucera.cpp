#include "scree/solvers/kucera.hpp"

#include "support/run_solver.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using problem::Law;

BOOST_AUTO_TEST_CASE(ends_after_few_steps_where_no_contact_opens) {
  // Every contact is released within a few steps; conjugate gradients then solve a linear system of ten unknowns.
  const int height = 10;
  const Frozen frozen = freeze(world(), column(height), Placement::scattered, Law::frictionless);
  const SolverRun run = run_solver(frozen.problem, "kucera", {.tolerance = 1e-12, .max_iterations = 40});
  BOOST_TEST(run.converged);
}

BOOST_AUTO_TEST_CASE(agrees_with_npgs_on_sections_that_do_not_grow) {
  const parallel::Comm self(MPI_COMM_SELF);
  const FrozenScene scene = bed(5, 4, 3, 2, 0.02);
  for (const Law law : {Law::frictionless, Law::box, Law::prism, Law::cylinder}) {
    const Frozen whole = freeze(self, scene, Placement::slabs, law);
    const SolverRun expected =
        run_solver(whole.problem, "npgs", {.tolerance = 1e-8, .max_iterations = 5000, .check_every = 1});
    BOOST_TEST(expected.converged);
    const Frozen frozen = freeze(world(), scene, Placement::slabs, law);
    const SolverRun run = run_solver(frozen.problem, "kucera", {.tolerance = 1e-8, .max_iterations = 5000});
    BOOST_TEST_CONTEXT(name_of(law) << ": " << run.iterations) {
      BOOST_TEST(run.converged);
      BOOST_TEST(run.judged.natural <= 1.0001e-8);
      const Distance distance = compare(frozen, run.judged, whole, expected.judged);
      BOOST_TEST(distance.velocities <= distance.allowed + 1e-12 * distance.scale);
      BOOST_TEST(distance.velocities <= 1e-5 * distance.scale);
    }
  }
}

BOOST_AUTO_TEST_CASE(serves_the_fixed_point_of_tresca) {
  const Frozen frozen = freeze(world(), bed(4, 4, 3, 1), Placement::slabs, Law::coulomb);
  const SolverRun run =
      run_solver(frozen.problem, "tresca", {.tolerance = 1e-4, .max_iterations = 100}, {{"inner", "kucera"}});
  BOOST_TEST(run.converged);
  BOOST_TEST(run.judged.natural <= 1.0001e-4);
}

BOOST_AUTO_TEST_CASE(the_step_holds_however_roughly_the_norm_is_known) {
  const Frozen frozen = freeze(world(), bed(5, 4, 3, 2, 0.02), Placement::slabs, Law::box);
  for (const int steps : {2, 15}) {
    const SolverRun run =
        run_solver(frozen.problem, "kucera", {.tolerance = 1e-6, .max_iterations = 2000}, {{"norm_steps", steps}});
    BOOST_TEST(run.converged, steps << " Lanczos steps: " << run.judged.natural);
  }
}
