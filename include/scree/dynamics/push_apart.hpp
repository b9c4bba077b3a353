#pragma once

#include <cstdint>
#include <optional>

#include "scree/dynamics/simulation.hpp"

namespace scree::dynamics {

struct Overlap {
  double depth;                ///< m
  std::int64_t first, second;  ///< ids of the two bodies
};

/// Collective: the deepest overlap of two bodies, if it is deeper than `allowed` of the smaller one's radius.
[[nodiscard]] std::optional<Overlap> deepest_overlap(const parallel::Comm& comm, const Setup& setup, double allowed);

inline constexpr int most_push_rounds = 50;

/// Collective: moves bodies that overlap each other or walls apart, as little as their masses allow, round by round
/// until no overlap is deeper than `enough` of the mean radius. Velocities, and the ranks that bodies are on, stay as
/// they were. Gives back the deepest overlap that is left, in mean radii.
double push_apart(const parallel::Comm& comm, Setup& setup, double enough);

}  // namespace scree::dynamics
