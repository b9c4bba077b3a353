#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "scree/parallel/comm.hpp"

namespace scree::io {

/// When a run writes checkpoints, and by when it must be over.
struct ScheduleOptions {
  std::int64_t checkpoint_steps = 0;                    ///< between checkpoints; 0: none
  std::chrono::duration<double> checkpoint_interval{};  ///< wall time between checkpoints; 0: none
  /// When the run will be ended from outside, if that is known: it stops by itself before.
  std::optional<std::chrono::system_clock::time_point> deadline = std::nullopt;
};

/// The end of the SLURM job that this process belongs to, if it is one and SLURM tells.
[[nodiscard]] std::optional<std::chrono::system_clock::time_point> end_of_slurm_job();

/// What a run has to do after a step, the same on all ranks.
struct Orders {
  bool checkpoint = false;
  std::string stop_reason;  ///< why the run must stop now; empty: it goes on
};

/// Decides after each step whether a checkpoint is due and whether the run must stop: SIGUSR1, SIGTERM, and a deadline
/// that comes near, stop it after a checkpoint. While it exists these signals do nothing else; a second SIGTERM ends
/// the process at once. There can be one at a time.
class RunSchedule {
 public:
  RunSchedule(const parallel::Comm& comm, const ScheduleOptions& options);
  ~RunSchedule();
  RunSchedule(const RunSchedule&) = delete;
  RunSchedule& operator=(const RunSchedule&) = delete;

  /// Collective, one reduction.
  [[nodiscard]] Orders after_step(std::int64_t step, bool last);

  /// A checkpoint has just been written, or could not be.
  void checkpoint_done();

 private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] bool deadline_is_near() const;

  const parallel::Comm& comm_;
  ScheduleOptions options_;
  Clock::time_point last_checkpoint_ = Clock::now();
  Clock::time_point last_event_ = Clock::now();  ///< the last step or checkpoint ended
  Clock::duration longest_step_{}, longest_checkpoint_{};
};

}  // namespace scree::io
