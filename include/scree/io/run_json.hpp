#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "scree/dynamics/simulation.hpp"
#include "scree/io/scene.hpp"
#include "scree/parallel/comm.hpp"
#include "scree/parallel/phase_timer.hpp"

namespace scree::io {

/// What went to the disk. As numbers of one rank they become those of all in a summary.
struct Written {
  std::int64_t output_bytes = 0;
  std::int64_t checkpoint_bytes = 0;
};

/// What went through a source or a sink since the start.
struct FlowSummary {
  std::string name;
  dynamics::FlowTally tally;
  std::int64_t waiting;  ///< bodies of a source that are due and have no room
};

/// What a run was and what it cost, equal on all ranks.
struct RunSummary {
  std::string version;
  std::string scene;
  std::string solver;
  std::string law;
  int ranks = 1;
  std::int64_t steps = 0;
  std::int64_t converged_steps = 0;
  std::string reason;         ///< "converged", or why the last step that did not converge did not
  dynamics::StepReport last;  ///< the final state
  std::vector<FlowSummary> sources = {};
  std::vector<FlowSummary> sinks = {};
  double seconds = 0.0;  ///< wall clock of the run, set-up apart
  std::vector<parallel::PhaseTimer::Spread> phases;
  std::int64_t iterations = 0;
  std::int64_t contact_updates = 0;
  dynamics::BalanceOptions balance;
  dynamics::PartitionQuality partition;  ///< at the end
  dynamics::Spread ghosts;               ///< at the end
  std::int64_t rebalances = 0;
  std::int64_t moved_bodies = 0;   ///< by rebalances
  double rebalance_seconds = 0.0;  ///< of rebalances, checks apart
  std::int64_t messages = 0;       ///< point-to-point, of all ranks
  std::int64_t bytes = 0;
  dynamics::Spread peak_memory;  ///< per rank (bytes)
  Written written = {};

  /// Seconds of a phase on its slowest rank; 0: there was none.
  [[nodiscard]] double seconds_of(const std::string& phase) const;
  /// Of the phase "solve" on its slowest rank.
  [[nodiscard]] double contact_updates_per_second() const;
};

/// Counts what the run did so far.
class RunTally {
 public:
  void add(const dynamics::StepReport& report);
  /// Collective.
  [[nodiscard]] RunSummary summarise(const parallel::Comm& comm, const Scene& scene, dynamics::Simulation& simulation,
                                     double seconds, const Written& written) const;

 private:
  std::int64_t steps_ = 0;
  std::int64_t converged_steps_ = 0;
  std::string reason_ = "converged";
  std::int64_t rebalances_ = 0;
  std::int64_t moved_bodies_ = 0;
  double rebalance_seconds_ = 0.0;
};

/// "off", "imbalance" or the number of steps, as in a scene.
[[nodiscard]] std::string rebalance_text(const dynamics::BalanceOptions& options);

[[nodiscard]] std::string to_json(const RunSummary& summary);

/// Collective: rank 0 writes the file, atomically.
void write_json(const parallel::Comm& comm, const std::filesystem::path& file, const RunSummary& summary);

}  // namespace scree::io
