#include "scree/problem/turns.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "scree/parallel/exchange.hpp"

namespace scree::problem {

using parallel::Comm;
using parallel::Mail;

namespace {

struct ForeignUse {
  DofUse use;
  int rank;
};

bool in_conflict(const DofUse& a, const DofUse& b) { return (a.reads && b.writes) || (a.writes && b.reads); }

/// One use for each degree of freedom, in ascending order.
std::vector<DofUse> merged(std::vector<DofUse> uses) {
  std::ranges::sort(uses, {}, &DofUse::dof);
  std::vector<DofUse> result;
  for (const DofUse& use : uses) {
    if (result.empty() || result.back().dof != use.dof) result.push_back({use.dof, false, false});
    result.back().reads |= use.reads;
    result.back().writes |= use.writes;
  }
  return result;
}

}  // namespace

Sharing::Sharing(const Comm& comm, const parallel::EvenSplit& dofs, const std::vector<DofUse>& uses) {
  // Those who keep degrees of freedom bring their users together.
  Mail announcements;
  for (const DofUse& use : merged(uses)) parallel::append(announcements[dofs.part_of(use.dof)], use);
  std::map<std::int64_t, std::vector<ForeignUse>> users;
  for (const auto& [rank, bytes] : parallel::deliver(comm, announcements))
    for (const DofUse& use : parallel::records<DofUse>(bytes)) users[use.dof].push_back({use, rank});

  Mail introductions;
  for (const auto& [dof, all] : users)
    for (const ForeignUse& one : all)
      for (const ForeignUse& other : all)
        if (one.rank != other.rank && in_conflict(one.use, other.use)) parallel::append(introductions[one.rank], other);
  std::set<int> ranks;
  for (const auto& [keeper, bytes] : parallel::deliver(comm, introductions))
    for (const ForeignUse& other : parallel::records<ForeignUse>(bytes)) {
      elsewhere_.push_back(other.use);
      ranks.insert(other.rank);
    }
  ranks_.assign(ranks.begin(), ranks.end());
}

std::pair<int, int> take_turns(const Comm& comm, const std::vector<int>& ranks_in_conflict) {
  // A rank chooses when all lower ones that it is in conflict with have chosen: the first turn that none of them has.
  constexpr int undecided = -1;
  int turn = undecided;
  do {
    Mail letters;
    for (const int rank : ranks_in_conflict) parallel::append(letters[rank], turn);
    std::set<int> taken;
    bool must_wait = false;
    for (const auto& [rank, bytes] : parallel::exchange_with_neighbours(comm, ranks_in_conflict, letters)) {
      if (rank > comm.rank()) continue;
      const int theirs = parallel::records<int>(bytes).front();
      must_wait |= theirs == undecided;
      taken.insert(theirs);
    }
    if (turn == undecided && !must_wait)
      for (turn = 0; taken.contains(turn);) ++turn;
  } while (comm.any(turn == undecided));
  return {turn, static_cast<int>(comm.max(std::int64_t{turn})) + 1};
}

}  // namespace scree::problem
