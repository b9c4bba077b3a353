// The sweeps of BodyOperator: in which order blocks are relaxed, and what travels between ranks meanwhile.

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <ranges>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "contact_kernels.hpp"
#include "motion_layout.hpp"
#include "scree/parallel/petsc.hpp"
#include "scree/problem/body_operator.hpp"
#include "scree/problem/contact_frame.hpp"
#include "scree/problem/one_contact.hpp"

namespace scree::problem {

using model::Mat3;
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

/// Among numbers from `first` to `last`, those side by side whose contacts share no body, as many as there are lanes.
template <typename ContactAt>
std::vector<BodyOperator::Run> BodyOperator::find_runs(int first, int last, const ContactAt& contact_at) const {
  const int world = local_ + static_cast<int>(twin_of_.size());
  std::vector<int> group_of(static_cast<std::size_t>(world) + 1, -1);  // the last one that a slot is in
  const auto join = [&](int slot, int group) {
    return slot == world || std::exchange(group_of[static_cast<std::size_t>(slot)], group) != group;
  };
  int group = 0;
  const auto is_group = [&](int begin, int count) {
    if (begin + count > last) return false;
    ++group;
    for (int k = begin; k < begin + count; ++k)
      if (const Contact& c = contact_at(k); !join(c.a, group) || !join(c.b, group)) return false;
    return true;
  };
  constexpr int longest = 8 * lane_count;  // what is done to bodies before and after a run finds them in a cache
  std::vector<Run> runs;
  for (int k = first; k < last;) {
    const int next = k + (is_group(k, 2 * lane_count) ? 2 * lane_count : is_group(k, lane_count) ? lane_count : 1);
    const bool doubles = next - k > lane_count, grouped = next - k > 1;
    if (runs.empty() || (doubles && runs.back().doubled < k) || (grouped && runs.back().grouped < k) ||
        k - runs.back().first >= longest)
      runs.push_back({.first = k, .doubled = k, .grouped = k, .last = k});
    runs.back().last = next;
    if (grouped) runs.back().grouped = next;
    if (doubles) runs.back().doubled = next;
    k = next;
  }
  return runs;
}

void BodyOperator::group_contacts(Batch& batch) const {
  const auto of_spheres = [&](int k) -> const Contact& { return contacts_[static_cast<std::size_t>(k)]; };
  batch.runs = find_runs(batch.contacts.first, batch.contacts.last, of_spheres);
  order_levers(batch);
  const auto of_lever = [&](int k) -> const Contact& {
    const int lever = batch.levers[static_cast<std::size_t>(k)];
    return of_spheres(levers_[static_cast<std::size_t>(lever)].contact);
  };
  batch.lever_runs = find_runs(0, static_cast<int>(batch.levers.size()), of_lever);
}

/// Bodies touch in several points, which stand side by side. Spreads them no further than needed to fill groups with
/// points of other pairs, for load runs faster through a stack in order.
void BodyOperator::order_levers(Batch& batch) const {
  constexpr std::size_t window = 16 * lane_count;
  const int world = local_ + static_cast<int>(twin_of_.size());
  std::vector<int> group_of(static_cast<std::size_t>(world) + 1, -1), ordered, waiting;
  const auto in_order = std::move(batch.levers);
  ordered.reserve(in_order.size());
  std::size_t next = 0;
  for (int group = 0; next < in_order.size() || !waiting.empty(); ++group) {
    while (waiting.size() < window && next < in_order.size()) waiting.push_back(in_order[next++]);
    int members = 0;
    std::erase_if(waiting, [&](int lever) {
      const Contact& c = contacts_[static_cast<std::size_t>(levers_[static_cast<std::size_t>(lever)].contact)];
      int &a = group_of[static_cast<std::size_t>(c.a)], &b = group_of[static_cast<std::size_t>(c.b)];
      if (members == lane_count || (c.a != world && a == group) || (c.b != world && b == group)) return false;
      a = b = group;
      ++members;
      ordered.push_back(lever);
      return true;
    });
  }
  batch.levers = std::move(ordered);
}

/// Finds out which bodies a forward sweep meets first and leaves last in runs of contacts of spheres, and in which
/// order: these it can extrapolate and sum up on its way.
void BodyOperator::follow_bodies() {
  const std::array<Batch*, 4> batches{&leading_, &early_, &late_, &trailing_};
  const std::vector<char> apart = bodies_apart();
  std::vector<char> met = apart, left = apart;
  const auto add = [&](int slot, std::vector<char>& seen, std::vector<int>& list) {
    if (slot < owned_ && std::exchange(seen[static_cast<std::size_t>(slot)], 1) == 0) list.push_back(slot);
  };
  const auto contact_at = [&](int k) -> const Contact& { return contacts_[static_cast<std::size_t>(k)]; };
  for (Batch* batch : batches) {
    for (Run& run : batch->runs) {
      for (int k = run.first; k < run.last; ++k)
        for (const int slot : {contact_at(k).a, contact_at(k).b}) add(slot, met, batch->met);
      run.met = static_cast<int>(batch->met.size());
    }
    const int all = static_cast<int>(batch->met.size());  // who is met early is met in full groups
    for (Run& run : batch->runs) run.met = std::min(all, (run.met + lane_count - 1) / lane_count * lane_count);
  }
  for (Batch* batch : std::views::reverse(batches)) {
    for (Run& run : std::views::reverse(batch->runs)) {
      run.left = static_cast<int>(batch->left.size());  // by later runs
      for (int k = run.last - 1; k >= run.first; --k)
        for (const int slot : {contact_at(k).a, contact_at(k).b}) add(slot, left, batch->left);
    }
    std::ranges::reverse(batch->left);
    const int all = static_cast<int>(batch->left.size());
    for (Run& run : batch->runs) run.left = run.left == 0 ? all : (all - run.left) / lane_count * lane_count;
  }
  for (int body = 0; body < owned_; ++body)
    if (apart[static_cast<std::size_t>(body)] != 0 || met[static_cast<std::size_t>(body)] == 0) apart_.push_back(body);
  apart_.shrink_to_fit();
  for (Batch* batch : batches) {
    batch->met.shrink_to_fit();
    batch->left.shrink_to_fit();
  }
}

/// What a sweep extrapolates on its way.
struct BodyOperator::Ahead {
  ImpulsesAhead impulses;
  MotionAhead motion;
};

struct BodyOperator::SweepData {
  SweepRows rows;
  ImpulsesInPlace in_place;
  const ConstraintSet& set;
  BodyMotion* bodies;
  const Relaxation& how;
  Ahead* ahead = nullptr;  ///< if there is something to extrapolate

