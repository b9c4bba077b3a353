#include "scree/parallel/halo.hpp"

#include <chrono>
#include <map>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "support/support.hpp"

using scree::parallel::Halo;
using scree::test::world;

namespace {

/// A ghost layer that every rank knows in full, so that every exchange is checked against a direct computation.
struct Scene {
  std::vector<int> owned;                                  ///< items per rank
  std::map<std::pair<int, int>, std::vector<int>> mirror;  ///< (owner, holder) -> items of the owner

  [[nodiscard]] const std::vector<int>& mirrored(int owner, int holder) const {
    static const std::vector<int> none;
    const auto found = mirror.find({owner, holder});
    return found == mirror.end() ? none : found->second;
  }

  [[nodiscard]] int owned_here() const { return owned[static_cast<std::size_t>(world().rank())]; }

  [[nodiscard]] std::vector<Halo::Neighbour> neighbours() const {
    std::vector<Halo::Neighbour> result;
    int ghost = owned_here();
    for (int rank = 0; rank < world().size(); ++rank) {
      const auto& sent = mirrored(world().rank(), rank);
      const std::size_t ghosts = mirrored(rank, world().rank()).size();
      if (sent.empty() && ghosts == 0) continue;
      result.push_back({rank, sent, std::vector<int>(ghosts)});
      for (int& item : result.back().ghosts) item = ghost++;
    }
    return result;
  }

  /// Owner and item of each ghost of this rank, in order.
  [[nodiscard]] std::vector<std::pair<int, int>> ghosts() const {
    std::vector<std::pair<int, int>> result;
    for (int rank = 0; rank < world().size(); ++rank)
      for (const int item : mirrored(rank, world().rank())) result.emplace_back(rank, item);
    return result;
  }

  [[nodiscard]] int size() const { return owned_here() + static_cast<int>(ghosts().size()); }
};

/// Random items are mirrored on random ranks, in one direction or both, in random order; every fourth rank has no
/// items.
Scene random_scene(unsigned seed, double chance_of_link) {
  std::mt19937 random(seed);
  const auto pick = [&random](int below) { return std::uniform_int_distribution<int>(0, below - 1)(random); };
  std::bernoulli_distribution linked(chance_of_link);
  std::bernoulli_distribution chosen(0.4);
  Scene scene;
  for (int rank = 0; rank < world().size(); ++rank)
    scene.owned.push_back((rank + static_cast<int>(seed)) % 4 == 3 ? 0 : 1 + pick(20));
  for (int owner = 0; owner < world().size(); ++owner)
    for (int holder = 0; holder < world().size(); ++holder) {
      if (owner == holder || !linked(random)) continue;
      std::vector<int> items;
      for (int item = 0; item < scene.owned[static_cast<std::size_t>(owner)]; ++item)
        if (chosen(random)) items.push_back(item);
      for (std::size_t k = items.size(); k > 1; --k)
        std::swap(items[k - 1], items[static_cast<std::size_t>(pick(static_cast<int>(k)))]);
      if (!items.empty()) scene.mirror[{owner, holder}] = items;
    }
  return scene;
}

constexpr double untouched = -77.0;

double value(int rank, int item, int column, int round) {
  return 1e6 * (round + 1) + 1e4 * rank + 10.0 * item + column;
}

/// Records of the owned items are set by `value`; ghosts and the room between records are not.
std::vector<double> owned_records(const Scene& scene, Halo::Layout layout, int round) {
  std::vector<double> data(static_cast<std::size_t>(scene.size() * layout.stride), untouched);
  for (int item = 0; item < scene.owned_here(); ++item)
    for (int c = 0; c < layout.width; ++c)
      data[static_cast<std::size_t>(item * layout.stride + c)] = value(world().rank(), item, c, round);
  return data;
}

std::vector<double> with_ghosts(const Scene& scene, Halo::Layout layout, int round) {
  auto data = owned_records(scene, layout, round);
  int slot = scene.owned_here();
  for (const auto& [owner, item] : scene.ghosts()) {
    for (int c = 0; c < layout.width; ++c)
      data[static_cast<std::size_t>(slot * layout.stride + c)] = value(owner, item, c, round);
    ++slot;
  }
  return data;
}

/// What an owned item should hold after ghosts, each holding 1000 * holder + column, were added to it.
std::vector<double> after_reverse(const Scene& scene, Halo::Layout layout, std::vector<double> data) {
  for (int holder = 0; holder < world().size(); ++holder)
    for (const int item : scene.mirrored(world().rank(), holder))
      for (int c = 0; c < layout.width; ++c)
        data[static_cast<std::size_t>(item * layout.stride + c)] += 1000.0 * holder + c;
  return data;
}

std::vector<double> with_contributions(const Scene& scene, Halo::Layout layout, int round) {
  auto data = owned_records(scene, layout, round);
  for (int slot = scene.owned_here(); slot < scene.size(); ++slot)
    for (int c = 0; c < layout.width; ++c)
      data[static_cast<std::size_t>(slot * layout.stride + c)] = 1000.0 * world().rank() + c;
  return data;
}

constexpr Halo::Layout layouts[] = {{1, 1}, {3, 3}, {6, 6}, {6, 8}, {2, 5}};

}  // namespace

