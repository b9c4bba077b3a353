#include "scree/problem/newton_system.hpp"

#include <fmt/format.h>

#include <utility>

#include "scree/parallel/error.hpp"
#include "scree/parallel/memory.hpp"
#include "scree/problem/body_system.hpp"
#include "scree/problem/contact_system.hpp"

namespace scree::problem {

void require_memory(const parallel::Comm& comm, double bytes, std::int64_t blocks) {
  const double needed = comm.max(bytes);
  constexpr double negligible = 64e6;  // to ask what is left would cost more time than small problems take
  if (needed <= negligible) return;
  const double left = static_cast<double>(parallel::memory_left_for_rank(comm));
  if (needed > left)
    throw InputError(
        fmt::format("factors of the matrix of {} contacts and joints take {:.1f} GB on each of {} ranks, {:.1f} GB are "
                    "left: use solver npgs, or ranks that have more",
                    blocks, needed / 1e9, comm.size(), left / 1e9));
}

std::unique_ptr<NewtonSystem> make_newton_system(const ContactProblem& problem, const SubsystemOptions& options) {
  constexpr std::int64_t few_blocks = 2000;  // beyond, bodies have the smaller factors: docs/accurate.md
  const ContactOperator& N = *problem.N;
  const bool few = options.space == "auto" && N.comm().sum(std::int64_t{N.block_count()}) <= few_blocks;
  if (few || options.space == "contacts") return std::make_unique<ContactSystem>(N);
  Factors factors = N.factors();
  if (options.space == "auto" && !knows_masses(N.comm(), factors)) return std::make_unique<ContactSystem>(N);
  return std::make_unique<BodySystem>(problem, std::move(factors), options);
}

}  // namespace scree::problem
