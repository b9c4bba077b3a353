#include "scree/problem/contact_operator.hpp"

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

void ContactOperator::sweep(Vec r, const ConstraintSet& set, Vec x, Motion& motion, const Relaxation& how) const {
  sweeps_ += passes_per_sweep();
  relax_all(r, set, x, motion, how);
}

}  // namespace scree::problem
