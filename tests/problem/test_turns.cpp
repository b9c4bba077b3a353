#include "scree/problem/turns.hpp"

#include <algorithm>

#include "support/gather.hpp"

using scree::parallel::EvenSplit;
using scree::problem::DofUse;
using scree::problem::Sharing;
using scree::problem::take_turns;
using namespace scree::test;

BOOST_AUTO_TEST_CASE(only_looking_at_what_another_changes_is_a_conflict) {
  const int rank = world().rank(), ranks = world().size();
  const EvenSplit dofs{3 + ranks, ranks};
  // All look at 0; all change 1; the first changes 2, which all others look at; 3 + k belongs to rank k alone.
  const std::vector<DofUse> uses = {
      {0, true, false}, {1, false, true}, {2, rank > 0, rank == 0}, {3 + rank, true, true}, {0, true, false}};
  const Sharing sharing(world(), dofs, uses);
  BOOST_TEST(sharing.ranks_in_conflict().size() == (rank == 0 ? ranks - 1U : 1U));
  for (const DofUse& use : sharing.elsewhere()) {
    BOOST_TEST(use.dof == 2);
    BOOST_TEST((rank == 0 ? use.reads : use.writes));
  }
}

BOOST_AUTO_TEST_CASE(ranks_in_conflict_never_have_the_same_turn) {
  const int rank = world().rank(), ranks = world().size();
  const auto check = [&](std::vector<int> others, int most_turns) {
    std::ranges::sort(others);
    const auto repeats = std::ranges::unique(others);
    others.erase(repeats.begin(), repeats.end());
    std::erase(others, rank);
    const auto [turn, turns] = take_turns(world(), others);
    const std::vector<int> all = gather_everywhere(std::vector<int>{turn});
    for (const int other : others) BOOST_TEST(all[other] != turn);
    BOOST_TEST(turn < turns);
    BOOST_TEST(turns <= most_turns);
  };
  check({}, 1);
  check({(rank + 1) % ranks, (rank + ranks - 1) % ranks}, std::min(3, ranks));
  std::vector<int> everybody;
  for (int other = 0; other < ranks; ++other) everybody.push_back(other);
  check(everybody, ranks);
}
