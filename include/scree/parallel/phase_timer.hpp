#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "scree/parallel/comm.hpp"

namespace scree::parallel {

/// Wall-clock seconds and traffic of the phases of a program on this rank, in the order in which they first ran.
class PhaseTimer {
 public:
  struct Phase {
    std::string name;
    double seconds = 0.0;
    Traffic traffic = {};
  };
  /// A phase over all ranks.
  struct Spread {
    std::string name;
    double min, avg, max;  ///< seconds
    Traffic traffic;       ///< messages and bytes of all ranks; reductions of one; mean seconds of waiting
  };

  explicit PhaseTimer(const Comm& comm) : comm_(comm) {}

  /// Measures from its making to the end of its life.
  class Scope {
   public:
    Scope(PhaseTimer& timer, std::size_t phase);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    using Clock = std::chrono::steady_clock;
    PhaseTimer& timer_;
    std::size_t phase_;
    Clock::time_point start_;
    Traffic before_;
  };

  [[nodiscard]] Scope measure(const std::string& name);

  [[nodiscard]] const std::vector<Phase>& phases() const { return phases_; }

  /// Collective; every rank must have measured the same phases.
  [[nodiscard]] std::vector<Spread> over_ranks() const;

 private:
  const Comm& comm_;
  std::vector<Phase> phases_;
};

}  // namespace scree::parallel
