// The outer loops that make Coulomb's law of simpler ones: adaptive_bounds, de_saxce and tresca agree on the
// velocities.
#include <string>
#include <utility>

#include "scree/solvers/adaptive_bounds.hpp"
#include "scree/solvers/de_saxce.hpp"
#include "scree/solvers/registry.hpp"
#include "scree/solvers/tresca.hpp"
#include "support/frozen.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using problem::Law;

BOOST_AUTO_TEST_CASE(each_outer_loop_solves_a_bed_with_coulomb_friction) {
  using problem::ContactProblem;
  using solvers::Monitor;
  const std::pair<std::string, solvers::SolveFunction> loops[] = {
      {"adaptive-bounds", [](const ContactProblem& p, Vec x, Monitor& m) { solvers::adaptive_bounds(p, x, m, {}); }},
      {"de-saxce", [](const ContactProblem& p, Vec x, Monitor& m) { solvers::de_saxce(p, x, m, {}); }},
      {"tresca", [](const ContactProblem& p, Vec x, Monitor& m) { solvers::tresca(p, x, m, {}); }}};
  for (const auto& [name, loop] : loops) {
    const Frozen frozen = freeze(world(), bed(3, 3, 2, 4), Placement::slabs, Law::coulomb);
    const parallel::Vector x = frozen.problem.make_vector();
    solvers::Monitor monitor(frozen.problem, {.tolerance = 1e-6, .max_iterations = 3000});
    loop(frozen.problem, x, monitor);
    BOOST_TEST(monitor.converged(), name);

    const parallel::Vector w = frozen.problem.make_vector();
    frozen.problem.N->apply(x, w);
    parallel::petsc(VecAXPY(w, 1.0, frozen.problem.r));
    BOOST_TEST(measure_errors(frozen.problem, x, w).natural <= 1.0001e-6, name);
  }
}
