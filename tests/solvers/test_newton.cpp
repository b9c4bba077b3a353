// newton and gs-newton against pivot and on every kind of equation, subsystem and bounds.
// ranks: 1 2 3 4
// timeout: 600
#include "scree/solvers/newton.hpp"

#include <string>

#include "scree/parallel/error.hpp"
#include "scree/solvers/diagnosis.hpp"
#include "support/dense_operator.hpp"
#include "support/gallery.hpp"
#include "support/run_solver.hpp"

using namespace scree;
using namespace scree::test;
using problem::Law;
using solvers::OptionValues;

namespace {

SolverRun solve(const problem::ContactProblem& problem, const std::string& solver, double tolerance,
                const OptionValues& options = {}, int max_iterations = 100) {
  return run_solver(problem, solver, {.tolerance = tolerance, .max_iterations = max_iterations}, options);
}

/// What a solver says when it refuses; empty if it does not.
std::string refusal(const problem::ContactProblem& problem, const OptionValues& options) {
  try {
    (void)solve(problem, "newton", 1e-6, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

BOOST_AUTO_TEST_CASE(finds_the_velocities_of_pivot_by_every_equation_and_subsystem) {
  const parallel::Comm self(MPI_COMM_SELF);
  const FrozenScene scene = bed(4, 4, 3, 2);
  for (const Law law : {Law::frictionless, Law::box}) {
    const Frozen whole = freeze(self, scene, Placement::slabs, law);
    const SolverRun exact = solve(whole.problem, "pivot", 1e-13);
    BOOST_TEST(exact.converged);
    for (const Placement placement : {Placement::slabs, Placement::even_ranks}) {  // the latter leaves some empty
      const Frozen frozen = freeze(world(), scene, placement, law);
      for (const std::string solver : {"newton", "gs-newton"})
        for (const std::string equation : {"min-max", "normal-map"})
          for (const std::string subsystem : {"mumps", "cholmod", "cg", "minres", "gmres"}) {
            const SolverRun run =
                solve(frozen.problem, solver, 1e-9, {{"equation", equation}, {"subsystem", subsystem}});
            BOOST_TEST_CONTEXT(name_of(law) << ", " << name_of(placement) << ", " << solver << ", " << equation << ", "
                                            << subsystem << ": " << run.iterations << " iterations") {
              BOOST_TEST(run.converged);
              BOOST_TEST(run.judged.natural <= 1.0001e-9);
              BOOST_TEST(run.judged.outside == 0.0);
              BOOST_TEST(run.iterations <= 30);
              const Distance distance = compare(frozen, run.judged, whole, exact.judged);
              BOOST_TEST(distance.velocities <= 1e-7 * distance.scale);
            }
          }
    }
  }
}

BOOST_AUTO_TEST_CASE(takes_variable_bounds_with_their_derivative) {
  const Frozen frozen = freeze(world(), bed(4, 4, 3, 2), Placement::scattered, Law::coulomb);
  for (const std::string equation : {"min-max", "normal-map"})
    for (const std::string subsystem : {"mumps", "gmres"}) {
      const SolverRun run = solve(frozen.problem, "newton", 1e-9, {{"equation", equation}, {"subsystem", subsystem}});
      BOOST_TEST(run.converged, equation << ", " << subsystem);
      BOOST_TEST(run.judged.natural <= 1.0001e-9);
      BOOST_TEST(run.iterations <= 30);
    }
}

// The derivative is not that of F, so steps may fail to descend: alone on the normal map here, sweeps lead on.
BOOST_AUTO_TEST_CASE(takes_bounds_that_are_adapted_in_each_iteration) {
  const Frozen frozen = freeze(world(), bed(4, 4, 3, 2), Placement::scattered, Law::coulomb);
  const OptionValues adapted = {{"bounds", "adapted"}};
  const SolverRun lagging = solve(frozen.problem, "newton", 1e-9, adapted),
                  exact = solve(frozen.problem, "newton", 1e-9);
  BOOST_TEST(lagging.converged);
  BOOST_TEST(lagging.iterations > exact.iterations);
  for (const std::string equation : {"min-max", "normal-map"}) {
    const SolverRun run = solve(frozen.problem, "gs-newton", 1e-9, {{"equation", equation}, {"bounds", "adapted"}});
    BOOST_TEST(run.converged, equation);
    BOOST_TEST(run.judged.natural <= 1.0001e-9);
  }
}

BOOST_AUTO_TEST_CASE(redundant_contacts_are_taken_under_every_law) {
  problem::SparseProblem sparse = make_sparse(brick_wall(12, 0.6));
  sparse.problem.K.bound.assign(sparse.problem.K.friction.size(), 0.05);
  for (const auto& law : problem::laws()) {
    sparse.problem.K.law = law.law;
    for (const std::string solver : {"newton", "gs-newton"}) {
      const SolverRun run = solve(sparse.problem, solver, 1e-9);
      BOOST_TEST(run.converged, solver << ", " << law.name << ": " << run.iterations << ", " << run.judged.natural);
      BOOST_TEST(run.judged.natural <= 1.0001e-9);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_few_steps_are_enough_once_sweeps_have_found_the_active_set) {
  const Frozen frozen = freeze(world(), bed(5, 4, 4, 1, 0.02), Placement::slabs, Law::frictionless);
  const SolverRun run = solve(frozen.problem, "gs-newton", 1e-10, {{"sweeps", 25}});
  BOOST_TEST(run.converged);
  BOOST_TEST(run.iterations <= 5);  // sweeps, and a few steps
  BOOST_TEST(!solve(frozen.problem, "npgs", 1e-10, {}, 25).converged);
}

// Two rows that contradict each other: 1/2 |F|^2 has a minimum above zero, in which the line search ends.
BOOST_AUTO_TEST_CASE(a_local_minimum_is_reported_and_the_best_iterate_returned) {
  Eigen::Matrix3d N{{1.0, -1.0, 0.0}, {-1.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  problem::ConstraintSet K;
  if (world().rank() + 1 == world().size()) K.joints = {{{0.0, 0.0, 0.0}, {HUGE_VAL, HUGE_VAL, HUGE_VAL}}};
  const problem::ContactProblem problem{std::make_unique<DenseOperator>(N),
                                        dense_vector(Eigen::Vector3d(-1.0, 0.0, -0.5)), K};
  for (const std::string equation : {"min-max", "normal-map"}) {
    const parallel::Vector x = problem.make_vector();
    solvers::Monitor monitor(
        problem,
        {.measure = problem::Measure::energy, .tolerance = 1e-9, .max_iterations = 1000, .keep_history = true});
    solvers::make_solver("newton", {{"equation", equation}}, Law::frictionless)(problem, x, monitor);
    const solvers::Diagnosis diagnosis = diagnose(monitor);
    BOOST_TEST_CONTEXT(equation << ", " << monitor.iterations() << " iterations: " << diagnosis.reason) {
      BOOST_TEST(!monitor.converged());
      BOOST_TEST(monitor.iterations() < 1000);
      BOOST_TEST((diagnosis.ending == solvers::Ending::gave_up));
      BOOST_TEST(contains(diagnosis.reason, "line search"));
      double least = HUGE_VAL;
      for (const auto& entry : monitor.history()) least = std::min(least, entry.errors.energy);
      const parallel::Vector w = problem.make_vector();
      problem.N->apply(x, w);
      parallel::petsc(VecAXPY(w, 1.0, problem.r));
      BOOST_TEST(measure_errors(problem, x, w).energy == least, boost::test_tools::tolerance(1e-9));
    }
  }
}

BOOST_AUTO_TEST_CASE(what_the_subsystem_cannot_take_is_refused) {
  const Frozen cone = freeze(world(), bed(3, 3, 2, 4), Placement::slabs, Law::cone);
  for (const std::string subsystem : {"cg", "minres", "cholmod"})
    BOOST_TEST(contains(refusal(cone.problem, {{"subsystem", subsystem}}), "gmres"), subsystem);
  BOOST_TEST(refusal(cone.problem, {{"subsystem", "gmres"}}).empty());
  const std::string message = refusal(cone.problem, {{"memory", 1e-9}});
  for (const char* part : {"'newton'", "GB", "npgs"}) BOOST_TEST(contains(message, part), message);
}
