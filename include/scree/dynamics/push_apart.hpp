#pragma once

#include "scree/dynamics/simulation.hpp"

namespace scree::dynamics {

inline constexpr int most_push_rounds = 50;

/// Collective: moves bodies that overlap each other or walls apart, as little as their masses allow, round by round
/// until no overlap is deeper than `enough` of the mean radius. Velocities, and the ranks that bodies are on, stay as
/// they were. Gives back the deepest overlap that is left, in mean radii.
double push_apart(const parallel::Comm& comm, Setup& setup, double enough);

}  // namespace scree::dynamics
