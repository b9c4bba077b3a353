// The phase table: seconds add up, traffic is that of the phase in which it happened.
#include "scree/parallel/phase_timer.hpp"

#include <chrono>
#include <thread>

#include "scree/parallel/halo.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using parallel::Halo;
using parallel::PhaseTimer;

BOOST_AUTO_TEST_CASE(phases_add_up_in_the_order_in_which_they_first_ran) {
  PhaseTimer timer(world());
  for (int k = 0; k < 2; ++k) {
    { const auto scope = timer.measure("idle"); }
    const auto scope = timer.measure("sleep");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  const auto spreads = timer.over_ranks();
  BOOST_TEST_REQUIRE(spreads.size() == 2u);
  BOOST_TEST(spreads[0].name == "idle");
  BOOST_TEST(spreads[1].name == "sleep");
  BOOST_TEST(spreads[1].min >= 0.010);
  BOOST_TEST(spreads[1].min <= spreads[1].avg);
  BOOST_TEST(spreads[1].avg <= spreads[1].max);
}

BOOST_AUTO_TEST_CASE(traffic_counts_for_the_phase_in_which_it_happens) {
  const int ranks = world().size(), me = world().rank();
  const int after = (me + 1) % ranks, before = (me + ranks - 1) % ranks;
  std::vector<Halo::Neighbour> plan;  // a ring: one item goes on to the next rank
  if (ranks == 2) plan = {{after, {0}, {1}}};
  if (ranks > 2) plan = {{after, {0}, {}}, {before, {}, {1}}};
  const Halo halo(world(), plan);
  std::vector<double> data{1.0 * me, -1.0};

  PhaseTimer timer(world());
  { const auto scope = timer.measure("quiet"); }
  {
    const auto scope = timer.measure("ring");
    for (int k = 0; k < 3; ++k) halo.forward(data.data(), {1, 1});
    (void)world().sum(1.0);
  }
  const auto spreads = timer.over_ranks();
  const std::int64_t messages = ranks > 1 ? 3 * ranks : 0;
  BOOST_TEST(spreads[0].traffic.messages == 0);
  BOOST_TEST(spreads[0].traffic.reductions == 0);
  BOOST_TEST(spreads[1].traffic.messages == messages);
  BOOST_TEST(spreads[1].traffic.bytes == 8 * messages);
  BOOST_TEST(spreads[1].traffic.reductions == 1);
  BOOST_TEST((spreads[1].traffic.waiting > 0.0) == (ranks > 1));  // nobody waits alone
  BOOST_TEST(spreads[1].traffic.waiting <= spreads[1].max);
}
