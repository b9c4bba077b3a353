// The sweeps of BodyOperator: in which order blocks are relaxed, and what travels between ranks meanwhile.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <ranges>

#include "contact_kernels.hpp"
#include "motion_layout.hpp"
#include "scree/parallel/petsc.hpp"
#include "scree/problem/body_operator.hpp"
#include "scree/problem/contact_frame.hpp"
#include "scree/problem/one_contact.hpp"

namespace scree::problem {

using model::Vec3;
using parallel::ReadArray;
using parallel::WriteArray;

namespace {

/// No row has a bound: the block's own problem is a linear system.
bool is_free(const RowBounds& bounds) {
  for (int c = 0; c < 3; ++c)
    if (bounds.lower[c] > -HUGE_VAL || bounds.upper[c] < HUGE_VAL) return false;
  return true;
}

}  // namespace

void BodyOperator::relax_all(Vec r, const ConstraintSet& set, Vec x, Motion& motion, const Relaxation& how) const {
  const ReadArray offsets(r);
  const WriteArray impulses(x);
  const SweepData data{offsets.data(), set, impulses.data(), bodies_of(motion), how};
  how.backward ? relax_backward(data, motion) : relax_forward(data, motion);
}

void BodyOperator::relax_forward(const SweepData& data, Motion& motion) const {
  for (int pass = 1; pass < plan_.local_sweeps; ++pass)
    for (const Batch* batch : {&leading_, &early_, &late_, &trailing_}) relax(*batch, data);
  relax(leading_, data);
  relax_stages(stages_, early_, late_, data, motion);
  relax(trailing_, data);
}

void BodyOperator::relax_backward(const SweepData& data, Motion& motion) const {
  relax(trailing_, data);
  relax_stages(std::views::reverse(stages_), late_, early_, data, motion);
  relax(leading_, data);
  for (int pass = 1; pass < plan_.local_sweeps; ++pass)
    for (const Batch* batch : {&trailing_, &late_, &early_, &leading_}) relax(*batch, data);
}

/// One part of the interior is relaxed while velocities travel to ghosts, the other while corrections travel back.
template <typename Stages>
void BodyOperator::relax_stages(const Stages& stages, const Batch& on_the_way, const Batch& on_the_way_back,
                                const SweepData& data, Motion& motion) const {
  if (stages.empty()) {
    relax(on_the_way, data);
    return relax(on_the_way_back, data);
  }
  for (auto stage = stages.begin(); stage != stages.end(); ++stage) {
    stage->halo.begin_forward(motion.data(), motion_layout);
    if (stage == stages.begin()) relax(on_the_way, data);
    stage->halo.end_forward(motion.data(), motion_layout);
    relax_stage(*stage, data);
    stage->halo.begin_reverse_add(motion.data(), motion_layout);
    if (std::next(stage) == stages.end()) relax(on_the_way_back, data);
    stage->halo.end_reverse_add(motion.data(), motion_layout);
  }
}

/// Relaxes the blocks of a stage and leaves each ghost with the change that its owner is to add.
void BodyOperator::relax_stage(const Stage& stage, const SweepData& data) const {
  copy_to_twins(data.bodies);
  received_.clear();
  for (const int ghost : stage.ghosts) received_.push_back(data.bodies[ghost]);
  for (int pass = 0; pass < plan_.local_sweeps; ++pass) relax(stage.batch, data);

  // Where masses were shared out, each holder's correction counts by its share: the mean of all corrected velocities.
  for (std::size_t i = 0; i < stage.ghosts.size(); ++i) {
    BodyMotion& m = data.bodies[stage.ghosts[i]];
    const double share = share_[static_cast<std::size_t>(stage.ghosts[i] - owned_)];
    for (int k = 0; k < 3; ++k) {
      m.v[k] = share * (m.v[k] - received_[i].v[k]);
      m.u[k] = share * (m.u[k] - received_[i].u[k]);
    }
  }
  const auto ghost_count = static_cast<std::size_t>(local_ - owned_);
  for (std::size_t twin = 0; twin < twin_of_.size(); ++twin) {
    const BodyMotion& m = data.bodies[static_cast<std::size_t>(local_) + twin];
    BodyMotion& whole = data.bodies[twin_of_[twin]];
    const double share = share_[ghost_count + twin];
    for (int k = 0; k < 3; ++k) {
      whole.v[k] += share * (m.v[k] - whole.v[k]);
      whole.u[k] += share * (m.u[k] - whole.u[k]);
    }
  }
}

void BodyOperator::relax(const Batch& batch, const SweepData& data) const {
  const Consecutive side_by_side{batch.contacts.first, batch.contacts.last};
  const Listed anywhere{batch.listed};
  if (data.how.backward) {
    for (auto k = batch.joints.rbegin(); k != batch.joints.rend(); ++k) relax_joint(*k, data);
    for (auto k = batch.levers.rbegin(); k != batch.levers.rend(); ++k) relax_lever(*k, data);
    if (anywhere.size() > 0) relax_contacts(Reversed{anywhere}, data);
    return relax_contacts(Reversed{side_by_side}, data);
  }
  relax_contacts(side_by_side, data);
  if (anywhere.size() > 0) relax_contacts(anywhere, data);
  for (const int k : batch.levers) relax_lever(k, data);
  for (const int k : batch.joints) relax_joint(k, data);
}

template <typename Order>
void BodyOperator::relax_contacts(const Order& order, const SweepData& data) const {
  const SweepRows rows{data.r, compliance_.empty() ? nullptr : compliance_.data(), data.x};
  if (data.how.local)
    return relax_with_friction(contacts_.data(), order, rows, LocalByBlock{data.set, data.how.local}, data.bodies);
  if (!data.set.exceptions.empty())
    return relax_with_friction(contacts_.data(), order, rows, LocalMixed{data.set}, data.bodies);
  switch (data.set.law) {
    case Law::frictionless:
      return relax_frictionless(contacts_.data(), order, rows, data.bodies);
    case Law::box:
      return relax_with_friction(contacts_.data(), order, rows, LocalBox{data.set.bound.data()}, data.bodies);
    case Law::cone:
      return relax_with_friction(contacts_.data(), order, rows, LocalCone{data.set.friction.data()}, data.bodies);
    case Law::pyramid:
    case Law::prism:
    case Law::polyhedral:
    case Law::bilateral:
      return relax_with_friction(contacts_.data(), order, rows, LocalConvex{data.set}, data.bodies);
    case Law::cylinder:
      return relax_with_friction(contacts_.data(), order, rows, LocalCylinder{data.set.bound.data()}, data.bodies);
    case Law::coulomb:
      return relax_with_friction(contacts_.data(), order, rows, LocalCoulomb{data.set.friction.data()}, data.bodies);
  }
}

void BodyOperator::relax_lever(int lever, const SweepData& data) const {
  const Lever& l = levers_[static_cast<std::size_t>(lever)];
  const Contact& contact = contacts_[static_cast<std::size_t>(l.contact)];
  BodyMotion& a = data.bodies[contact.a];
  BodyMotion& b = data.bodies[contact.b];
  Eigen::Map<Vec3> x(data.x + 3 * l.contact);
  const Vec3 w = velocity_of(l, data.bodies) + Eigen::Map<const Vec3>(data.r + 3 * l.contact) +
                 compliance_of(l.contact).cwiseProduct(x);
  const auto& solve = data.how.local;
  const Vec3 impulse = solve ? solve(data.set, l.contact, l.own, w - l.own * x, x)
                       : data.set.law_of(l.contact) == Law::frictionless
                           ? Vec3(std::max(0.0, x[0] - w[0] / l.own(0, 0)), 0.0, 0.0)
                           : solve_block(data.set, l.contact, l.own, w - l.own * x, x);
  const Vec3 change = impulse - x, momentum = ContactFrame(contact.n).to_world(change.data());
  x = impulse;
  add(a, -a.inverse_mass * momentum, a.inverse_inertia * (l.spin_a.transpose() * change));
  add(b, b.inverse_mass * momentum, b.inverse_inertia * (l.spin_b.transpose() * change));
}

void BodyOperator::relax_joint(int joint, const SweepData& data) const {
  const Joint& j = joints_[static_cast<std::size_t>(joint)];
  const int block = contact_count() + joint;
  Eigen::Map<Vec3> x(data.x + 3 * block);
  const Vec3 w =
      velocity_of(j, data.bodies) + Eigen::Map<const Vec3>(data.r + 3 * block) + compliance_of(block).cwiseProduct(x);
  const bool is_linear = j.is_regular && is_free(data.set.joints[static_cast<std::size_t>(joint)]);
  const Vec3 impulse = data.how.local ? data.how.local(data.set, block, j.own, w - j.own * x, x)
                       : is_linear    ? Vec3(x - j.inverse * w)
                                      : solve_block(data.set, block, j.own, w - j.own * x, x);
  const Vec3 change = impulse - x;
  x = impulse;
  BodyMotion& a = data.bodies[j.a];
  BodyMotion& b = data.bodies[j.b];
  const Vec3 momentum = j.linear.transpose() * change;
  add(a, -a.inverse_mass * momentum, a.inverse_inertia * (j.spin_a.transpose() * change));
  add(b, b.inverse_mass * momentum, b.inverse_inertia * (j.spin_b.transpose() * change));
}

}  // namespace scree::problem
