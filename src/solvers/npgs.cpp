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

/// y <- x + beta (x - previous), impulses and own motion alike: the motion is linear in the impulses. Constants that
/// lie between its numbers come out as they are.
void extrapolate(const Iterate& x, const Iterate& previous, double beta, std::ptrdiff_t own_motion, Iterate& y) {
  const auto blend = [beta](const double* now, const double* before, double* ahead, std::ptrdiff_t count) {
    for (std::ptrdiff_t k = 0; k < count; ++k) ahead[k] = now[k] + beta * (now[k] - before[k]);
  };
  const ReadArray now(x.x), before(previous.x);
  const WriteArray ahead(y.x);
  blend(now.data(), before.data(), ahead.data(), now.size());
  blend(x.motion.data(), previous.motion.data(), y.motion.data(), own_motion);
}

struct StepSums {
  double turn;       ///< (y - x_new).(x_new - x): positive when the sweep turned back against the step
  double objective;  ///< q(x_new) = 1/2 |v|_M^2 + r.x
  double change;     ///< |x_new - y|^2: what the sweep still had to do
};

/// Collective, one reduction. y is recomputed on the fly instead of stored.
StepSums compare(const problem::ContactProblem& problem, const Iterate& x_new, const Iterate& x,
                 const Iterate& previous, double beta) {
  const ReadArray r(problem.r), next(x_new.x), now(x.x), before(previous.x);
  double turn = 0.0, work = 0.0, change = 0.0;
#pragma omp simd reduction(+ : turn, work, change)
  for (int k = 0; k < next.size(); ++k) {
    const double y = now[k] + beta * (now[k] - before[k]);
    turn += (y - next[k]) * (next[k] - now[k]);
    work += r[k] * next[k];
    change += (y - next[k]) * (y - next[k]);
  }
  double sums[3] = {turn, work + problem.N->local_energy(x_new.x, x_new.motion), change};
  problem.N->comm().sum(sums);
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
    extrapolate(x, previous, momentum.beta(), problem.N->own_motion(), y);
    problem.N->sweep(problem.r, problem.K, y.x, y.motion);  // y becomes x_new
    if (symmetric) problem.N->sweep(problem.r, problem.K, y.x, y.motion, {.local = {}, .backward = true});
    const StepSums sums = compare(problem, y, x, previous, momentum.beta());

    constexpr double tolerated_rise = 2.0, rounding = 1e-14;
    const double merit = convex ? sums.objective : sums.change;
    const double highest = convex ? least + rounding * std::abs(least) : tolerated_rise * least;
    if (momentum.beta() > 0.0 && merit > highest) {  // reject, go on from x without momentum
      momentum.restart();
      continue;
    }
    least = merit;
    std::swap(previous, x);
    std::swap(x, y);
    if (sums.turn > 0.0) {
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
