#pragma once

#include "scree/problem/contact_problem.hpp"
#include "scree/solvers/monitor.hpp"

namespace scree::solvers {

struct LemkeOptions {
  double memory = 0.5;  ///< share of the memory of a rank that the table may take
};

/// The complementarity problem l <= x <= u by Lemke's method on a dense table: complementary pivots, with bounds on
/// both sides and with an artificial variable that begins large enough to satisfy all rows and is driven out. It ends
/// on every positive semidefinite N, in a solution or in a ray that proves that there is none. Ties are broken
/// lexicographically, so that degenerate problems do not cycle. Every rank solves the whole problem. For bounds:
/// frictionless contacts, boxes, joints.
void lemke(const problem::ContactProblem& problem, Vec x, Monitor& monitor, const LemkeOptions& options);

}  // namespace scree::solvers
