#include "scree/solvers/multigrid.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "coarse_level.hpp"
#include "gradient.hpp"
#include "scree/parallel/error.hpp"
#include "scree/solvers/pivot.hpp"

namespace scree::solvers {

using parallel::petsc;
using parallel::ReadArray;
using parallel::Vector;
using parallel::WriteArray;
using problem::ContactProblem;

namespace {

class Multigrid {
 public:
  problem::Motion motion;  ///< of x, on the finest level

  Multigrid(const ContactProblem& problem, Vec x, const MultigridOptions& options)
      : motion(problem.N->motion_at_rest()), options_(options) {
    problem.N->set_motion(x, motion);
    finest_ = {&problem, x};
  }

  void iterate() {
    if (!coarsened_) coarsen();
    cycle(0);
  }

 private:
  /// A problem with its present impulses.
  struct Level {
    const ContactProblem* problem = nullptr;
    Vec x = nullptr;
  };

  void coarsen() {
    const auto& [problem, x] = finest_;
    sweep(0, options_.first_sweeps);
    const Vector free = problem->make_vector();
    problem->K.mark_free(x, free);
    coarse_ = options_.transfer == "impulses" ? coarsen_impulses(*problem, free, options_)
                                              : coarsen_velocities(*problem, free, options_);
    for (const CoarseLevel& level : coarse_) {
      corrections_.push_back(level.problem.make_vector());
      motions_.push_back(level.problem.N->motion_at_rest());
    }
    coarsened_ = true;
  }

  [[nodiscard]] Level level(std::size_t depth) const {
    if (depth == 0) return finest_;
    return {&coarse_[depth - 1].problem, corrections_[depth - 1]};
  }
  [[nodiscard]] problem::Motion& motion_of(std::size_t depth) { return depth == 0 ? motion : motions_[depth - 1]; }

  void sweep(std::size_t depth, int count) {
    const auto [problem, x] = level(depth);
    for (int k = 0; k < count; ++k) problem->N->sweep(problem->r, problem->K, x, motion_of(depth));
  }

  void cycle(std::size_t depth) {
    if (depth == coarse_.size() && is_small(depth)) return solve_directly(depth);
    sweep(depth, options_.nu1);
    if (depth < coarse_.size()) {
      const Vector w = level(depth).problem->make_vector();
      level(depth).problem->N->contact_velocity(level(depth).x, motion_of(depth), level(depth).problem->r, w);
      restrict_to(depth + 1, w);
      for (int visit = 0; visit < (options_.cycle == "w" ? 2 : 1); ++visit) cycle(depth + 1);
      correct(depth, w);
    }
    sweep(depth, options_.nu2);
  }

  /// Levels end where problems are small, or where they do not get smaller: then sweeps must do.
  [[nodiscard]] bool is_small(std::size_t depth) const {
    const auto& N = *level(depth).problem->N;
    return N.comm().sum(std::int64_t{N.block_count()}) <= 4 * std::int64_t{options_.coarsest};
  }

  /// (24): r = P^T w, and what the C rows have left of their bounds.
  void restrict_to(std::size_t depth, Vec w) {
    CoarseLevel& coarse = coarse_[depth - 1];
    const auto [finer, x] = level(depth - 1);
    multiply_transposed(coarse.prolong, w, coarse.problem.r);
    const Vector lower = finer->make_vector(), upper = finer->make_vector();
    {
      const WriteArray below(lower), above(upper);
      const ReadArray at(x);
      for (int k = 0; k < at.size(); ++k) {
        const problem::RowBounds bounds = finer->K[k / 3].rows();
        below[k] = bounds.lower[k % 3] - at[k];
        above[k] = bounds.upper[k % 3] - at[k];
      }
    }
    const Vector coarse_lower = coarse.problem.make_vector(), coarse_upper = coarse.problem.make_vector();
    multiply(coarse.inject, lower, coarse_lower);
    multiply(coarse.inject, upper, coarse_upper);
    const ReadArray below(coarse_lower), above(coarse_upper);
    for (int k = 0; k < below.size(); ++k) {
      problem::RowBounds& bounds = coarse.problem.K.joints[static_cast<std::size_t>(k / 3)];
      bounds.lower[k % 3] = std::min(below[k], 0.0);  // no correction must always be allowed, whatever rounding does
      bounds.upper[k % 3] = std::max(above[k], 0.0);
    }
    petsc(VecSet(corrections_[depth - 1], 0.0));
    motions_[depth - 1] = coarse.problem.N->motion_at_rest();
  }

  void solve_directly(std::size_t depth) {
    const auto [problem, e] = level(depth);
    Monitor monitor(*problem, {.tolerance = 1e-10, .max_iterations = 200, .all_measures = false});
    pivot(*problem, e, monitor, {});
    problem->N->set_motion(e, motion_of(depth));
  }

  /// x <- x + P e, as far as the bounds allow; w is that of x.
  void correct(std::size_t depth, Vec w) {
    const auto [problem, x] = level(depth);
    const Vector d = problem->make_vector(), target = problem->make_vector();
    multiply(coarse_[depth].prolong, corrections_[depth], d);
    petsc(VecWAXPY(target, 1.0, x, d));
    problem->K.project(target);
    if (options_.correction == "reject") {
      const ReadArray old(x), step(d);
      const WriteArray next(target);
      for (int k = 0; k < next.size(); ++k)
        if (next[k] != old[k] + step[k]) next[k] = old[k];
    }
    petsc(VecWAXPY(d, -1.0, x, target));
    double share = 1.0;
    if (options_.correction == "search") {  // the minimum of the objective between x and the target
      const Vector Nd = problem->make_vector();
      problem->N->apply(d, Nd);
      const auto [slope, curvature] = dots({{w, d}, {d, Nd}});
      share = curvature > 0.0 ? std::clamp(-slope / curvature, 0.0, 1.0) : 0.0;
    }
    petsc(VecAXPY(x, share, d));
    problem->K.project(x);
    problem->N->set_motion(x, motion_of(depth));
  }

  const MultigridOptions& options_;
  Level finest_;
  bool coarsened_ = false;
  std::vector<CoarseLevel> coarse_;
  std::vector<Vector> corrections_;  ///< e of each coarse level
  std::vector<problem::Motion> motions_;
};

}  // namespace

void multigrid(const ContactProblem& problem, Vec x, Monitor& monitor, const MultigridOptions& options) {
  if (options.transfer == "velocities" && options.correction != "search")
    throw InputError(
        "option 'correction' of solver 'multigrid': aggregates resist less than their bodies, so that whole "
        "corrections "
        "are too long and diverge; with transfer 'velocities' take correction 'search'");
  problem.K.project(x);
  Multigrid cycles(problem, x, options);
  while (monitor.wants_more(x, cycles.motion)) cycles.iterate();
  monitor.finish(x);
}

}  // namespace scree::solvers
