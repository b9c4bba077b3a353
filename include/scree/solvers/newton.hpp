#pragma once

#include <string>

#include "scree/problem/contact_problem.hpp"
#include "scree/solvers/monitor.hpp"

namespace scree::solvers {

struct NewtonOptions {
  std::string equation = "min-max";  ///< F of eq. 18, or "normal-map" (eq. 21)
  std::string bounds = "variable";   ///< Coulomb: friction bounds in the derivative, or "adapted" per iteration
  std::string subsystem = "mumps";   ///< "cg", "minres", "gmres", "mumps", "cholmod"
  double linear_tolerance = 1e-9;    ///< of cg, minres and gmres
  double shift = 1e-9;  ///< added to the diagonal of the subsystem, relative to it; more after steps without gain
  double minimum_step = 1.0 / 64.0;  ///< of the line search, and what is taken when none gains
  int patience = 8;                  ///< such steps in a row before it gives up
  double memory = 0.5;               ///< share of a rank's memory that a factorisation may take
};

/// Generalized Newton (seed 000 section 3.3): the law as an equation F = 0 without smoothness, linearised by an element
/// of its derivative (eq. 19-20). With a the diagonal of N and P the map of the law,
///
///     min-max:     F(x) = a (x - P(x - w/a)), for bounds max(x - u, min(x - l, w/a)) as in eq. 18
///     normal map:  F(y) = w(P(y)) + a (y - P(y)), x = P(y) (eq. 21)
///
/// The subsystem is the Schur complement of the rows that P holds. A line search reduces 1/2 |F|^2 in the metric of
/// 1/a, which is seed 001's energy error. In a local minimum of it the method gives up and returns its best iterate.
void newton(const problem::ContactProblem& problem, Vec x, Monitor& monitor, const NewtonOptions& options);

struct GsNewtonOptions : NewtonOptions {
  int sweeps = 50;        ///< of npgs before the first Newton steps; twice as many each time that these lead nowhere
  int newton_steps = 10;  ///< in a row, at most
};

/// Sweeps find the active set, Newton's method the rest (seed 000, conclusion). Where Newton steps lead nowhere, more
/// sweeps follow.
void gs_newton(const problem::ContactProblem& problem, Vec x, Monitor& monitor, const GsNewtonOptions& options);

}  // namespace scree::solvers
