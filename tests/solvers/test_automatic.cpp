// ranks: 1 2 3 4
// timeout: 300
#include "scree/solvers/automatic.hpp"

#include <string>
#include <vector>

#include "support/gallery.hpp"
#include "support/run_solver.hpp"
#include "support/scramble.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using problem::Law;

namespace {

struct Run {
  std::vector<double> x;
  int iterations;
  bool converged;
  std::vector<std::string> notes;
};

/// Collective: from zero.
Run run(const problem::ContactProblem& problem, const std::string& solver, const solvers::StopRule& rule) {
  solvers::Monitor monitor(problem, rule);
  const parallel::Vector x = problem.make_vector();
  solvers::make_solver(solver, {}, problem.K.law)(problem, x, monitor);
  return {entries(x), monitor.iterations(), monitor.converged(), monitor.notes()};
}

bool says(const std::string& note, const std::string& decision) { return note.starts_with("auto: " + decision + ","); }

}  // namespace

BOOST_AUTO_TEST_CASE(is_npgs_to_the_last_bit_where_npgs_serves) {
  const Frozen frozen = freeze(world(), bed(5, 4, 3, 1), Placement::slabs, Law::cone);
  for (const double tolerance : {0.0, 1e-3, 1e-6}) {
    const solvers::StopRule rule{.tolerance = tolerance, .max_iterations = 200};
    const Run sweeps = run(frozen.problem, "npgs", rule), chosen = run(frozen.problem, "auto", rule);
    BOOST_TEST_CONTEXT("tolerance " << tolerance) {
      BOOST_TEST((chosen.x == sweeps.x));
      BOOST_TEST(chosen.iterations == sweeps.iterations);
      BOOST_REQUIRE(chosen.notes.size() == 1u);
      BOOST_TEST(says(chosen.notes[0], "npgs"), chosen.notes[0]);
    }
  }
}

BOOST_AUTO_TEST_CASE(small_problems_from_files_go_to_proximal_if_the_tolerance_is_tight) {
  for (unsigned k = 0; k < std::size(unit_systems); ++k) {
    const auto sparse = make_sparse(scramble(local_of(tower_of_boxes(4)), k + 1, unit_systems[k]));
    const Run tight = run(sparse.problem, "auto", {.tolerance = 1e-8, .max_iterations = 1000});
    BOOST_TEST(tight.converged);
    BOOST_REQUIRE(tight.notes.size() == 1u);
    BOOST_TEST(says(tight.notes[0], "proximal"), tight.notes[0]);
    const Run loose = run(sparse.problem, "auto", {.tolerance = 1e-2, .max_iterations = 1000});
    BOOST_TEST(says(loose.notes[0], "npgs"), loose.notes[0]);
  }
}

BOOST_AUTO_TEST_CASE(hands_over_when_sweeps_are_too_slow) {
  for (const DenseGlobal& dense : {tower_of_boxes(4), brick_wall(4, 0.6)}) {
    const auto sparse = make_sparse(dense);
    const solvers::StopRule rule{.tolerance = 1e-9, .max_iterations = 1000};
    solvers::Monitor monitor(sparse.problem, rule);
    const parallel::Vector x = sparse.problem.make_vector();
    solvers::automatic(sparse.problem, x, monitor, {.tight = 0.0});  // so sweeps get their chance
    BOOST_TEST(monitor.converged());
    BOOST_REQUIRE(monitor.notes().size() == 2u);
    BOOST_TEST(says(monitor.notes()[0], "npgs"), monitor.notes()[0]);
    BOOST_TEST(says(monitor.notes()[1], "proximal"), monitor.notes()[1]);
    BOOST_TEST(judge(sparse.problem, x).natural <= 1.01e-9);
    const Run sweeps = run(sparse.problem, "npgs", {.tolerance = 1e-9, .max_iterations = monitor.iterations()});
    BOOST_TEST(!sweeps.converged);
  }
}

BOOST_AUTO_TEST_CASE(what_it_decides_is_the_same_on_all_ranks) {
  const Frozen frozen = freeze(world(), bed(3, 3, 2, 4), Placement::even_ranks, Law::coulomb);
  const Run chosen = run(frozen.problem, "auto", {.tolerance = 1e-8, .max_iterations = 2000});
  BOOST_TEST(chosen.converged);
  std::string first = chosen.notes.back();
  world().broadcast(first);
  BOOST_TEST(first == chosen.notes.back());
}
