#pragma once

#include "scree/problem/contact_problem.hpp"
#include "scree/solvers/monitor.hpp"

// What methods that sweep have in common.

namespace scree::solvers {

/// w <- N x + r, from the motion that sweeps keep up to date, or from the impulses, which sets the motion right.
/// Collective.
inline void find_velocity(const problem::ContactProblem& problem, Vec x, problem::Motion& motion, Monitor::From from,
                          Vec w) {
  if (from == Monitor::From::impulses) problem.N->set_motion(x, motion);
  problem.N->contact_velocity(x, motion, problem.r, w);
}

}  // namespace scree::solvers
