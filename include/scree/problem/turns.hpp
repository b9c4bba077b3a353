#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "scree/parallel/comm.hpp"
#include "scree/parallel/even_split.hpp"

namespace scree::problem {

/// What the contacts of a rank do with a degree of freedom in a sweep.
struct DofUse {
  std::int64_t dof;
  bool reads;
  bool writes;
};

/// Who else uses the degrees of freedom that this rank uses.
class Sharing {
 public:
  /// Collective. `uses` are those of this rank, in any order, with repeats; `dofs` tells who keeps which of them.
  Sharing(const parallel::Comm& comm, const parallel::EvenSplit& dofs, const std::vector<DofUse>& uses);

  /// What other ranks do with the degrees of freedom that this rank uses, where they get in each other's way: one looks
  /// at what the other changes. That both change it does no harm, for changes add up.
  [[nodiscard]] const std::vector<DofUse>& elsewhere() const { return elsewhere_; }
  [[nodiscard]] const std::vector<int>& ranks_in_conflict() const { return ranks_; }

 private:
  std::vector<DofUse> elsewhere_;
  std::vector<int> ranks_;  ///< ascending
};

/// Collective: this rank's turn, different from those of the ranks that it is in conflict with, which see it alike, and
/// the number of turns.
[[nodiscard]] std::pair<int, int> take_turns(const parallel::Comm& comm, const std::vector<int>& ranks_in_conflict);

}  // namespace scree::problem
