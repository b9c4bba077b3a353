#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scree/collision/contacts.hpp"
#include "scree/collision/pairs.hpp"
#include "scree/model/bodies.hpp"
#include "scree/parallel/comm.hpp"
#include "scree/parallel/halo.hpp"
#include "scree/parallel/partition.hpp"

namespace scree::dynamics {

/// When bodies are spread anew over the ranks.
enum class Rebalance { off, periodic, by_imbalance };

struct BalanceOptions {
  std::string partitioner{parallel::partitioners().front().name};
  Rebalance when = Rebalance::by_imbalance;
  std::int64_t period = 0;  ///< steps, `periodic` only
  double threshold = 1.1;   ///< work of the busiest rank over the mean, `by_imbalance` only
};

/// How good a partition is, equal on all ranks.
struct PartitionQuality {
  double imbalance = 1.0;     ///< work of the busiest rank over the mean
  std::int64_t edge_cut = 0;  ///< contacts between bodies of different ranks
  double cut_share = 0.0;     ///< of all contacts
};

/// What a balancer remembers from check to check.
struct BalanceState {
  double loss = 0.0;        ///< what a bad partition has cost since the last rebalance (steps with a perfect one)
  double price = 0.0;       ///< how much of it the next rebalance must be worth; 0: that of the first one
  double cut_share = -1.0;  ///< at the first check after the last rebalance; -1: there was none with contacts yet
};

/// Decides when to spread bodies anew.
///
/// By imbalance: a step is lost on the busiest rank in the measure of the imbalance, and on all in the measure of the
/// contacts that have come to lie across ranks. Waiting is cheaper until the loss exceeds the price of a rebalance.
/// Each rebalance doubles the price of the next one until the partition is seen to be good again, half-way below the
/// threshold: so a bed that cannot be balanced any better is tried at ever longer intervals, and one at the threshold
/// does not go to and fro.
///
/// It counts work and does not read the clock: the same run makes the same decisions, and so does a resumed one.
class Balancer {
 public:
  explicit Balancer(BalanceOptions options, BalanceState state = {});

  /// Whether it wants to know the quality of the partition after `steps` steps.
  [[nodiscard]] bool looks_after(std::int64_t steps) const;

  /// Takes note of the partition; true asks for a rebalance now.
  [[nodiscard]] bool decide(const PartitionQuality& partition);

  [[nodiscard]] const BalanceOptions& options() const { return options_; }
  [[nodiscard]] const parallel::Partitioner& partitioner() const { return *partitioner_; }
  [[nodiscard]] BalanceState state() const { return state_; }

 private:
  BalanceOptions options_;
  const parallel::Partitioner* partitioner_;
  BalanceState state_;
};

/// Work of this rank in a step, in contacts: those that it owns, and a share for each body.
[[nodiscard]] double work_of_rank(const model::Bodies& bodies, const collision::ContactSet& contacts);

/// Collective among neighbours: the work of this rank, shared out to its owned bodies by their contacts.
[[nodiscard]] std::vector<double> work_of_bodies(const model::Bodies& bodies, const parallel::Halo& halo,
                                                 const collision::ContactSet& contacts);
/// The same where contacts are not known yet: near pairs, those that this rank would own, count in their place.
[[nodiscard]] std::vector<double> work_of_bodies(const model::Bodies& bodies, const parallel::Halo& halo,
                                                 const std::vector<collision::Pair>& near);

/// Collective.
[[nodiscard]] PartitionQuality judge_partition(const parallel::Comm& comm, const model::Bodies& bodies,
                                               const collision::ContactSet& contacts);

/// How evenly things are spread over the ranks.
struct Spread {
  std::int64_t min = 0;
  double avg = 0.0;
  std::int64_t max = 0;
};

/// Collective.
[[nodiscard]] Spread spread_of(const parallel::Comm& comm, std::int64_t value);

/// What a rebalance brought and cost, equal on all ranks.
struct RebalanceReport {
  PartitionQuality before, after;
  Spread ghosts;
  std::int64_t moved_bodies = 0;
  double seconds = 0.0;  ///< on the slowest rank
};

}  // namespace scree::dynamics
