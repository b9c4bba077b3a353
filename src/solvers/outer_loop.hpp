#pragma once

#include <algorithm>
#include <memory>

#include "gradient.hpp"
#include "scree/problem/borrowed_operator.hpp"
#include "scree/problem/contact_problem.hpp"
#include "scree/solvers/monitor.hpp"

// What solvers that call solvers have in common.

namespace scree::solvers {

/// The problem with another law for its contacts, on the same operator. Collective.
inline problem::ContactProblem with_law(const problem::ContactProblem& problem, problem::Law law) {
  problem::ContactProblem other{std::make_unique<problem::BorrowedOperator>(*problem.N), problem.make_vector(),
                                problem.K};
  parallel::petsc(VecCopy(problem.r, other.r));
  other.K.law = law;
  return other;
}

/// An inner solve ends well below the error of the outer loop: what it gains beyond that, the next shift would undo.
inline StopRule inner_rule(const Monitor& outer, int iterations) {
  StopRule rule = outer.rule();
  rule.tolerance = std::max(0.5 * rule.tolerance, 0.1 * value_of(outer.errors(), rule.measure));
  rule.max_iterations = iterations;
  rule.keep_history = rule.all_measures = false;
  return rule;
}

/// The radius mu x_n of each contact's friction disc.
inline void set_bounds(Vec x, problem::ConstraintSet& set) {
  const parallel::ReadArray impulse(x);
  set.bound.resize(set.friction.size());
  for (std::size_t k = 0; k < set.bound.size(); ++k)
    set.bound[k] = set.friction[k] * std::max(0.0, impulse[3 * static_cast<int>(k)]);
}

/// Collective: the fixed point of the friction bounds (seed 000 section 3.1). `inner` solves the problems on cylinders
/// of radius mu x_n; their x_n give the next radii.
template <typename Inner>
void iterate_bounds(const problem::ContactProblem& problem, Vec x, Monitor& monitor, int inner_iterations,
                    const Inner& inner) {
  problem::ContactProblem fixed = with_law(problem, problem::Law::cylinder);
  const parallel::Vector w = problem.make_vector();
  problem.K.project(x);
  find_velocity(problem, x, w);
  while (monitor.wants_more(x, w)) {
    set_bounds(x, fixed.K);
    Monitor inner_monitor(fixed, inner_rule(monitor, inner_iterations));
    inner(fixed, x, inner_monitor);
    problem.K.project(x);  // x_n moved, and the cylinder is no longer inside the cone
    find_velocity(problem, x, w);
  }
  monitor.finish(x);
}

}  // namespace scree::solvers
