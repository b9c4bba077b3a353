// When bodies are spread anew, what it costs and what it must not change.
// timeout: 240
#include "scree/dynamics/balancer.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "scree/dynamics/simulation.hpp"
#include "scree/parallel/error.hpp"
#include "support/motion.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using dynamics::BalanceOptions;
using dynamics::Balancer;
using dynamics::PartitionQuality;
using dynamics::Rebalance;
using dynamics::Setup;
using dynamics::Simulation;
using dynamics::StepReport;
using model::Vec3;

namespace {

BalanceOptions policy(Rebalance when, std::int64_t period = 0, double threshold = 1.1) {
  BalanceOptions options;
  options.when = when;
  options.period = period;
  options.threshold = threshold;
  return options;
}

/// The steps at which a balancer asks for a rebalance of a partition that `quality` (of the step) describes.
template <typename Quality>
std::vector<std::int64_t> decisions(Balancer& balancer, std::int64_t steps, Quality&& quality) {
  std::vector<std::int64_t> result;
  for (std::int64_t step = 0; step < steps; ++step)
    if (balancer.looks_after(step) && balancer.decide(quality(step))) result.push_back(step);
  return result;
}

PartitionQuality quality(double imbalance, double cut_share = 0.1) { return {imbalance, 0, cut_share}; }

}  // namespace

BOOST_AUTO_TEST_CASE(off_is_off_and_a_period_is_kept) {
  Balancer off(policy(Rebalance::off)), periodic(policy(Rebalance::periodic, 25));
  BOOST_TEST(decisions(off, 1000, [](auto) { return quality(9.0); }).empty());
  const std::vector<std::int64_t> expected{25, 50, 75};
  BOOST_TEST((decisions(periodic, 100, [](auto) { return quality(1.0); }) == expected));
}

BOOST_AUTO_TEST_CASE(a_good_partition_is_left_alone) {
  Balancer balancer(policy(Rebalance::by_imbalance));
  BOOST_TEST(decisions(balancer, 10000, [](auto step) { return quality(step % 3 == 0 ? 1.09 : 1.02); }).empty());
}

BOOST_AUTO_TEST_CASE(a_bad_partition_is_left_alone_until_it_has_cost_enough) {
  Balancer slightly(policy(Rebalance::by_imbalance)), badly(policy(Rebalance::by_imbalance));
  const auto late = decisions(slightly, 1000, [](auto) { return quality(1.12); });
  const auto soon = decisions(badly, 1000, [](auto) { return quality(4.0); });
  BOOST_TEST(soon.front() <= 10);
  BOOST_TEST(late.front() >= 3 * soon.front());
  BOOST_TEST(late.front() <= 100);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_balanced_is_tried_at_ever_longer_intervals) {
  Balancer balancer(policy(Rebalance::by_imbalance));
  const auto steps = decisions(balancer, 100000, [](auto) { return quality(1.5); });
  BOOST_TEST(steps.size() > 3U);
  BOOST_TEST(steps.size() < 16U);
  for (std::size_t k = 2; k < steps.size(); ++k) BOOST_TEST(steps[k] - steps[k - 1] > steps[k - 1] - steps[k - 2]);
}

BOOST_AUTO_TEST_CASE(a_partition_at_the_threshold_does_not_go_to_and_fro) {
  // Each rebalance only just gets below the threshold, and soon the imbalance is above it again.
  Balancer balancer(policy(Rebalance::by_imbalance));
  std::int64_t last = 0;
  int count = 0;
  for (std::int64_t step = 0; step < 100000; ++step) {
    if (!balancer.looks_after(step) || !balancer.decide(quality(step - last < 30 ? 1.09 : 1.11))) continue;
    last = step;
    ++count;
  }
  BOOST_TEST(count < 16);
}

BOOST_AUTO_TEST_CASE(a_rebalance_that_helped_makes_the_next_one_cheap_again) {
  Balancer balancer(policy(Rebalance::by_imbalance));
  const auto waves = decisions(balancer, 4000, [](auto step) { return quality(step / 100 % 2 == 0 ? 1.01 : 1.4); });
  BOOST_TEST(waves.size() >= 20U);
  BOOST_TEST(waves.size() <= 60U);
}

BOOST_AUTO_TEST_CASE(balanced_subdomains_that_come_apart_are_mended) {
  Balancer balancer(policy(Rebalance::by_imbalance));
  BOOST_TEST(decisions(balancer, 1000, [](auto) { return quality(1.02, 0.4); }).empty());  // it was never better
  Balancer mender(policy(Rebalance::by_imbalance));
  const auto steps = decisions(mender, 1000, [](auto step) { return quality(1.02, step < 100 ? 0.1 : 0.4); });
  BOOST_TEST(steps.size() == 1U);
}

