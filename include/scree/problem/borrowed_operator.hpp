#pragma once

#include <vector>

#include "scree/problem/contact_operator.hpp"

namespace scree::problem {

/// The operator of another problem, for problems that differ from it in r or K only. Its products and sweeps count for
/// the lender too.
class BorrowedOperator : public ContactOperator {
 public:
  explicit BorrowedOperator(const ContactOperator& lender) : ContactOperator(lender.comm()), lender_(lender) {}

  [[nodiscard]] int block_count() const override { return lender_.block_count(); }
  [[nodiscard]] double sweep_cost() const override { return lender_.sweep_cost(); }
  [[nodiscard]] std::vector<model::Mat3> diagonal_blocks() const override { return lender_.diagonal_blocks(); }
  [[nodiscard]] Factors factors() const override { return lender_.factors(); }
  [[nodiscard]] Motion motion_at_rest() const override { return lender_.motion_at_rest(); }
  [[nodiscard]] std::ptrdiff_t own_motion() const override { return lender_.own_motion(); }
  void refresh(Motion& motion) const override { lender_.refresh(motion); }
  void block_velocities(int first, int last, const double* x, const Motion& motion, double* w) const override {
    lender_.block_velocities(first, last, x, motion, w);
  }
  [[nodiscard]] double local_energy(Vec x, const Motion& motion) const override {
    return lender_.local_energy(x, motion);
  }

 private:
  void find_motion(Vec x, Motion& motion) const override { lender_.set_motion(x, motion); }
  void relax_all(Vec r, const ConstraintSet& set, Vec x, Motion& motion, const Relaxation& how) const override {
    lender_.sweep(r, set, x, motion, how);
  }

  const ContactOperator& lender_;
};

}  // namespace scree::problem