BOOST_AUTO_TEST_CASE(a_plan_without_neighbours_does_nothing) {
  Halo halo;
  std::vector<double> data{1.0, 2.0};
  halo.forward(data.data(), {1, 1});
  halo.reverse_add(data.data(), {1, 1});
  BOOST_TEST(halo.ghost_count() == 0);
  BOOST_TEST(data[0] == 1.0);
  BOOST_TEST(data[1] == 2.0);
}

BOOST_AUTO_TEST_CASE(forward_copies_owned_records_to_their_ghosts) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Scene scene = random_scene(seed, 0.5);
    Halo halo(world(), scene.neighbours());
    BOOST_TEST(halo.ghost_count() == scene.size() - scene.owned_here());
    for (const auto layout : layouts) {
      auto data = owned_records(scene, layout, 0);
      halo.forward(data.data(), layout);
      BOOST_TEST((data == with_ghosts(scene, layout, 0)), "seed " << seed << ", width " << layout.width);
    }
  }
}

BOOST_AUTO_TEST_CASE(reverse_adds_ghosts_to_what_they_mirror) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Scene scene = random_scene(seed, 0.5);
    Halo halo(world(), scene.neighbours());
    for (const auto layout : layouts) {
      auto data = with_contributions(scene, layout, 0);
      const auto expected = after_reverse(scene, layout, data);
      halo.reverse_add(data.data(), layout);
      BOOST_TEST((data == expected), "seed " << seed << ", width " << layout.width);
    }
  }
}

BOOST_AUTO_TEST_CASE(forward_and_reverse_are_adjoint) {
  // <forward(x), y> over ghosts equals <x, reverse(y)> over owned items, in whole numbers without rounding.
  const Scene scene = random_scene(5, 0.7);
  Halo halo(world(), scene.neighbours());
  const Halo::Layout layout{3, 3};
  auto x = owned_records(scene, layout, 0);
  halo.forward(x.data(), layout);
  std::vector<double> y(x.size(), 0.0);
  const auto first_ghost = static_cast<std::size_t>(scene.owned_here() * layout.stride);
  double over_ghosts = 0.0;
  for (std::size_t k = first_ghost; k < y.size(); ++k) {
    y[k] = static_cast<double>(k % 7);
    over_ghosts += x[k] * y[k];
  }
  halo.reverse_add(y.data(), layout);
  double over_owned = 0.0;
  for (std::size_t k = 0; k < first_ghost; ++k) over_owned += x[k] * y[k];
  BOOST_TEST(world().sum(over_ghosts) == world().sum(over_owned));
}

namespace {

/// Forth and back.
void check_round(const Scene& scene, const Halo& halo, Halo::Layout layout, int round) {
  auto data = owned_records(scene, layout, round);
  halo.forward(data.data(), layout);
  BOOST_TEST((data == with_ghosts(scene, layout, round)), "round " << round);

  data = with_contributions(scene, layout, round);
  const auto expected = after_reverse(scene, layout, data);
  halo.reverse_add(data.data(), layout);
  BOOST_TEST((data == expected), "round " << round);
}

}  // namespace

BOOST_AUTO_TEST_CASE(rounds_without_a_barrier_do_not_mix) {
  const Scene scene = random_scene(1, 0.6);
  Halo halo(world(), scene.neighbours());
  for (int round = 0; round < 100; ++round)
    check_round(scene, halo, layouts[static_cast<std::size_t>(round) % std::size(layouts)], round);
}

