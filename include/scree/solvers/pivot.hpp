#pragma once

#include "scree/problem/contact_problem.hpp"
#include "scree/solvers/monitor.hpp"

namespace scree::solvers {

struct PivotOptions {
  double smallest_shift = 1e-9;  ///< of the proximal problems, relative to the diagonal of N
  int patience = 10;             ///< block pivots without fewer violated rows before single pivots begin
  double memory = 0.5;           ///< share of the memory of a rank that the factorisation may take
};

/// The complementarity problem l <= x <= u, directly: block principal pivoting (Judice and Pires, as in seed 001), with
/// Murty's least-index rule as safeguard, on proximal problems N + shift whose shift falls. Their matrices are positive
/// definite however hyperstatic N is, so a pivot always exists and the rule ends on degenerate problems too. Every rank
/// solves the whole problem. For bounds: frictionless contacts, boxes, joints.
void pivot(const problem::ContactProblem& problem, Vec x, Monitor& monitor, const PivotOptions& options);

}  // namespace scree::solvers
