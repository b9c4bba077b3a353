#include "scree/solvers/automatic.hpp"

#include <fmt/format.h>

#include <cmath>

#include "scree/parallel/error.hpp"
#include "scree/problem/newton_system.hpp"
#include "scree/solvers/diagnosis.hpp"
#include "scree/solvers/npgs.hpp"
#include "scree/solvers/proximal.hpp"
#include "scree/solvers/registry.hpp"

namespace scree::solvers {

namespace {

constexpr double few_blocks = 2000.0;

/// How many Newton steps `proximal` is expected to take: a dozen on small problems, as measured; on beds many contacts
/// change between open, sticking and sliding on the way.
double expected_newton_steps(const problem::ConstraintSet& K, double blocks) {
  if (blocks <= few_blocks) return 12.0;
  return K.all_laws().without(problem::Law::frictionless).empty() ? 30.0 : 100.0;
}

/// Collective: what `proximal` is expected to cost, in sweeps: Newton steps, each with factors and some thousands of
/// multiplications for each block.
double newton_cost_in_sweeps(const problem::ContactProblem& problem, double blocks, double factor_operations) {
  constexpr double per_block = 7000.0;
  const double sweep = problem.N->comm().sum(problem.N->sweep_cost());
  const double steps = expected_newton_steps(problem.K, blocks);
  return sweep > 0.0 ? std::ceil(steps * (per_block * blocks + factor_operations) / sweep) : 0.0;
}

/// Collective: npgs until it converges, is out of iterations, or has made `worth` sweeps and would need as many again.
/// Tells whether the last is the case.
bool sweeps_are_too_slow(const problem::ContactProblem& problem, Vec x, Monitor& monitor, double worth) {
  monitor.interrupt_when([&] { return monitor.iterations() >= worth && iterations_to_go(monitor) > worth; });
  npgs(problem, x, monitor, {});
  const bool too_slow = monitor.interrupted();
  monitor.interrupt_when({});
  return too_slow;
}

/// Collective: leaves the problem to npgs where that serves. Tells whether it did; else x is the best iterate so far.
bool sweeps_serve(const problem::ContactProblem& problem, Vec x, Monitor& monitor, const AutomaticOptions& options) {
  const StopRule& rule = monitor.rule();
  const auto blocks = static_cast<double>(problem.N->comm().sum(std::int64_t{problem.N->block_count()}));
  double worth = newton_cost_in_sweeps(problem, blocks, 0.0);
  constexpr double few_sweeps = 100.0;
  if (rule.tolerance <= options.tight && worth <= few_sweeps && blocks <= few_blocks) {
    monitor.note(fmt::format("auto: proximal, for {:.0f} contacts and joints to {:g} cost it about {:.0f} sweeps",
                             blocks, rule.tolerance, worth));
    return false;
  }
  monitor.note(fmt::format("auto: npgs, for Newton's method would cost {:.0f} sweeps or more", worth));
  if (!sweeps_are_too_slow(problem, x, monitor, worth)) return true;
  worth = newton_cost_in_sweeps(problem, blocks, problem::make_newton_system(problem, {})->operations());
  if (iterations_to_go(monitor) <= worth && !sweeps_are_too_slow(problem, x, monitor, worth)) return true;
  monitor.note(
      fmt::format("auto: proximal, for after {} sweeps the {} error is {:.2g} and would need {:.2g} more; "
                  "Newton's method costs about {:.0f}",
                  monitor.iterations(), name_of(rule.measure), value_of(monitor.errors(), rule.measure),
                  iterations_to_go(monitor), worth));
  return false;
}

/// Collective: proximal, and where it gets no further interior points, which do not depend on where it got stuck.
void solve_accurately(const problem::ContactProblem& problem, Vec x, Monitor& monitor) {
  ProximalOptions options;
  constexpr double near_a_solution = 1e-5;  // larger weights hold impulses back that sweeps have nearly found
  if (monitor.iterations() > 0) options.alpha = near_a_solution;
  proximal(problem, x, monitor, options);
  if (monitor.converged() || monitor.iterations() >= monitor.rule().max_iterations) return;
  const SolveFunction interior_points = make_solver("ipm", {}, problem.K.all_laws());
  monitor.note(fmt::format("auto: ipm, for proximal gets no further after {} iterations", monitor.iterations()));
  interior_points(problem, x, monitor);
}

}  // namespace

void automatic(const problem::ContactProblem& problem, Vec x, Monitor& monitor, const AutomaticOptions& options) {
  if (const double tolerance = monitor.rule().tolerance; !(tolerance > 0.0)) {
    monitor.note(fmt::format("auto: npgs, for the tolerance is {} and all iterations are made", tolerance));
    return npgs(problem, x, monitor, {});
  }
  try {
    if (!sweeps_serve(problem, x, monitor, options)) solve_accurately(problem, x, monitor);
  } catch (const InputError& error) {  // on all ranks alike: factors that do not fit, laws that a method cannot take
    monitor.note(fmt::format("auto: npgs, for {}", error.what()));
    npgs(problem, x, monitor, {});
  }
}

}  // namespace scree::solvers
