#include "scree/parallel/phase_timer.hpp"

#include <algorithm>

namespace scree::parallel {

PhaseTimer::Scope::Scope(PhaseTimer& timer, std::size_t phase)
    : timer_(timer), phase_(phase), start_(Clock::now()), before_(timer.comm_.traffic()) {}

PhaseTimer::Scope::~Scope() {
  Phase& phase = timer_.phases_[phase_];
  const Traffic& now = timer_.comm_.traffic();
  phase.seconds += std::chrono::duration<double>(Clock::now() - start_).count();
  phase.traffic.messages += now.messages - before_.messages;
  phase.traffic.bytes += now.bytes - before_.bytes;
  phase.traffic.reductions += now.reductions - before_.reductions;
  phase.traffic.waiting += now.waiting - before_.waiting;
}

PhaseTimer::Scope PhaseTimer::measure(const std::string& name) {
  const auto known = std::ranges::find(phases_, name, &Phase::name);
  const auto index = static_cast<std::size_t>(known - phases_.begin());
  if (known == phases_.end()) phases_.push_back({name});
  return {*this, index};
}

std::vector<PhaseTimer::Spread> PhaseTimer::over_ranks() const {
  const std::vector<Phase> phases = phases_;  // the reductions below are no part of any phase
  std::vector<Spread> spreads;
  for (const Phase& phase : phases)
    spreads.push_back({phase.name, comm_.min(phase.seconds), comm_.sum(phase.seconds) / comm_.size(),
                       comm_.max(phase.seconds),
                       Traffic{comm_.sum(phase.traffic.messages), comm_.sum(phase.traffic.bytes),
                               phase.traffic.reductions, comm_.sum(phase.traffic.waiting) / comm_.size()}});
  return spreads;
}

}  // namespace scree::parallel
