#include "scree/parallel/phase_timer.hpp"

#include <algorithm>

namespace scree::parallel {

PhaseTimer::Scope PhaseTimer::measure(const std::string& name) {
  const auto known = std::ranges::find(phases_, name, &Phase::name);
  const auto index = static_cast<std::size_t>(known - phases_.begin());
  if (known == phases_.end()) phases_.push_back({name, 0.0});
  return {*this, index};
}

std::vector<PhaseTimer::Spread> PhaseTimer::over_ranks(const Comm& comm) const {
  std::vector<Spread> spreads;
  for (const Phase& phase : phases_)
    spreads.push_back(
        {phase.name, comm.min(phase.seconds), comm.sum(phase.seconds) / comm.size(), comm.max(phase.seconds)});
  return spreads;
}

}  // namespace scree::parallel
