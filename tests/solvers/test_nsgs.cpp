#include "scree/solvers/nsgs.hpp"

#include "scree/parallel/error.hpp"
#include "scree/problem/local_solvers.hpp"
#include "scree/solvers/npgs.hpp"
#include "support/frozen.hpp"
#include "support/sparse_forms.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using problem::Law;
using solvers::NsgsOptions;

namespace {

struct Run {
  parallel::Vector x;
  bool converged;
};

Run run(const problem::ContactProblem& problem, double tolerance, int max_iterations, const NsgsOptions& options) {
  solvers::Monitor monitor(problem, {.tolerance = tolerance, .max_iterations = max_iterations, .check_every = 1});
  parallel::Vector x = problem.make_vector();
  solvers::nsgs(problem, x, monitor, options);
  return {std::move(x), monitor.converged()};
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_local_solver_reaches_the_velocities_of_npgs) {
  const parallel::Comm self(MPI_COMM_SELF);
  const FrozenScene scene = bed(4, 3, 2, 4);
  for (const auto& local : problem::local_solvers())
    for (const auto& info : laws_of_beds()) {
      if (!local.takes(info.law)) continue;
      const Frozen whole = freeze(self, scene, Placement::slabs, info.law);
      const parallel::Vector reference = whole.problem.make_vector();
      solvers::Monitor monitor(whole.problem, {.tolerance = 1e-8, .max_iterations = 3000});
      solvers::npgs(whole.problem, reference, monitor, {});
      for (const Placement placement : {Placement::slabs, Placement::scattered}) {
        const Frozen frozen = freeze(world(), scene, placement, info.law);
        const Run solved = run(frozen.problem, 1e-8, 3000, {.local = std::string(local.name)});
        BOOST_TEST_CONTEXT(local.name << " on " << info.name << ", " << name_of(placement)) {
          BOOST_TEST(solved.converged);
          const Judged here = judge(frozen.problem, solved.x);
          BOOST_TEST(here.natural <= 1.0001e-8);
          if (!is_convex(info.law)) continue;  // velocities are not unique
          const Distance distance = compare(frozen, here, whole, judge(whole.problem, reference));
          BOOST_TEST(distance.velocities <= distance.allowed + 1e-12 * distance.scale);
        }
      }
    }
}

BOOST_AUTO_TEST_CASE(blocks_with_coupling_are_solved_too) {
  // Bodies of any shape: normal and tangential rows of a contact act on each other.
  RandomMatrices random(12);
  const DenseGlobal chain = random.chain(6, 14);
  for (const auto& local : problem::local_solvers())
    for (const Law law : {Law::frictionless, Law::cone, Law::coulomb}) {
      if (!local.takes(law)) continue;
      problem::SparseProblem sparse = make_sparse(chain);
      sparse.problem.K.law = law;
      const Run solved = run(sparse.problem, 1e-7, 20000, {.local = std::string(local.name)});
      BOOST_TEST(solved.converged, local.name << " on " << name_of(law));
      BOOST_TEST(judge(sparse.problem, solved.x).natural <= 1.0001e-7);
    }
}

BOOST_AUTO_TEST_CASE(friction_bounds_may_follow_in_an_outer_loop) {
  const Frozen frozen = freeze(world(), bed(3, 3, 2, 4), Placement::slabs, Law::coulomb);
  for (const std::string local : {"newton", "dissipation"}) {
    const Run solved = run(frozen.problem, 1e-6, 100, {.local = local, .bounds = "outer"});
    BOOST_TEST(solved.converged, local);
    BOOST_TEST(judge(frozen.problem, solved.x).natural <= 1.0001e-6, local);
  }
}

BOOST_AUTO_TEST_CASE(a_local_solver_that_cannot_take_the_law_is_refused) {
  const Frozen frozen = freeze(world(), bed(2, 2, 1, 4), Placement::slabs, Law::coulomb);
  const auto names_those_that_can = [](const InputError& error) {
    const std::string message = error.what();
    return message.find("'pivoting'") != std::string::npos && message.find("newton, dissipation") != std::string::npos;
  };
  BOOST_CHECK_EXCEPTION((void)run(frozen.problem, 1e-6, 1, {.local = "pivoting"}), InputError, names_those_that_can);
}
