#include "scree/solvers/npgs.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "momentum.hpp"

namespace scree::solvers {

using parallel::petsc;
using parallel::Vector;
using problem::Iterate;
using problem::StepSums;

namespace {

/// Collective: previous <- x_new, the sweep from x + beta (x - previous), and what it did on all ranks. One reduction.
StepSums take_step(const problem::ContactProblem& problem, const Iterate& x, double beta, bool symmetric,
                   Iterate& previous) {
  const auto [turn, objective, change] = problem.N->sweep_ahead(problem.r, problem.K, x, beta, previous, symmetric);
  double sums[3] = {turn, objective, change};
  problem.N->comm().sum(sums);
  return {sums[0], sums[1], sums[2]};
}

}  // namespace

void npgs(const problem::ContactProblem& problem, Vec start, Monitor& monitor, const NpgsOptions& options) {
  problem.K.project(start);
  const Vector second = Vector::unset_like(start);  // the first step makes no use of what was before
  Iterate x{start, problem.N->motion_at_rest()};
  problem.N->set_motion(x.x, x.motion);
  Iterate previous{second, x.motion};
  const bool symmetric = options.sweep == "symmetric";
  // Coulomb's law minimises nothing: what a sweep still changes takes the place of the objective, and may rise a
  // little.
  const bool convex = is_convex(problem.K.all_laws());
  Momentum momentum;
  double least = std::numeric_limits<double>::infinity();  // of the merit, so far
  for (int sweeps = 1; monitor.wants_more(x.x, x.motion); ++sweeps) {
    const StepSums step = take_step(problem, x, momentum.beta(), symmetric, previous);  // which is x_new from here on

    constexpr double tolerated_rise = 2.0, rounding = 1e-14;
    const double merit = convex ? step.objective : step.change;
    const double highest = convex ? least + rounding * std::abs(least) : tolerated_rise * least;
    if (momentum.beta() > 0.0 &&
        merit > highest) {  // reject, go on from x without momentum: what was before is not missed
      momentum.restart();
      continue;
    }
    least = merit;
    std::swap(previous, x);
    if (step.turn > 0.0) {
      momentum.restart();
    } else {
      momentum.advance();
    }
    if (sweeps % options.refresh_every == 0) problem.N->set_motion(x.x, x.motion);
  }
  if (x.x != start) petsc(VecCopy(x.x, start));
  monitor.finish(start);
}

}  // namespace scree::solvers
