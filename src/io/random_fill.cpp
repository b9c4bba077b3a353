#include "scree/io/random_fill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "scree/parallel/error.hpp"
#include "scree/parallel/even_split.hpp"

namespace scree::io {

namespace {

using model::Vec3;

constexpr double tries = 12.0;             ///< points per cube of a diameter
constexpr std::uint64_t stream = 1 << 22;  ///< keeps these random numbers apart from those of the bodies

class RandomAddition {
 public:
  RandomAddition(const Fill& fill, std::uint64_t seed, int fill_number)
      : fill_(fill),
        seed_(seed),
        number_(stream + static_cast<std::uint64_t>(fill_number)),
        distance_(2.0 * fill.radius_max * fill.spacing),
        room_(bounds_of(fill.region)) {
    room_.lower.array() += fill.radius_max;
    room_.upper.array() -= fill.radius_max;
    const Vec3 extent = (room_.upper - room_.lower).cwiseMax(0.0);
    double volume = 1.0;
    for (int axis = 0; axis < 3; ++axis) {
      count_[axis] = std::max<std::int64_t>(1, static_cast<std::int64_t>(extent[axis] / distance_));
      edge_[axis] = extent[axis] / static_cast<double>(count_[axis]);
      volume *= std::max(edge_[axis], 0.5 * distance_);
    }
    points_ = static_cast<int>(std::ceil(tries * std::max(1.0, volume / std::pow(distance_, 3))));
  }

  struct Point {
    Vec3 place;
    std::uint64_t turn;  ///< lower ones are tried first
  };

  [[nodiscard]] std::int64_t cells() const { return count_[0] * count_[1] * count_[2]; }

  /// Adds the points of a cell that stay.
  void add_to(std::vector<Point>& points, std::int64_t cell) {
    for (Try& one : tries_of(cell))
      if (stays(cell, one)) points.push_back(one.point);
  }

 private:
  enum class Fate : char { open, stays, goes };
  struct Try {
    Point point;
    Fate fate;
  };

  [[nodiscard]] std::vector<Try>& tries_of(std::int64_t cell) {
    const auto [found, is_new] = cells_.try_emplace(cell);
    std::vector<Try>& all = found->second;
    if (!is_new) return all;
    const Vec3 corner = room_.lower + edge_.cwiseProduct(Vec3(static_cast<double>(cell % count_[0]),
                                                              static_cast<double>(cell / count_[0] % count_[1]),
                                                              static_cast<double>(cell / (count_[0] * count_[1]))));
    model::Draws draws{seed_, number_, static_cast<std::uint64_t>(cell)};
    for (int k = 0; k < points_; ++k) {
      Point point{corner, draws.bits()};
      for (int axis = 0; axis < 3; ++axis) point.place[axis] += draws.next() * edge_[axis];
      if (holds(fill_.region, point.place, fill_.radius_max)) all.push_back({point, Fate::open});
    }
    return all;
  }

  /// Only points that are tried earlier can stand in the way, so this ends.
  [[nodiscard]] bool stays(std::int64_t cell, Try& one) {
    if (one.fate == Fate::open) one.fate = is_blocked(cell, one.point) ? Fate::goes : Fate::stays;
    return one.fate == Fate::stays;
  }

  [[nodiscard]] bool is_blocked(std::int64_t cell, const Point& point) {
    const std::int64_t at[3] = {cell % count_[0], cell / count_[0] % count_[1], cell / (count_[0] * count_[1])};
    const auto low = [&](int axis) { return std::max<std::int64_t>(0, at[axis] - 1); };
    const auto high = [&](int axis) { return std::min(count_[axis] - 1, at[axis] + 1); };
    for (std::int64_t z = low(2); z <= high(2); ++z)
      for (std::int64_t y = low(1); y <= high(1); ++y)
        for (std::int64_t x = low(0); x <= high(0); ++x) {
          const std::int64_t other = x + count_[0] * (y + count_[1] * z);
          for (Try& one : tries_of(other)) {
            const bool may_block =
                one.point.turn < point.turn && (one.point.place - point.place).squaredNorm() < distance_ * distance_;
            if (may_block && stays(other, one)) return true;
          }
        }
    return false;
  }

  const Fill& fill_;
  std::uint64_t seed_, number_;
  double distance_;
  model::Box room_;  ///< of centres
  std::int64_t count_[3];
  Vec3 edge_;
  int points_;
  std::unordered_map<std::int64_t, std::vector<Try>> cells_;
};

/// Collective: the turn up to which exactly `count` points of all ranks come.
std::uint64_t last_turn(const parallel::Comm& comm, std::vector<RandomAddition::Point> points, std::int64_t count) {
  std::ranges::sort(points, {}, &RandomAddition::Point::turn);
  std::uint64_t low = 0, high = std::numeric_limits<std::uint64_t>::max();
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    const auto end = std::ranges::upper_bound(points, middle, {}, &RandomAddition::Point::turn);
    if (comm.sum(static_cast<std::int64_t>(end - points.begin())) >= count) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace

std::vector<Vec3> random_sites(const parallel::Comm& comm, const Fill& fill, std::uint64_t seed, int fill_number,
                               const std::string& origin) {
  RandomAddition addition(fill, seed, fill_number);
  const parallel::EvenSplit split{addition.cells(), comm.size()};
  std::vector<RandomAddition::Point> points;
  for (std::int64_t cell = split.first(comm.rank()); cell < split.first(comm.rank() + 1); ++cell)
    addition.add_to(points, cell);
  const std::int64_t found = comm.sum(std::ssize(points));
  if (found < fill.count)
    throw InputError(
        fmt::format("{}: asks for {} bodies at random, but only {} found room: make the region larger, or "
                    "'radius' or 'spacing' smaller, or take a lattice",
                    origin, fill.count, found));
  const std::uint64_t last = last_turn(comm, points, fill.count);
  std::vector<Vec3> sites;
  for (const RandomAddition::Point& point : points)
    if (point.turn <= last) sites.push_back(point.place);
  return sites;
}

}  // namespace scree::io