BOOST_AUTO_TEST_CASE(messages_too_long_to_be_copied_at_once_are_whole) {
  const Scene scene = random_scene(6, 0.8);
  Halo halo(world(), scene.neighbours());
  for (int round = 0; round < 10; ++round) {
    // One rank is late in each round; the others may be one ahead, at work on what they send next.
    if (round % world().size() == world().rank()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    check_round(scene, halo, {20000, 20000}, round);  // 160 kB an item: a send ends when it is received
  }
}

BOOST_AUTO_TEST_CASE(work_between_begin_and_end_on_other_records_is_kept) {
  const Scene scene = random_scene(2, 0.5);
  Halo halo(world(), scene.neighbours());
  const Halo::Layout layout{3, 4};
  std::vector<char> taking_part(static_cast<std::size_t>(scene.owned_here()), 0);
  for (const auto& neighbour : halo.neighbours())
    for (const int item : neighbour.sent) taking_part[static_cast<std::size_t>(item)] = 1;
  const auto work_on_others = [&](std::vector<double>& data) {
    for (std::size_t item = 0; item < taking_part.size(); ++item)
      if (!taking_part[item]) data[item * static_cast<std::size_t>(layout.stride)] += 0.25;
  };

  auto data = owned_records(scene, layout, 0);
  auto expected = with_ghosts(scene, layout, 0);
  halo.begin_forward(data.data(), layout);
  work_on_others(data);
  halo.end_forward(data.data(), layout);
  work_on_others(expected);
  BOOST_TEST((data == expected));

  data = with_contributions(scene, layout, 0);
  expected = after_reverse(scene, layout, data);
  halo.begin_reverse_add(data.data(), layout);
  work_on_others(data);
  halo.end_reverse_add(data.data(), layout);
  work_on_others(expected);
  BOOST_TEST((data == expected));
}

BOOST_AUTO_TEST_CASE(one_message_per_neighbour_that_needs_one) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const Scene scene = random_scene(seed, 0.4);
    const auto before_plan = world().traffic();
    Halo halo(world(), scene.neighbours());
    BOOST_TEST(world().traffic().reductions == before_plan.reductions);

    std::int64_t senders = 0, sent_items = 0, holders = 0, ghosts = 0;
    for (const auto& neighbour : scene.neighbours()) {
      senders += neighbour.sent.empty() ? 0 : 1;
      sent_items += static_cast<std::int64_t>(neighbour.sent.size());
      holders += neighbour.ghosts.empty() ? 0 : 1;
      ghosts += static_cast<std::int64_t>(neighbour.ghosts.size());
    }
    const Halo::Layout layout{6, 8};
    auto data = owned_records(scene, layout, 0);

    auto before = world().traffic();
    halo.forward(data.data(), layout);
    BOOST_TEST(world().traffic().messages - before.messages == senders);
    BOOST_TEST(world().traffic().bytes - before.bytes == sent_items * 6 * 8);

    before = world().traffic();
    halo.reverse_add(data.data(), layout);
    BOOST_TEST(world().traffic().messages - before.messages == holders);
    BOOST_TEST(world().traffic().bytes - before.bytes == ghosts * 6 * 8);
    BOOST_TEST(world().traffic().reductions == before.reductions);
  }
}

BOOST_AUTO_TEST_CASE(a_restricted_plan_moves_the_chosen_ghosts_only) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const Scene scene = random_scene(seed, 0.5);
    const Halo whole(world(), scene.neighbours());
    std::vector<char> needed(static_cast<std::size_t>(scene.size()), 0);
    std::mt19937 random(seed + 100 * static_cast<unsigned>(world().rank()));
    for (char& flag : needed) flag = static_cast<char>(random() % 2);
    const Halo some = whole.restricted(needed);
    const Halo::Layout layout{3, 4};
    auto data = owned_records(scene, layout, 0);
    const auto before = world().traffic();
    some.forward(data.data(), layout);
    BOOST_TEST(world().max(world().traffic().bytes - before.bytes) <=
               world().max(static_cast<std::int64_t>(scene.size()) * world().size() * 24));
    const auto all = with_ghosts(scene, layout, 0), none = owned_records(scene, layout, 0);
    for (std::size_t k = 0; k < data.size(); ++k) {
      const std::size_t item = k / static_cast<std::size_t>(layout.stride);
      const bool moved = item < static_cast<std::size_t>(scene.owned_here()) || needed[item] != 0;
      BOOST_TEST(data[k] == (moved ? all[k] : none[k]));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_rank_may_mirror_its_own_items) {  // as periodic boundaries do
  Halo halo(world(), {{world().rank(), {0, 2}, {3, 4}}});
  std::vector<double> data{1.0, 2.0, 3.0, 0.0, 0.0};
  halo.forward(data.data(), {1, 1});
  BOOST_TEST((data == std::vector<double>{1.0, 2.0, 3.0, 1.0, 3.0}));
  halo.reverse_add(data.data(), {1, 1});
  BOOST_TEST((data == std::vector<double>{2.0, 2.0, 6.0, 1.0, 3.0}));
}

BOOST_AUTO_TEST_CASE(a_plan_may_be_moved) {
  const Scene scene = random_scene(3, 0.5);
  Halo made(world(), scene.neighbours());
  Halo halo;
  halo = std::move(made);
  auto data = owned_records(scene, {3, 3}, 0);
  halo.forward(data.data(), {3, 3});
  BOOST_TEST((data == with_ghosts(scene, {3, 3}, 0)));
}