BOOST_AUTO_TEST_CASE(what_it_remembers_lets_another_go_on) {
  const auto wavy = [](std::int64_t step) { return quality(1.0 + 0.3 * std::pow(std::sin(0.01 * step), 2)); };
  Balancer whole(policy(Rebalance::by_imbalance)), first(policy(Rebalance::by_imbalance));
  const auto expected = decisions(whole, 3000, wavy);
  auto found = decisions(first, 1000, wavy);
  Balancer second(policy(Rebalance::by_imbalance), first.state());
  for (const auto step : decisions(second, 2000, [&](auto step) { return wavy(step + 1000); }))
    found.push_back(step + 1000);
  BOOST_TEST((found == expected));
  BOOST_TEST(expected.size() > 3U);
}

BOOST_AUTO_TEST_CASE(an_unknown_partitioner_is_refused) {
  BalanceOptions options;
  options.partitioner = "metis";
  BOOST_CHECK_THROW(Balancer{options}, InputError);
}

namespace {

/// Spheres of unequal size piled up, layer by layer.
std::vector<model::Body> pile(int nx, int ny, int nz) {
  std::vector<model::Body> bodies;
  Dice dice(5);
  for (int k = 0; k < nx * ny * nz; ++k) {
    const Vec3 cell(k % nx + 0.5, k / nx % ny + 0.5, k / (nx * ny) + 0.5);
    bodies.push_back(unit_sphere(k, cell + 0.03 * dice.vector(), 0.45 + 0.02 * dice()));
  }
  return bodies;
}

/// A pile at one end of a long tank.
Setup dam(int nx, int ny, int nz) {
  const model::Box inside{Vec3::Zero(), Vec3(5.0 * nx, ny, nz + 1)};
  Setup setup = make_setup(world(), pile(nx, ny, nz), model::container("tank", inside, 0, true), 0.2);
  setup.solver.stop = {.tolerance = 1e-2, .max_iterations = 15};
  setup.step.step = 0.02;
  return setup;
}

/// The same, drained where the pile ends. Each rank has a slab of it: the nearer to the drain, the more it loses.
Setup leaking_dam(int nx, int ny, int nz) {
  Setup setup = dam(nx, ny, nz);
  setup.flow.sinks = {{"drain", dynamics::Sink::Inside{{Vec3(nx + 1, 0, 0), Vec3(5 * nx, ny, nz + 1)}}}};
  std::vector<model::Body> bodies = pile(nx, ny, nz);
  std::ranges::stable_sort(bodies, {}, [](const model::Body& body) { return body.position[0]; });
  const auto first_of = [&](int rank) { return static_cast<int>(std::ssize(bodies)) * rank / world().size(); };
  setup.bodies = {};
  for (int k = first_of(world().rank()); k < first_of(world().rank() + 1); ++k)
    setup.bodies.add_owned(bodies[static_cast<std::size_t>(k)]);
  setup.resumed = dynamics::Progress{.step = 0,
                                     .mean_radius = 0.46,
                                     .memories = {},
                                     .balance = {},
                                     .flow = {.sources = {}, .sinks = std::vector<dynamics::FlowTally>(1)},
                                     .in_place = true};
  return setup;
}

struct Course {
  double mean_imbalance = 0.0;  ///< of the second half of the run
  int rebalances = 0;
};

Course run(Setup setup, int steps) {
  Simulation simulation(world(), std::move(setup));
  Course course;
  for (int k = 0; k < steps; ++k) {
    const StepReport report = simulation.step();
    if (k >= steps / 2) course.mean_imbalance += simulation.partition_quality().imbalance / (steps - steps / 2);
    if (!report.rebalance) continue;
    ++course.rebalances;
    BOOST_TEST(report.rebalance->moved_bodies <= report.bodies);
    BOOST_TEST(report.rebalance->seconds > 0.0);
    BOOST_TEST(report.rebalance->ghosts.min <= report.rebalance->ghosts.max);
  }
  return course;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_flow_that_loses_its_balance_keeps_it_when_rebalanced) {
  const int steps = 160;
  Setup left_alone = leaking_dam(14, 14, 14), balanced = leaking_dam(14, 14, 14);
  left_alone.balance = policy(Rebalance::off);
  balanced.balance = policy(Rebalance::by_imbalance, 0, 1.15);
  const Course worse = run(std::move(left_alone), steps), better = run(std::move(balanced), steps);
  BOOST_TEST_MESSAGE("imbalance " << worse.mean_imbalance << " left alone, " << better.mean_imbalance << " after "
                                  << better.rebalances << " rebalances");
  BOOST_TEST(worse.rebalances == 0);
  if (world().size() == 1) return;
  BOOST_TEST(better.rebalances > 0);
  BOOST_TEST(better.rebalances < steps / 10);
  BOOST_TEST(worse.mean_imbalance > 1.3);
  BOOST_TEST(better.mean_imbalance < 1.2);
}

namespace {

Setup settling_bed(const BalanceOptions& balance, bool warm_start) {
  Setup setup = make_setup(world(), nested_layers(3), nesting_box(), 0.3);
  setup.balance = balance;
  setup.step.warm_start = warm_start;
  setup.solver.law = problem::Law::frictionless;  // the law under which velocities are unique
  setup.solver.stop = {.tolerance = 1e-10, .max_iterations = 1000, .check_every = 1};
  return setup;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_rebalance_amid_a_warm_started_bed_changes_nothing) {
  for (const auto& partitioner : parallel::partitioners()) {
    BalanceOptions off = policy(Rebalance::off), often = policy(Rebalance::periodic, 10);
    off.partitioner = often.partitioner = partitioner.name;
    Simulation still(world(), settling_bed(off, true)), moved(world(), settling_bed(often, true)),
        cold(world(), settling_bed(often, false));
    int warm_iterations = 0, cold_iterations = 0;  // of the steps with a rebalance
    for (int k = 0; k <= 31; ++k) {
      const StepReport expected = still.step(), report = moved.step(), without_memory = cold.step();
      BOOST_TEST(report.contacts == expected.contacts);
      if (report.rebalance) {
        warm_iterations += report.iterations;
        cold_iterations += without_memory.iterations;
      }
      const auto a = all_bodies(world(), still), b = all_bodies(world(), moved);
      double difference = 0.0;
      for (std::size_t i = 0; i < a.size(); ++i)
        difference = std::max(difference, (velocity_of(a[i]) - velocity_of(b[i])).norm());
      BOOST_TEST(difference <= 1e-6, partitioner.name << ", step " << k);
    }
    BOOST_TEST((cold_iterations > 0) == (world().size() > 1));
    if (world().size() > 1)
      BOOST_TEST(warm_iterations < cold_iterations,
                 partitioner.name << ": " << warm_iterations << " warm, " << cold_iterations << " cold");
  }
}

BOOST_AUTO_TEST_CASE(a_bed_at_rest_is_not_rebalanced_for_ever) {
  Setup setup = make_setup(world(), nested_layers(4), nesting_box(), 0.3);
  setup.balance = policy(Rebalance::by_imbalance, 0, 1.01);  // so few bodies are never balanced so well
  setup.solver.stop = {.tolerance = 1e-3, .max_iterations = 20};
  BOOST_TEST(run(std::move(setup), 200).rebalances <= 8);
}

BOOST_AUTO_TEST_CASE(empty_ranks_are_filled) {
  for (const auto& partitioner : parallel::partitioners()) {
    Setup setup = dam(5, 5, 6);
    setup.balance.partitioner = partitioner.name;
    setup.bodies = {};
    if (world().rank() == world().size() / 2)
      for (int k = 0; k < 150; ++k)
        setup.bodies.add_owned(unit_sphere(k, {k % 5 + 0.5, k / 5 % 5 + 0.5, k / 25 + 0.5}));
    setup.resumed = dynamics::Progress{.step = 0, .mean_radius = 0.5, .memories = {}, .balance = {}, .in_place = true};
    Simulation simulation(world(), std::move(setup));
    BOOST_TEST(simulation.owned_spread().max == 150);
    for (int k = 0; k < 20; ++k) simulation.step();
    BOOST_TEST(simulation.owned_spread().min > 0, partitioner.name);
    BOOST_TEST(simulation.partition_quality().imbalance < 1.5, partitioner.name);
  }
}

BOOST_AUTO_TEST_CASE(work_is_shared_out_without_loss) {
  Simulation simulation(world(), dam(4, 4, 5));
  for (int k = 0; k < 40; ++k) simulation.step();
  double sum = 0.0;
  simulation.watch_problems([&](std::int64_t, const dynamics::StepProblem& now) {
    for (const double work : dynamics::work_of_bodies(now.bodies, now.halo, now.contacts)) {
      BOOST_TEST(work > 0.0);
      sum += work;
    }
    if (now.bodies.owned() > 0)
      BOOST_TEST(std::abs(sum - dynamics::work_of_rank(now.bodies, now.contacts)) <= 1e-9 * sum);
  });
  simulation.step();
  BOOST_TEST(world().sum(sum) > 0.25 * 80);
}
