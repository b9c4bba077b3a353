// How bodies come into a simulation and leave it.

#include <algorithm>
#include <limits>
#include <utility>

#include "scree/dynamics/simulation.hpp"

namespace scree::dynamics {

/// The mean radius of all bodies that are there or will come, as far as that is known.
void Simulation::measure_radii() {
  double number = static_cast<double>(expected_bodies_), sum = 0.0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(bodies_.owned()); ++k) sum += bodies_.radius[k];
  sum = comm_.sum(sum);
  for (const Source& source : flow_.sources()) {
    const double coming = Flow::expected_bodies(source, *bodies_.shapes);
    number += coming;
    sum += coming * mean_radius(source.recipe);
  }
  if (number > 0.0) mean_radius_ = sum / number;
}

/// Keeps what is remembered of contacts without the pairs, whose local numbers the bodies are about to change.
void Simulation::keep_memories_only() {
  collision::PairList memories;
  memories.points = recall(bodies_, neighbourhood_.pairs);
  neighbourhood_.pairs = std::move(memories);
}

/// Bodies in sinks leave, and those that sources make enter.
void Simulation::exchange_bodies() {
  if (flow_.is_idle()) return;
  const auto scope = timer_.measure("flow");
  const Flow::Departures departures = flow_.take(comm_, bodies_);
  if (departures.total > 0) remove_bodies(departures.leaves);
  const Flow::Arrivals arrivals = flow_.give(comm_, bodies_, walls_, report_.step, report_.time);
  if (departures.total + arrivals.total == 0) return;
  keep_memories_only();
  bodies_.drop_ghosts();
  for (const model::Body& body : arrivals.here) bodies_.add_owned(body);
  expected_bodies_ += arrivals.total - departures.total;
  moved_ = std::numeric_limits<double>::infinity();  // so that this step searches anew
}

/// Joints of bodies that leave go with them.
void Simulation::remove_bodies(const std::vector<char>& leaves) {
  keep_memories_only();
  if (expected_joints_ > 0) {
    std::vector<double> gone(static_cast<std::size_t>(bodies_.size()), 0.0);
    std::ranges::copy(leaves, gone.begin());
    neighbourhood_.halo.forward(gone.data(), {1, 1});
    const auto is_gone = [&](int body) { return body >= 0 && gone[static_cast<std::size_t>(body)] > 0.0; };
    expected_joints_ -= comm_.sum(static_cast<std::int64_t>(
        std::erase_if(joints_, [&](const PlacedJoint& placed) { return is_gone(placed.a) || is_gone(placed.b); })));
  }
  std::vector<int> kept;
  for (int k = 0; k < bodies_.owned(); ++k)
    if (leaves[static_cast<std::size_t>(k)] == 0) kept.push_back(k);
  bodies_.reorder(kept);
}

}  // namespace scree::dynamics
