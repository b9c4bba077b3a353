#include "capacity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scree/parallel/error.hpp"
#include "scree/parallel/memory.hpp"

namespace scree::solvers {

double count_entries(const problem::ContactOperator& N) {
  const problem::Factors factors = N.factors();
  const double reads = N.comm().sum(static_cast<double>(factors.reads.size()));
  const double dofs = std::max(1.0, N.comm().sum(static_cast<double>(factors.dofs)));
  return reads * reads / dofs;
}

double bytes_of_factors(double rows, double entries) {
  constexpr double per_entry = 40.0, fill = 60.0;
  return per_entry * entries + 16.0 * std::min(0.5 * rows * rows, fill * std::pow(rows, 4.0 / 3.0));
}

void refuse_beyond(const parallel::Comm& comm, const std::string& solver, const std::string& reason, double bytes,
                   double share, const std::string& others) {
  const double allowed = share * static_cast<double>(parallel::memory_of_rank(comm));
  if (bytes <= allowed) return;
  throw InputError(fmt::format(
      "solver '{}' {}: it would need about {:.2g} GB on each rank, of {:.2g} that its option memory allows; take {}",
      solver, reason, 1e-9 * bytes, 1e-9 * allowed, others));
}

}  // namespace scree::solvers
