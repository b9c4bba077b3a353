#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "scree/dynamics/simulation.hpp"
#include "scree/io/run_json.hpp"
#include "scree/io/scene.hpp"
#include "scree/parallel/comm.hpp"

namespace spdlog {
class logger;
}

namespace scree::io {

/// The log of a run on stdout and in a file, both from rank 0 alone, and a progress bar where stderr is a terminal.
class RunLog {
 public:
  /// Collective. Starts `file` anew, or goes on with it.
  RunLog(const parallel::Comm& comm, const Scene& scene, const std::filesystem::path& file, bool resumed);
  ~RunLog();
  RunLog(const RunLog&) = delete;
  RunLog& operator=(const RunLog&) = delete;

  /// Collective: who runs what on how many ranks, then the titles of the columns.
  void header(const dynamics::Simulation& simulation);

  /// A line every K steps and at the last one.
  void step(const dynamics::StepReport& report);

  /// A line between those of the steps.
  void note(const std::string& line) { say(line); }

  /// Collective: the table of phases. Throws std::runtime_error on all ranks if the log could not be written.
  void finish(const RunSummary& summary);

 private:
  void say(const std::string& line);
  void say_throughput(const std::string& what, std::int64_t bytes, double seconds);
  /// What the solver decided, if it is not what it decided in the step before.
  void say_decisions(const dynamics::StepReport& report);
  void draw_progress(const dynamics::StepReport& report);
  void clear_progress();

  using Clock = std::chrono::steady_clock;

  const parallel::Comm& comm_;
  const Scene& scene_;
  std::filesystem::path file_;
  std::shared_ptr<spdlog::logger> logger_;  // rank 0 only
  std::string failure_;                     // what went wrong when writing
  std::string decisions_;                   // of the solver in the last step
  bool shows_progress_ = false;
  bool progress_is_drawn_ = false;
  Clock::time_point start_;
  Clock::time_point last_drawn_;
  Clock::time_point last_line_;
  std::int64_t last_line_step_ = 0;
};

}  // namespace scree::io
