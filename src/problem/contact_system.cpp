#include "scree/problem/contact_system.hpp"

#include <algorithm>
#include <utility>

#include "scree/parallel/exchange.hpp"
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

/// Collective: N on every rank, if at least that fits.
BlockMatrix gather(const ContactOperator& N) {
  Factors factors = N.factors();
  const auto entries = static_cast<std::int64_t>(factors.reads.size() + factors.writes.size());
  constexpr double bytes_per_entry = 100.0;  // as they come, sorted, and their share of N
  require_memory(N.comm(), bytes_per_entry * static_cast<double>(N.comm().sum(entries)),
                 N.comm().sum(std::int64_t{N.block_count()}));
  return gather_blocks(N.comm(), std::move(factors));
}

}  // namespace

ContactSystem::ContactSystem(const ContactOperator& N)
    : comm_(N.comm()),
      first_(static_cast<int>(comm_.sum_below(N.block_count()))),
      N_(gather(N)),
      lu_(N_),
      d_(3 * static_cast<std::size_t>(N_.size())) {
  require_memory(comm_, lu_.cost().bytes(), N_.size());
}

bool ContactSystem::factorise(const std::vector<Mat3>& P, const std::vector<Mat3>& Q) {
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

bool ContactSystem::solve(Vec b, Vec d) {
  const ReadArray right(b);
  const WriteArray out(d);
  std::vector<double> all(right.data(), right.data() + right.size());
  if (comm_.size() > 1) all = parallel::gather_everywhere(comm_, all);
  lu_.solve(P_, Q_, all, d_);
  std::copy_n(d_.data() + 3 * first_, out.size(), out.data());
  return true;
}

}  // namespace scree::problem
