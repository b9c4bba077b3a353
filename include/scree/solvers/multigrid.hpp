#pragma once

#include <string>

#include "scree/problem/contact_problem.hpp"
#include "scree/solvers/monitor.hpp"

namespace scree::solvers {

struct MultigridOptions {
  std::string transfer = "impulses";  ///< what coarse levels are made of, or "velocities": aggregates of bodies
  std::string cycle = "v";            ///< or "w": coarse levels are visited twice
  std::string correction = "search";  ///< the best step along the projected correction; "project" or "reject" it
  int nu1 = 2;                        ///< sweeps before a coarse correction
  int nu2 = 2;                        ///< and after it
  int first_sweeps = 20;              ///< before coarse levels are made: what is at its bound then, stays out of them
  double strength = 0.25;             ///< coupling, relative to the diagonal, from which rows interpolate each other
  int coarsest = 150;                 ///< blocks that are solved directly
  int levels = 10;                    ///< at most
  double memory = 0.5;                ///< share of a rank's memory that N may take as a matrix ("impulses")
};

/// Multigrid for bounds (seed 000 section 3.4), with sweeps as smoother and pivot on the coarsest level.
///
/// `impulses`, as in the paper: rows are split into C and F by strength, F rows are interpolated from C rows (22), the
/// coarse matrix is Galerkin's (23), and coarse bounds are what is left of those of C rows (24). `velocities`, as its
/// outlook suggests: neighbouring bodies are held together and move as one rigid body, so that of a coarse level's
/// contacts only those between two aggregates are left. For frictionless contacts, boxes and joints.
void multigrid(const problem::ContactProblem& problem, Vec x, Monitor& monitor, const MultigridOptions& options);

}  // namespace scree::solvers
