// Distributed colouring: no item is used by two ranks, nor through two copies, in one colour.
#include "scree/parallel/colouring.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "support/gather.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using parallel::Halo;
using parallel::Task;

namespace {

/// Items with random owners, each mirrored on random ranks; every rank can build the whole plan.
struct Sharing {
  std::vector<std::int64_t> id;  ///< of local items
  std::vector<Halo::Neighbour> plan;
};

Sharing random_sharing(unsigned seed, int count, double chance) {
  const int ranks = world().size(), me = world().rank();
  std::mt19937 random(seed);
  std::vector<int> owner(static_cast<std::size_t>(count));
  for (int& rank : owner) rank = static_cast<int>(random() % static_cast<unsigned>(ranks));
  std::bernoulli_distribution mirrored(chance);
  std::vector<std::vector<char>> on(static_cast<std::size_t>(count));
  for (auto& flags : on)
    for (int rank = 0; rank < ranks; ++rank) flags.push_back(mirrored(random) ? 1 : 0);

  Sharing result;
  std::map<int, int> local;
  for (int item = 0; item < count; ++item)
    if (owner[static_cast<std::size_t>(item)] == me) {
      local[item] = static_cast<int>(result.id.size());
      result.id.push_back(item);
    }
  for (int rank = 0; rank < ranks; ++rank) {
    Halo::Neighbour neighbour{rank, {}, {}};
    for (int item = 0; item < count; ++item) {
      const auto k = static_cast<std::size_t>(item);
      if (owner[k] == me && on[k][static_cast<std::size_t>(rank)] != 0) neighbour.sent.push_back(local[item]);
      if (owner[k] == rank && on[k][static_cast<std::size_t>(me)] != 0) {  // with rank == me: its own image
        neighbour.ghosts.push_back(static_cast<int>(result.id.size()));
        result.id.push_back(item);
      }
    }
    result.plan.push_back(std::move(neighbour));
  }
  return result;
}

std::vector<Task> random_tasks(const Sharing& sharing, unsigned seed, int count) {
  std::mt19937 random(seed * 97 + static_cast<unsigned>(world().rank()));
  std::vector<Task> tasks;
  if (sharing.id.empty()) return tasks;
  const auto pick = [&] { return static_cast<int>(random() % sharing.id.size()); };
  for (int k = 0; k < count; ++k) tasks.push_back({pick(), random() % 4 == 0 ? -1 : pick()});
  std::erase_if(tasks, [&](const Task& task) {  // an item with its own image in one task cannot be coloured
    return task.second >= 0 &&
           sharing.id[static_cast<std::size_t>(task.first)] == sharing.id[static_cast<std::size_t>(task.second)];
  });
  return tasks;
}

struct Use {
  std::int64_t id, colour, rank, copy;
};

/// All that use one item in one colour must be the same rank and the same copy.
void check(const Sharing& sharing, const std::vector<Task>& tasks, const std::vector<int>& colours) {
  BOOST_TEST_REQUIRE(colours.size() == tasks.size());
  std::vector<Use> uses;
  for (std::size_t k = 0; k < tasks.size(); ++k)
    for (const int item : {tasks[k].first, tasks[k].second})
      if (item >= 0) uses.push_back({sharing.id[static_cast<std::size_t>(item)], colours[k], world().rank(), item});
  std::map<std::pair<std::int64_t, std::int64_t>, std::pair<std::int64_t, std::int64_t>> user;
  for (const Use& use : gather_everywhere(uses)) {
    const auto [known, fresh] = user.emplace(std::pair(use.id, use.colour), std::pair(use.rank, use.copy));
    BOOST_TEST((known->second == std::pair(use.rank, use.copy)));
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(no_item_has_two_users_in_one_colour) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    const Sharing sharing = random_sharing(seed, 40, 0.3);
    const auto tasks = random_tasks(sharing, seed, 60);
    const Halo halo(world(), sharing.plan);
    check(sharing, tasks, colour_tasks(world(), {halo, sharing.id}, tasks));
  }
}

BOOST_AUTO_TEST_CASE(an_item_that_every_rank_uses_takes_as_many_colours_as_ranks) {
  Sharing sharing;  // one item, owned by rank 0
  sharing.id = {7};
  if (world().is_root()) {
    for (int rank = 1; rank < world().size(); ++rank) sharing.plan.push_back({rank, {0}, {}});
  } else {
    sharing.plan.push_back({0, {}, {0}});
  }
  const Halo halo(world(), sharing.plan);
  const std::vector<Task> tasks(5, Task{0, -1});
  const auto colours = colour_tasks(world(), {halo, sharing.id}, tasks);
  check(sharing, tasks, colours);
  BOOST_TEST(world().max(static_cast<std::int64_t>(colours.front())) == world().size() - 1);
}

BOOST_AUTO_TEST_CASE(without_sharing_one_colour_is_enough) {
  const Sharing sharing = random_sharing(3, 30, 0.0);
  const auto tasks = random_tasks(sharing, 3, 20);
  const Halo halo(world(), sharing.plan);
  for (const int colour : colour_tasks(world(), {halo, sharing.id}, tasks)) BOOST_TEST(colour == 0);
}