  /// Calls `use` with the impulses of the sweep.
  template <typename Use>
  void with_impulses(Use&& use) {
    ahead == nullptr ? use(in_place) : use(ahead->impulses);
  }
};

void BodyOperator::relax_all(Vec r, const ConstraintSet& set, Vec x, Motion& motion, const Relaxation& how) const {
  const ReadArray offsets(r);
  const WriteArray impulses(x);
  SweepData data{{offsets.data(), compliance()}, {impulses.data()}, set, bodies_of(motion), how};
  how.backward ? relax_backward(data, motion) : relax_forward(data, motion);
}

StepSums BodyOperator::relax_ahead(Vec r, const ConstraintSet& set, const Iterate& x, double beta, Iterate& previous,
                                   bool symmetric) const {
  if (symmetric || plan_.local_sweeps > 1)  // blocks are relaxed more than once: the first time is not the last
    return ContactOperator::relax_ahead(r, set, x, beta, previous, symmetric);
  const ReadArray offsets(r), now(x.x);
  const WriteArray impulses(previous.x);
  const BodyMotion* const from = bodies_of(x.motion);
  BodyMotion* const bodies = bodies_of(previous.motion);
  const double* const before = beta == 0.0 ? now.data() : impulses.data();
  Ahead ahead{{impulses.data(), now.data(), before, beta}, {from, beta == 0.0 ? from : bodies, beta, bodies}};
  const Relaxation forward;
  SweepData data{{offsets.data(), compliance()}, {impulses.data()}, set, bodies, forward, &ahead};
  ahead.motion.meet(apart_);
  relax_forward(data, previous.motion);
  ahead.motion.leave(apart_);
  const auto& [one, lanes] = std::tie(ahead.impulses.single, ahead.impulses.lanes);
  const double energy = ahead.motion.energy() + compliant_energy(impulses.data());
  return {one.turn + sum_of(lanes.turn), energy + one.work + sum_of(lanes.work), one.change + sum_of(lanes.change)};
}

void BodyOperator::relax_forward(SweepData& data, Motion& motion) const {
  for (int pass = 1; pass < plan_.local_sweeps; ++pass)
    for (const Batch* batch : {&leading_, &early_, &late_, &trailing_}) relax(*batch, data);
  relax(leading_, data);
  relax_stages(stages_, early_, late_, data, motion);
  relax(trailing_, data);
}

void BodyOperator::relax_backward(SweepData& data, Motion& motion) const {
  relax(trailing_, data);
  relax_stages(std::views::reverse(stages_), late_, early_, data, motion);
  relax(leading_, data);
  for (int pass = 1; pass < plan_.local_sweeps; ++pass)
    for (const Batch* batch : {&trailing_, &late_, &early_, &leading_}) relax(*batch, data);
}

/// One part of the interior is relaxed while velocities travel to ghosts, the other while corrections travel back.
template <typename Stages>
void BodyOperator::relax_stages(const Stages& stages, const Batch& on_the_way, const Batch& on_the_way_back,
                                SweepData& data, Motion& motion) const {
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
void BodyOperator::relax_stage(const Stage& stage, SweepData& data) const {
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

/// Chooses what solves a contact's own problem.
void BodyOperator::relax(const Batch& batch, SweepData& data) const {
  const ConstraintSet& set = data.set;
  if (data.how.backward)
    for (auto k = batch.joints.rbegin(); k != batch.joints.rend(); ++k) relax_joint(data.in_place, *k, data);
  if (data.how.local) {
    relax_with(LocalByBlock{set, data.how.local}, batch, data);
  } else if (!set.exceptions.empty()) {
    relax_with(LocalMixed{set}, batch, data);
  } else {
    with_local(set, set.law, [&](const auto& local) { relax_with(local, batch, data); });
  }
  if (!data.how.backward)
    data.with_impulses([&](auto& impulses) {
      for (const int k : batch.joints) relax_joint(impulses, k, data);
    });
}

template <typename Local>
void BodyOperator::relax_with(const Local& local, const Batch& batch, SweepData& data) const {
  data.with_impulses([&](auto& impulses) { relax_from(impulses, local, batch, data); });
}

/// Contacts side by side, then those anywhere, then those with levers; or the other way round.
template <typename Impulses, typename Local>
void BodyOperator::relax_from(Impulses& impulses, const Local& local, const Batch& batch, SweepData& data) const {
  const Contact* const contacts = contacts_.data();
  // Without friction there is so little to do that fetching pays only where bodies come from memory.
  const bool is_large = slot_count() > parallel::beyond_caches;
  const auto relax_here = [&]<typename Real, int groups>(int k, int last) {
    if constexpr (std::is_same_v<Local, LocalFrictionless>) {
      if (is_large) {
        if constexpr (!Impulses::brings_bodies) fetch_ahead<lanes_of<Real>>(contacts, k, last, data.bodies);
        fetch_rows_ahead<lanes_of<Real>>(contacts, k, data.rows, impulses);
      }
      relax_frictionless<Real>(contacts, k, data.rows, impulses, data.bodies);
    } else {
      constexpr int lanes = groups * lanes_of<Real>;
      if constexpr (!Impulses::brings_bodies) fetch_ahead<lanes>(contacts, k, last, data.bodies);
      fetch_rows_ahead<lanes>(contacts, k, data.rows, impulses);
      relax_with_friction<Real, groups>(contacts, k, data.rows, local, impulses, data.bodies);
    }
  };
  const auto lever_at = [&](int k) -> const Lever& {
    return levers_[static_cast<std::size_t>(batch.levers[static_cast<std::size_t>(k)])];
  };
  const auto contact_at = [&](int k) -> const Contact& { return contacts[lever_at(k).contact]; };
  const auto relax_lever_here = [&]<typename Real, int>(int k, int last) {
    const auto lever = [&](int l) -> const Lever& { return lever_at(k + l); };
    const auto in_order = static_cast<std::size_t>(batch.levers.front() + k);
    fetch_levers_ahead<Real>(contacts, &levers_[std::min(in_order, levers_.size() - 1)], data.rows, impulses);
    fetch_bodies_ahead<lanes_of<Real>>(contact_at, k, last, data.bodies);
    if constexpr (std::is_same_v<Local, LocalByBlock>) {
      for (int l = 0; l < lanes_of<Real>; ++l) relax_lever(impulses, local.solve, lever(l), data);
    } else if constexpr (lanes_of<Real> == 1) {
      relax_levers<Real>(contacts, lever, lever(0).contact, data.rows, local, impulses, data.bodies);
    } else {
      LaneIndex which;
      for (std::size_t l = 0; l < which.size(); ++l) which[l] = lever(static_cast<int>(l)).contact;
      relax_levers<Real>(contacts, lever, which, data.rows, local, impulses, data.bodies);
    }
  };
  if (data.how.backward) {
    for_each_group_backward(batch.lever_runs, relax_lever_here);
    for (auto k = batch.listed.rbegin(); k != batch.listed.rend(); ++k)
      relax_here.template operator()<double, 1>(*k, *k);
    for_each_group_backward(batch.runs, relax_here);
  } else {
    constexpr int most = std::is_same_v<Local, LocalFrictionless> ? 1 : 2;
    relax_runs<most>(batch, data, relax_here);
    for (const int k : batch.listed) relax_here.template operator()<double, 1>(k, k);
    for_each_group<1>(batch.lever_runs, relax_lever_here);
  }
}

/// Forward. Bodies that are to be extrapolated are fetched one run ahead.
template <int most, typename RelaxHere>
void BodyOperator::relax_runs(const Batch& batch, const SweepData& data, const RelaxHere& relax_here) const {
  if (data.ahead == nullptr) return for_each_group<most>(batch.runs, relax_here);
  MotionAhead& motion = data.ahead->motion;
  const std::span<const int> met(batch.met), left(batch.left);
  const auto part = [](std::span<const int> all, int first, int last) {
    return all.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first));
  };
  constexpr std::ptrdiff_t distance = 6;
  constexpr int lists_ahead = 64;  // bodies: lists are read too seldom for a processor to foresee it
  int fetched = 0, done = 0, summed = 0;
  for (auto run = batch.runs.begin(); run != batch.runs.end(); ++run) {
    const auto coming = run + std::min(distance, std::distance(run, batch.runs.end()) - 1);
    __builtin_prefetch(met.data() + fetched + lists_ahead);
    __builtin_prefetch(left.data() + summed + lists_ahead);
    __builtin_prefetch(&*run + 2 * distance);
    motion.fetch(part(met, fetched, coming->met));
    fetched = coming->met;
    motion.meet(part(met, done, run->met));
    for_each_group<most>(*run, batch.runs.back().last, relax_here);
    motion.leave(part(left, summed, run->left));
    done = run->met;
    summed = run->left;
  }
}

/// As the caller of the sweep wants it, with the whole of N_kk.
template <typename Impulses>
void BodyOperator::relax_lever(Impulses& impulses, const LocalSolver& solve, const Lever& lever,
                               SweepData& data) const {
  const int k = lever.contact;
  const Contact& contact = contacts_[static_cast<std::size_t>(k)];
  BodyMotion& a = data.bodies[contact.a];
  BodyMotion& b = data.bodies[contact.b];
  const auto r = load_three<double>(data.rows.r, k);
  const auto from = impulses.template at<double>(k);
  const Vec3 x(from.part);
  Mat3 own = own_block(lever, {a.inverse_mass, a.inverse_inertia}, {b.inverse_mass, b.inverse_inertia});
  const Vec3 q = velocity_of(lever, data.bodies) + Vec3(r.n, r.t, r.o) - own * x;
  own.diagonal() += compliance_of(k);
  const Vec3 impulse = solve(data.set, k, own, q, x);
  impulses.template finish<double>(k, from, data.rows.r, {impulse[0], impulse[1], impulse[2]});
  const Vec3 change = impulse - x, momentum = ContactFrame(contact.n).to_world(change.data());
  add(a, -a.inverse_mass * momentum, a.inverse_inertia * (lever.spin_a.transpose() * change));
  add(b, b.inverse_mass * momentum, b.inverse_inertia * (lever.spin_b.transpose() * change));
}

template <typename Impulses>
void BodyOperator::relax_joint(Impulses& impulses, int joint, SweepData& data) const {
  const Joint& j = joints_[static_cast<std::size_t>(joint)];
  const int block = contact_count() + joint;
  const auto r = load_three<double>(data.rows.r, block);
  const auto from = impulses.template at<double>(block);
  const Vec3 x(from.part);
  const Vec3 w = velocity_of(j, data.bodies) + Vec3(r.n, r.t, r.o) + compliance_of(block).cwiseProduct(x);
  const bool is_linear = j.is_regular && is_free(data.set.joints[static_cast<std::size_t>(joint)]);
  const Vec3 impulse = data.how.local ? data.how.local(data.set, block, j.own, w - j.own * x, x)
                       : is_linear    ? Vec3(x - j.inverse * w)
                                      : solve_block(data.set, block, j.own, w - j.own * x, x);
  impulses.template finish<double>(block, from, data.rows.r, {impulse[0], impulse[1], impulse[2]});
  const Vec3 change = impulse - x;
  BodyMotion& a = data.bodies[j.a];
  BodyMotion& b = data.bodies[j.b];
  const Vec3 momentum = j.linear.transpose() * change;
  add(a, -a.inverse_mass * momentum, a.inverse_inertia * (j.spin_a.transpose() * change));
  add(b, b.inverse_mass * momentum, b.inverse_inertia * (j.spin_b.transpose() * change));
}

}  // namespace scree::problem
