#pragma once

#include "scree/problem/contact_problem.hpp"
#include "scree/solvers/monitor.hpp"

namespace scree::solvers {

/// Conjugate projected gradients with one product an iteration, the variant that the conclusion of seed 000 asks for.
///
/// Of the two products of `cpg`, N x follows from the product with the step s = x_new - x that was really made, and N s
/// takes the place of N p in the conjugation. What is lost is the curvature along the new direction, hence the length
/// of the step. All of it but the Rayleigh quotient of the projected gradient is known, and that hardly changes between
/// iterations: the step is guessed with the mean of the last ones, and corrected along s after the product.
void cpg1(const problem::ContactProblem& problem, Vec x, Monitor& monitor);

}  // namespace scree::solvers
