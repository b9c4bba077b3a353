#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "scree/model/bodies.hpp"
#include "support/gather.hpp"

// Random beds of spheres that every rank knows in full, the same for any number of ranks, and ways to spread them.

namespace scree::test {

enum class Sizes { equal, uniform, mixed };  ///< mixed: radii 100:1

using Bed = std::vector<model::Body>;  ///< the body with id k is number k

/// Spheres at random places around the origin, so dense that each has a few others within a fifth of a mean radius.
/// All other data are random too: turned, moving, spinning, of several materials.
[[nodiscard]] inline Bed random_bed(unsigned seed, int count, Sizes sizes) {
  std::mt19937_64 random(seed);
  const auto uniform = [&](double from, double to) { return std::uniform_real_distribution<double>(from, to)(random); };
  const auto vector = [&](double limit) {
    return model::Vec3(uniform(-limit, limit), uniform(-limit, limit), uniform(-limit, limit));
  };
  std::vector<double> radii(count, 0.5);
  for (double& radius : radii) {
    if (sizes == Sizes::uniform) radius = uniform(0.3, 0.6);
    if (sizes == Sizes::mixed) radius = 0.02 * std::pow(100.0, std::pow(uniform(0.0, 1.0), 3));
  }
  if (sizes == Sizes::mixed && count > 1) radii[0] = 2.0, radii[1] = 0.02;
  double volume = 0.0;
  for (const double radius : radii) volume += 4.0 / 3.0 * std::acos(-1.0) * std::pow(1.1 * radius, 3);
  const double half = 0.5 * std::cbrt(1.2 * volume);

  Bed bed;
  for (int k = 0; k < count; ++k) {
    model::Body body = model::make_sphere(k, vector(half), radii[k], uniform(500.0, 3000.0), k % 3);
    Eigen::Map<model::Vec3>(body.velocity) = vector(1.0);
    Eigen::Map<model::Vec3>(body.spin) = vector(3.0);
    Eigen::Map<Eigen::Vector4d>(body.attitude) = Eigen::Vector4d(vector(1.0).homogeneous()).normalized();
    bed.push_back(body);
  }
  return bed;
}

enum class Placement {
  scattered,  ///< owners have nothing to do with places
  slabs,      ///< by the x coordinate
  one_rank,   ///< all on the last rank: the others are empty
  gaps,       ///< slabs, but only on every other rank
};
inline constexpr Placement placements[] = {Placement::scattered, Placement::slabs, Placement::one_rank,
                                           Placement::gaps};

[[nodiscard]] inline std::string name_of(Placement placement) {
  constexpr const char* names[] = {"scattered", "slabs", "one rank", "gaps"};
  return names[static_cast<int>(placement)];
}

/// The rank of each body of a bed.
[[nodiscard]] inline std::vector<int> place(const Bed& bed, Placement placement) {
  const int ranks = world().size();
  const int slabs = placement == Placement::gaps ? (ranks + 1) / 2 : ranks;
  const int stride = placement == Placement::gaps ? 2 : 1;
  std::vector<int> order(bed.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<int>(k);
  std::ranges::sort(order, {}, [&](int k) { return bed[k].position[0]; });

  std::vector<int> rank(bed.size(), ranks - 1);
  for (std::size_t k = 0; k < bed.size(); ++k) {
    if (placement == Placement::scattered) rank[k] = static_cast<int>((k * 7919 + 13) / 5 % ranks);
    if (placement == Placement::slabs || placement == Placement::gaps)
      rank[order[k]] = stride * static_cast<int>(k * slabs / bed.size());
  }
  return rank;
}

/// The bodies that this rank owns, in the order of their ids.
[[nodiscard]] inline model::Bodies owned_part(const Bed& bed, const std::vector<int>& rank) {
  model::Bodies bodies;
  for (std::size_t k = 0; k < bed.size(); ++k)
    if (rank[k] == world().rank()) bodies.add_owned(bed[k]);
  return bodies;
}

[[nodiscard]] inline model::Bodies owned_part(const Bed& bed, Placement placement) {
  return owned_part(bed, place(bed, placement));
}

[[nodiscard]] inline bool same_bits(const model::Body& a, const model::Body& b) {
  static_assert(sizeof(model::Body) == 21 * sizeof(double), "no padding, or bits may differ that mean nothing");
  return std::memcmp(&a, &b, sizeof a) == 0;
}

/// Collective: all owned bodies of all ranks, in the order of their ids.
[[nodiscard]] inline Bed collect(const model::Bodies& bodies) {
  Bed local;
  for (int k = 0; k < bodies.owned(); ++k) local.push_back(bodies.get(k));
  Bed all = gather_everywhere(local);
  std::ranges::sort(all, {}, &model::Body::id);
  return all;
}

/// Every body of the bed is there once and has kept every bit.
[[nodiscard]] inline bool same_bed(const Bed& a, const Bed& b) { return std::ranges::equal(a, b, same_bits); }

[[nodiscard]] inline model::Vec3 centre(const model::Body& body) { return model::Vec3(body.position); }

/// Distance between the surfaces of two spheres (m).
[[nodiscard]] inline double gap_between(const model::Body& a, const model::Body& b) {
  return (centre(a) - centre(b)).norm() - a.radius - b.radius;
}

}  // namespace scree::test
