#include "scree/problem/newton_system.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scree/parallel/error.hpp"
#include "scree/parallel/exchange.hpp"
#include "scree/parallel/memory.hpp"
#include "scree/parallel/petsc.hpp"

namespace scree::problem {

using model::Mat3;
using parallel::ReadArray;
using parallel::WriteArray;

namespace {

/// P and Q of one block.
struct Diagonals {
  double P[9], Q[9];
};

}  // namespace

namespace {

/// Collective. `bytes`: on each rank.
void require_bytes(const parallel::Comm& comm, double bytes, std::int64_t blocks) {
  const double needed = bytes * comm.size();
  const auto available = static_cast<double>(comm.min(parallel::available_memory()));
  if (needed > available)
    throw InputError(
        fmt::format("factors of the matrix of {} contacts and joints take {:.1f} GB on {} ranks, {:.1f} GB "
                    "are left: use solver npgs, or fewer ranks",
                    blocks, needed / 1e9, comm.size(), available / 1e9));
}

/// Collective: N on every rank, if at least that fits.
BlockMatrix gather(const ContactOperator& N) {
  const Factors factors = N.factors();
  const auto entries = static_cast<std::int64_t>(factors.reads.size() + factors.writes.size());
  constexpr double bytes_per_entry = 100.0;  // as they come, sorted, and their share of N
  require_bytes(N.comm(), bytes_per_entry * static_cast<double>(N.comm().sum(entries)),
                N.comm().sum(std::int64_t{N.block_count()}));
  return gather_blocks(N.comm(), factors);
}

}  // namespace

void require_memory(const parallel::Comm& comm, const FactorCost& cost, int blocks) {
  constexpr double with_updates = 1.5;  // fronts that wait for their parents
  require_bytes(comm, with_updates * sizeof(double) * static_cast<double>(cost.entries), blocks);
}

NewtonSystem::NewtonSystem(const ContactOperator& N)
    : comm_(N.comm()),
      first_(static_cast<int>(comm_.sum_below(N.block_count()))),
      N_(gather(N)),
      lu_(N_),
      d_(3 * static_cast<std::size_t>(N_.size())) {
  require_memory(comm_, lu_.cost(), N_.size());
}

bool NewtonSystem::factorise(const std::vector<Mat3>& P, const std::vector<Mat3>& Q) {
  if (comm_.size() == 1) {
    P_ = P;
    Q_ = Q;
  } else {
    std::vector<Diagonals> own(P.size());
    for (std::size_t k = 0; k < own.size(); ++k) {
      std::copy_n(P[k].data(), 9, own[k].P);
      std::copy_n(Q[k].data(), 9, own[k].Q);
    }
    P_.clear();
    Q_.clear();
    for (const Diagonals& block : parallel::gather_everywhere(comm_, own)) {
      P_.emplace_back(block.P);
      Q_.emplace_back(block.Q);
    }
  }
  return lu_.factorise(P_, Q_);
}

void NewtonSystem::solve(Vec b, Vec d) {
  const ReadArray right(b);
  const WriteArray out(d);
  std::vector<double> all(right.data(), right.data() + right.size());
  if (comm_.size() > 1) all = parallel::gather_everywhere(comm_, all);
  lu_.solve(P_, Q_, all, d_);
  std::copy_n(d_.data() + 3 * first_, out.size(), out.data());
}

}  // namespace scree::problem
