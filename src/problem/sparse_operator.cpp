#include "scree/problem/sparse_operator.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <type_traits>

#include "local_contact.hpp"
#include "scree/parallel/petsc.hpp"
#include "scree/problem/one_contact.hpp"
#include "scree/problem/turns.hpp"

namespace scree::problem {

using model::Mat3;
using model::Vec3;
using parallel::Comm;
using parallel::EvenSplit;
using parallel::ReadArray;
using parallel::WriteArray;

namespace {

constexpr parallel::Halo::Layout one_double{1, 1};

/// The degrees of freedom of the entries of A and S.
std::vector<std::int64_t> used_dofs(const std::vector<SparseEntry>& A, const std::vector<SparseEntry>& S) {
  std::vector<std::int64_t> used;
  used.reserve(A.size() + S.size());
  for (const SparseEntry& entry : A) used.push_back(entry.column);
  for (const SparseEntry& entry : S) used.push_back(entry.row);
  return used;
}

/// N_kk = diag(N_nn, N_tt, N_tt), to rounding.
bool is_like_spheres(const Mat3& N) {
  const double rounding = 1e-13 * N.trace();
  const double apart = std::abs(N(0, 1)) + std::abs(N(0, 2)) + std::abs(N(1, 0)) + std::abs(N(2, 0)) +
                       std::abs(N(1, 2)) + std::abs(N(2, 1)) + std::abs(N(1, 1) - N(2, 2));
  return apart <= rounding && N(0, 0) > rounding && N(1, 1) > rounding;
}

}  // namespace

SparseOperator::SparseOperator(const Comm& comm, const EvenSplit& contacts, const EvenSplit& dofs,
                               const std::vector<SparseEntry>& A, const std::vector<SparseEntry>& S,
                               const std::vector<SparseEntry>& M)
    : ContactOperator(comm), dofs_(comm, dofs, used_dofs(A, S)) {
  const std::int64_t first_row = contacts.first(comm.rank());
  const int blocks = static_cast<int>(contacts.count(comm.rank()) / 3);
  std::vector<Coefficient> read, written;
  for (const SparseEntry& entry : A) read.push_back({entry.row, entry.column, entry.value});
  for (const SparseEntry& entry : S) written.push_back({entry.column, entry.row, entry.value});
  reads_ = gather(first_row, blocks, std::move(read));
  writes_ = gather(first_row, blocks, std::move(written));
  for (const auto& [row, column, value] : M)
    mass_.push_back({static_cast<int>(row - dofs.first(comm.rank())), column, value});
  received_.resize(static_cast<std::size_t>(dofs_.size() - dofs_.own()));
  find_diagonal();
  plan_sweep(dofs, A, S);
}

void SparseOperator::plan_sweep(const EvenSplit& dofs, const std::vector<SparseEntry>& A,
                                const std::vector<SparseEntry>& S) {
  std::vector<DofUse> uses;
  for (const SparseEntry& entry : A) uses.push_back({entry.column, true, false});
  for (const SparseEntry& entry : S) uses.push_back({entry.row, false, true});
  const Sharing sharing(comm(), dofs, uses);
  // By slots: whether other ranks look at a degree of freedom, and whether they change it.
  std::vector<char> read_elsewhere(static_cast<std::size_t>(dofs_.size())), changed_elsewhere(read_elsewhere);
  for (const DofUse& use : sharing.elsewhere()) {
    const auto slot = static_cast<std::size_t>(dofs_.slot(use.dof));
    if (use.reads) read_elsewhere[slot] = 1;
    if (use.writes) changed_elsewhere[slot] = 1;
  }
  for (int k = 0; k < block_count(); ++k) {
    const auto meets = [k](const Blocks& entries, const std::vector<char>& elsewhere) {
      return std::any_of(entries.begin(k), entries.end(k),
                         [&](const auto& entry) { return elsewhere[static_cast<std::size_t>(entry.dof)] != 0; });
    };
    (meets(reads_, changed_elsewhere) || meets(writes_, read_elsewhere) ? interface_ : interior_).push_back(k);
  }
  std::tie(turn_, turns_) = take_turns(comm(), sharing.ranks_in_conflict());
}

SparseOperator::Blocks SparseOperator::gather(std::int64_t first_row, int blocks,
                                              std::vector<Coefficient> coefficients) const {
  const auto block_of = [&](const Coefficient& c) { return static_cast<int>((c.row - first_row) / 3); };
  std::ranges::stable_sort(coefficients, {}, [&](const Coefficient& c) { return std::tuple(block_of(c), c.dof); });
  Blocks result;
  result.first.assign(static_cast<std::size_t>(blocks) + 1, 0);
  int block = 0;
  for (const Coefficient& c : coefficients) {
    const int dof = dofs_.slot(c.dof);
    const bool new_block = block_of(c) != block;
    for (; block < block_of(c); ++block) result.first[static_cast<std::size_t>(block) + 1] = std::ssize(result.entries);
    if (new_block || result.entries.empty() || result.entries.back().dof != dof) result.entries.push_back({dof, {}});
    result.entries.back().value[(c.row - first_row) % 3] += c.value;
  }
  for (; block < blocks; ++block) result.first[static_cast<std::size_t>(block) + 1] = std::ssize(result.entries);
  return result;
}

void SparseOperator::find_diagonal() {
  const int blocks = static_cast<int>(reads_.first.size()) - 1;
  Motion motion = motion_at_rest();
  for (int k = 0; k < blocks; ++k) {
    Mat3& N = diagonal_.emplace_back();
    for (int c = 0; c < 3; ++c) {
      add_motion(k, Vec3::Unit(c), motion);
      N.col(c) = velocity(k, motion);
      for (auto entry = writes_.begin(k); entry != writes_.end(k); ++entry)
        motion[static_cast<std::size_t>(entry->dof)] = 0.0;
    }
    like_spheres_.push_back(is_like_spheres(N) ? 1 : 0);
  }
}

double SparseOperator::sweep_cost() const {
  constexpr double in_closed_form = 1000.0, otherwise = 2000.0;
  const auto closed = static_cast<double>(std::ranges::count(like_spheres_, 1));
  return in_closed_form * closed + otherwise * (block_count() - closed);
}

Factors SparseOperator::factors() const {
  Factors result{3 * block_count(), dofs_.own(), {}, {}, {}};
  const auto copy = [&](const Blocks& from, std::vector<Factors::Entry>& to) {
    for (int k = 0; k < block_count(); ++k)
      for (auto entry = from.begin(k); entry != from.end(k); ++entry)
        for (int c = 0; c < 3; ++c)
          if (entry->value[c] != 0.0) to.push_back({3 * k + c, dofs_.number(entry->dof), entry->value[c]});
  };
  copy(reads_, result.reads);
  copy(writes_, result.writes);
  result.mass = mass_;
  return result;
}

Motion SparseOperator::motion_at_rest() const { return Motion(static_cast<std::size_t>(dofs_.size()), 0.0); }

Vec3 SparseOperator::velocity(int block, const Motion& motion) const {
  Vec3 w = Vec3::Zero();
  for (auto entry = reads_.begin(block); entry != reads_.end(block); ++entry)
    w += motion[static_cast<std::size_t>(entry->dof)] * Vec3(entry->value);
  return w;
}

void SparseOperator::add_motion(int block, const Vec3& x, Motion& motion) const {
  for (auto entry = writes_.begin(block); entry != writes_.end(block); ++entry)
    motion[static_cast<std::size_t>(entry->dof)] += Vec3(entry->value).dot(x);
}

void SparseOperator::refresh(Motion& motion) const { dofs_.halo().forward(motion.data(), one_double); }

void SparseOperator::block_velocities(int first, int last, const double*, const Motion& motion, double* w) const {
  for (int k = first; k < last; ++k) Eigen::Map<Vec3>(w + 3 * (k - first)) = velocity(k, motion);
}

double SparseOperator::local_energy(Vec x, const Motion& motion) const {
  const ReadArray impulse(x);
  double energy = 0.0;
  for (int k = 0; k < block_count(); ++k) energy += 0.5 * Vec3(impulse.data() + 3 * k).dot(velocity(k, motion));
  return energy;
}

void SparseOperator::find_motion(Vec x, Motion& motion) const {
  const ReadArray impulse(x);
  std::ranges::fill(motion, 0.0);
  for (int k = 0; k < block_count(); ++k) add_motion(k, Vec3(impulse.data() + 3 * k), motion);
  dofs_.halo().reverse_add(motion.data(), one_double);
  dofs_.halo().forward(motion.data(), one_double);
}

/// Calls `solve` with each block and its N_kk, q and impulse, and has the motion follow.
template <typename Solve>
void SparseOperator::relax_each(const std::vector<int>& blocks, const SweepData& data, const Solve& solve) const {
  const auto relax_one = [&](int block) {
    const Mat3& N = diagonal_[static_cast<std::size_t>(block)];
    double* const x = data.x + 3 * block;
    const Vec3 before(x);
    const Vec3 q = velocity(block, data.motion) + Vec3(data.r + 3 * block) - N * before;
    const Vec3 after = solve(block, N, q, before);
    add_motion(block, after - before, data.motion);
    std::copy_n(after.data(), 3, x);
  };
  if (data.how.backward) {
    std::for_each(blocks.rbegin(), blocks.rend(), relax_one);
  } else {
    std::ranges::for_each(blocks, relax_one);
  }
}

/// Chooses what solves a contact's own problem: a closed form where its block is like one of spheres.
void SparseOperator::relax(const std::vector<int>& blocks, const SweepData& data) const {
  const ConstraintSet& set = data.set;
  const auto relax_with = [&]<typename Local>(const Local& local) {
    relax_each(blocks, data, [&](int k, const Mat3& N, const Vec3& q, const Vec3& before) {
      const bool closed =
          std::is_same_v<Local, LocalFrictionless> ? N(0, 0) > 0.0 : like_spheres_[static_cast<std::size_t>(k)] != 0;
      if (!closed || set.is_joint(k)) return solve_block(set, k, N, q, before);
      const Three<double> x = local(k, Diagonal<double>{N(0, 0), N(1, 1)}, Three<double>{-q[0], -q[1], -q[2]});
      return Vec3(x.n, x.t, x.o);
    });
  };
  if (data.how.local) {
    relax_each(blocks, data, [&](int k, const Mat3& N, const Vec3& q, const Vec3& before) {
      return data.how.local(set, k, N, q, before);
    });
  } else if (!set.exceptions.empty()) {
    relax_with(LocalMixed{set});
  } else {
    with_local(set, set.law, relax_with);
  }
}

void SparseOperator::share_changes(Motion& motion) const {
  for (std::size_t k = 0; k < received_.size(); ++k) motion[static_cast<std::size_t>(dofs_.own()) + k] -= received_[k];
  dofs_.halo().reverse_add(motion.data(), one_double);
  dofs_.halo().forward(motion.data(), one_double);
}

void SparseOperator::relax_all(Vec r, const ConstraintSet& set, Vec x, Motion& motion, const Relaxation& how) const {
  const ReadArray free(r);
  const WriteArray impulse(x);
  const SweepData data{free.data(), set, impulse.data(), motion, how};
  dofs_.halo().forward(motion.data(), one_double);
  for (int k = 0; k < turns_; ++k) {
    const int turn = how.backward ? turns_ - 1 - k : k;
    std::copy(motion.begin() + dofs_.own(), motion.end(), received_.begin());
    if (turn == 0 && !how.backward) relax(interior_, data);
    if (turn == turn_) relax(interface_, data);
    if (turn == 0 && how.backward) relax(interior_, data);
    share_changes(motion);
  }
}

}  // namespace scree::problem
