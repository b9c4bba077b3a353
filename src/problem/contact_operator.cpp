#include "scree/problem/contact_operator.hpp"

#include <optional>

#include "scree/parallel/petsc.hpp"

namespace scree::problem {

void ContactOperator::apply(Vec x, Vec y) const {
  if (scratch_.empty()) scratch_ = motion_at_rest();
  set_motion(x, scratch_);
  contact_velocity(x, scratch_, nullptr, y);
}

void ContactOperator::diagonal(Vec d) const {
  const parallel::WriteArray out(d);
  const std::vector<model::Mat3> blocks = diagonal_blocks();
  for (int k = 0; k < block_count(); ++k)
    for (int c = 0; c < 3; ++c) out[3 * k + c] = blocks[static_cast<std::size_t>(k)](c, c);
}

void ContactOperator::set_motion(Vec x, Motion& motion) const {
  ++applications_;
  find_motion(x, motion);
}

void ContactOperator::contact_velocity(Vec x, Motion& motion, Vec r, Vec w) const {
  refresh(motion);
  {
    std::optional<parallel::ReadArray> impulses;
    if (x != nullptr) impulses.emplace(x);
    const parallel::WriteArray out(w);
    block_velocities(0, block_count(), impulses ? impulses->data() : nullptr, motion, out.data());
  }
  if (r != nullptr) parallel::petsc(VecAXPY(w, 1.0, r));
}

void ContactOperator::sweep(Vec r, const ConstraintSet& set, Vec x, Motion& motion, const Relaxation& how) const {
  sweeps_ += passes_per_sweep();
  relax_all(r, set, x, motion, how);
}

StepSums ContactOperator::sweep_ahead(Vec r, const ConstraintSet& set, const Iterate& x, double beta, Iterate& previous,
                                      bool symmetric) const {
  sweeps_ += (symmetric ? 2 : 1) * passes_per_sweep();
  return relax_ahead(r, set, x, beta, previous, symmetric);
}

namespace {

/// previous <- x + beta (x - previous); if beta is 0, whatever `previous` was.
void extrapolate(const double* x, double beta, std::ptrdiff_t size, double* previous) {
  const double* const before = beta == 0.0 ? x : previous;
#pragma omp simd
  for (std::ptrdiff_t k = 0; k < size; ++k) previous[k] = x[k] + beta * (x[k] - before[k]);
}

}  // namespace

StepSums ContactOperator::relax_ahead(Vec r, const ConstraintSet& set, const Iterate& x, double beta, Iterate& previous,
                                      bool symmetric) const {
  {
    const parallel::ReadArray now(x.x);
    const parallel::WriteArray out(previous.x);
    extrapolate(now.data(), beta, now.size(), out.data());
    extrapolated_.assign(out.data(), out.data() + out.size());
  }
  extrapolate(x.motion.data(), beta, own_motion(), previous.motion.data());  // linear in the impulses
  relax_all(r, set, previous.x, previous.motion, {});
  if (symmetric) relax_all(r, set, previous.x, previous.motion, {.local = {}, .backward = true});
  const parallel::ReadArray offset(r), next(previous.x), now(x.x);
  double turn = 0.0, work = 0.0, change = 0.0;
#pragma omp simd reduction(+ : turn, work, change)
  for (int k = 0; k < next.size(); ++k) {
    const double back = extrapolated_[static_cast<std::size_t>(k)] - next[k];
    turn += back * (next[k] - now[k]);
    work += offset[k] * next[k];
    change += back * back;
  }
  return {turn, local_energy(previous.x, previous.motion) + work, change};
}

}  // namespace scree::problem
