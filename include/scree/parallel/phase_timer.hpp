#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "scree/parallel/comm.hpp"

namespace scree::parallel {

/// Wall-clock seconds of the phases of a program on this rank, in the order in which they first ran.
class PhaseTimer {
 public:
  struct Phase {
    std::string name;
    double seconds = 0.0;
  };
  struct Spread {
    std::string name;
    double min, avg, max;
  };

  /// Measures from its making to the end of its life.
  class Scope {
   public:
    Scope(PhaseTimer& timer, std::size_t phase) : timer_(timer), phase_(phase), start_(Clock::now()) {}
    ~Scope() { timer_.phases_[phase_].seconds += std::chrono::duration<double>(Clock::now() - start_).count(); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    using Clock = std::chrono::steady_clock;
    PhaseTimer& timer_;
    std::size_t phase_;
    Clock::time_point start_;
  };

  [[nodiscard]] Scope measure(const std::string& name);

  [[nodiscard]] const std::vector<Phase>& phases() const { return phases_; }

  /// Collective; every rank must have measured the same phases.
  [[nodiscard]] std::vector<Spread> over_ranks(const Comm& comm) const;

 private:
  std::vector<Phase> phases_;
};

}  // namespace scree::parallel
