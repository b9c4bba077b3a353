#include "scree/solvers/npgs.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "momentum.hpp"
#include "sweeping.hpp"

namespace scree::solvers {

using parallel::petsc;
using parallel::ReadArray;
using parallel::Vector;
using parallel::WriteArray;
using problem::Motion;

namespace {

/// Impulses with the motion that they cause.
struct Iterate {
  Vec x;
  Motion motion;
};

/// motion <- that of x + beta (x - previous), for motions are linear in the impulses. Constants that lie between its
/// numbers come out as they are.
void extrapolate(const Motion& x, const Motion& previous, double beta, std::ptrdiff_t own_motion, Motion& motion) {
  const double *const now = x.data(), *const before = previous.data();
  double* const ahead = motion.data();
  for (std::ptrdiff_t k = 0; k < own_motion; ++k) ahead[k] = now[k] + beta * (now[k] - before[k]);
}

struct Step {
  double turn;       ///< see StepSums
  double objective;  ///< q(x_new) = 1/2 |v|_M^2 + r.x
  double change;     ///< see StepSums
};

/// Collective: y <- the sweep from x + beta (x - previous). One reduction.
Step take_step(const problem::ContactProblem& problem, const Iterate& x, const Iterate& previous, double beta,
               bool symmetric, Iterate& y) {
  const auto& N = *problem.N;
  extrapolate(x.motion, previous.motion, beta, N.own_motion(), y.motion);
  const problem::StepSums part = N.sweep_ahead(problem.r, problem.K, {x.x, previous.x, beta}, y.x, y.motion, symmetric);
  double sums[3] = {part.turn, part.work + N.local_energy(y.x, y.motion), part.change};
  N.comm().sum(sums);
  return {sums[0], sums[1], sums[2]};
}

}  // namespace

void npgs(const problem::ContactProblem& problem, Vec start, Monitor& monitor, const NpgsOptions& options) {
  problem.K.project(start);
  const Vector second = problem.make_vector(), third = problem.make_vector();
  Iterate x{start, problem.N->motion_at_rest()};
  problem.N->set_motion(x.x, x.motion);
  Iterate previous{second, x.motion}, y{third, x.motion};
  const bool symmetric = options.sweep == "symmetric";
  // Coulomb's law minimises nothing: what a sweep still changes takes the place of the objective, and may rise a
  // little.
  const bool convex = is_convex(problem.K.all_laws());
  Momentum momentum;
  double least = std::numeric_limits<double>::infinity();  // of the merit, so far
  const auto fill_w = [&](Vec w, Monitor::From from) { find_velocity(problem, x.x, x.motion, from, w); };
  for (int sweeps = 1; monitor.wants_more(x.x, fill_w, y.x); ++sweeps) {
    const Step step = take_step(problem, x, previous, momentum.beta(), symmetric, y);  // y is x_new

    constexpr double tolerated_rise = 2.0, rounding = 1e-14;
    const double merit = convex ? step.objective : step.change;
    const double highest = convex ? least + rounding * std::abs(least) : tolerated_rise * least;
    if (momentum.beta() > 0.0 && merit > highest) {  // reject, go on from x without momentum
      momentum.restart();
      continue;
    }
    least = merit;
    std::swap(previous, x);
    std::swap(x, y);
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
