#include "scree/problem/newton_system.hpp"

#include <algorithm>

#include "scree/parallel/exchange.hpp"
#include "scree/parallel/petsc.hpp"

namespace scree::problem {

using model::Mat3;
using parallel::ReadArray;
using parallel::WriteArray;

NewtonSystem::NewtonSystem(const ContactOperator& N)
    : comm_(N.comm()),
      first_(static_cast<int>(comm_.sum_below(N.block_count()))),
      N_(gather_blocks(comm_, N.factors())),
      lu_(N_),
      d_(3 * static_cast<std::size_t>(N_.size())) {}

namespace {

/// The rows of one block of (P + Q N) d = b.
struct Rows {
  double P[9], Q[9], b[3];
};

}  // namespace

bool NewtonSystem::solve(const std::vector<Mat3>& P, const std::vector<Mat3>& Q, Vec b, Vec d) {
  const ReadArray right(b);
  const WriteArray out(d);
  if (comm_.size() == 1) {
    if (!lu_.factorise(P, Q)) return false;
    lu_.solve(P, Q, {right.data(), d_.size()}, d_);
  } else {
    std::vector<Rows> rows(P.size());
    for (std::size_t k = 0; k < rows.size(); ++k) {
      std::copy_n(P[k].data(), 9, rows[k].P);
      std::copy_n(Q[k].data(), 9, rows[k].Q);
      std::copy_n(right.data() + 3 * k, 3, rows[k].b);
    }
    std::vector<Mat3> all_P, all_Q;
    std::vector<double> all_b;
    for (const Rows& row : parallel::gather_everywhere(comm_, rows)) {
      all_P.emplace_back(row.P);
      all_Q.emplace_back(row.Q);
      all_b.insert(all_b.end(), row.b, row.b + 3);
    }
    if (!lu_.factorise(all_P, all_Q)) return false;
    lu_.solve(all_P, all_Q, all_b, d_);
  }
  std::copy_n(d_.data() + 3 * first_, out.size(), out.data());
  return true;
}

}  // namespace scree::problem
