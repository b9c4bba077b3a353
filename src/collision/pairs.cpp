#include "scree/collision/pairs.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace scree::collision {

namespace {

using model::Bodies;
using model::Vec3;

/// The bodies of one octave of radii, sorted into cubic cells at least as wide as their reach. Only occupied cells are
/// stored, found through a hash table, so the grid costs memory for bodies, never for space.
class Grid {
 public:
  Grid(const Bodies& bodies, std::vector<int> members, double edge) : edge_(edge), inverse_edge_(1.0 / edge) {
    std::vector<Entry> entries;
    entries.reserve(members.size());
    for (const int member : members)
      entries.push_back({key_of(bodies.position[static_cast<std::size_t>(member)]), member});
    std::ranges::sort(entries);
    members_.reserve(entries.size());
    for (const Entry& entry : entries) members_.push_back(entry.member);
    build_table(entries);
  }

  [[nodiscard]] double edge() const { return edge_; }
  [[nodiscard]] const std::vector<int>& members() const { return members_; }

  /// Visits all pairs of members in the same cell or in two that touch: each cell looks at half of those around it.
  template <typename Visit>
  void visit_pairs(Visit&& visit) const {
    for (const Slot& cell : cells_) {
      for (int k = cell.first; k < cell.last; ++k)
        for (int l = k + 1; l < cell.last; ++l) visit(member(k), member(l));
      for (const std::array<int, 3>& step : half_of_neighbours()) {
        const Slot* const other = find(moved(cell.key, step));
        if (other == nullptr) continue;
        for (int k = cell.first; k < cell.last; ++k)
          for (int l = other->first; l < other->last; ++l) visit(member(k), member(l));
      }
    }
  }

  /// Visits the members in the 27 cells around `point`.
  template <typename Visit>
  void visit_around(const Vec3& point, Visit&& visit) const {
    const auto centre = coordinates(point);
    for (std::int64_t x = centre[0] - 1; x <= centre[0] + 1; ++x)
      for (std::int64_t y = centre[1] - 1; y <= centre[1] + 1; ++y)
        for (std::int64_t z = centre[2] - 1; z <= centre[2] + 1; ++z) {
          const Slot* slot = find(pack(x, y, z));
          if (slot == nullptr) continue;
          for (int k = slot->first; k < slot->last; ++k) visit(member(k));
        }
  }

 private:
  struct Entry {
    std::uint64_t key;
    int member;
    friend auto operator<=>(const Entry&, const Entry&) = default;
  };
  struct Slot {
    std::uint64_t key = empty;
    int first = 0;
    int last = 0;
  };
  static constexpr std::uint64_t empty = std::numeric_limits<std::uint64_t>::max();

  [[nodiscard]] std::array<std::int64_t, 3> coordinates(const Vec3& point) const {
    std::array<std::int64_t, 3> c{};
    for (int axis = 0; axis < 3; ++axis)
      c[static_cast<std::size_t>(axis)] = static_cast<std::int64_t>(std::floor(point[axis] * inverse_edge_));
    return c;
  }
  [[nodiscard]] int member(int k) const { return members_[static_cast<std::size_t>(k)]; }
  /// Of two opposite neighbours the one that comes later: 13 of 26.
  static const std::vector<std::array<int, 3>>& half_of_neighbours() {
    static const std::vector<std::array<int, 3>> steps = [] {
      std::vector<std::array<int, 3>> later;
      for (int x = -1; x <= 1; ++x)
        for (int y = -1; y <= 1; ++y)
          for (int z = -1; z <= 1; ++z)
            if (const std::array step{x, y, z}; step > std::array{0, 0, 0}) later.push_back(step);
      return later;
    }();
    return steps;
  }
  static std::uint64_t moved(std::uint64_t key, const std::array<int, 3>& step) {
    const auto coordinate = [&](unsigned shift) { return static_cast<std::int64_t>(key >> shift & mask); };
    return pack(coordinate(42U) + step[0], coordinate(21U) + step[1], coordinate(0U) + step[2]);
  }
  // 21 bits a direction: coordinates wrap, so far apart cells may share a key; distances are checked by the caller.
  static constexpr std::uint64_t mask = (1ULL << 21U) - 1;
  static std::uint64_t pack(std::int64_t x, std::int64_t y, std::int64_t z) {
    return ((static_cast<std::uint64_t>(x) & mask) << 42U) | ((static_cast<std::uint64_t>(y) & mask) << 21U) |
           (static_cast<std::uint64_t>(z) & mask);
  }
  [[nodiscard]] std::uint64_t key_of(const Vec3& point) const {
    const auto c = coordinates(point);
    return pack(c[0], c[1], c[2]);
  }
  [[nodiscard]] std::size_t first_slot(std::uint64_t key) const {
    return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15ULL) >> shift_);
  }
  [[nodiscard]] const Slot* find(std::uint64_t key) const {
    for (std::size_t k = first_slot(key);; k = (k + 1) & (table_.size() - 1)) {
      if (table_[k].key == key) return &table_[k];
      if (table_[k].key == empty) return nullptr;
    }
  }
  void build_table(const std::vector<Entry>& entries) {
    for (std::size_t k = 0; k < entries.size(); ++k) {
      if (k == 0 || entries[k].key != entries[k - 1].key) cells_.push_back({entries[k].key, static_cast<int>(k), 0});
      cells_.back().last = static_cast<int>(k) + 1;
    }
    table_.resize(std::bit_ceil(std::max<std::size_t>(2 * cells_.size(), 2)));
    shift_ = 64 - std::countr_zero(table_.size());
    for (const Slot& cell : cells_) {
      std::size_t k = first_slot(cell.key);
      while (table_[k].key != empty) k = (k + 1) & (table_.size() - 1);
      table_[k] = cell;
    }
  }

  double edge_;
  double inverse_edge_;
  int shift_ = 0;
  std::vector<int> members_;
  std::vector<Slot> cells_;  ///< in the order of their keys
  std::vector<Slot> table_;
};

/// One grid per octave of radii that occurs, the smallest bodies first.
std::vector<Grid> build_grids(const Bodies& bodies, double reach) {
  if (bodies.size() == 0) return {};
  const double smallest = *std::ranges::min_element(bodies.radius);
  const double largest = *std::ranges::max_element(bodies.radius);
  const auto octave = [&](double radius) { return static_cast<std::size_t>(std::floor(std::log2(radius / smallest))); };
  std::vector<std::vector<int>> members(octave(largest) + 1);
  std::vector<double> widest(members.size(), 0.0);
  for (int k = 0; k < bodies.size(); ++k) {
    const double radius = bodies.radius[static_cast<std::size_t>(k)];
    const std::size_t level = octave(radius);
    members[level].push_back(k);
    widest[level] = std::max(widest[level], radius);
  }
  // Wider than the reach by more than rounding can move a centre: bodies just within reach lie in adjacent cells.
  constexpr double room_for_rounding = 1.0 + 1e-9;
  std::vector<Grid> grids;
  for (std::size_t level = 0; level < members.size(); ++level)
    if (!members[level].empty())
      grids.emplace_back(bodies, std::move(members[level]), room_for_rounding * (2.0 * widest[level] + reach));
  return grids;
}

}  // namespace

std::vector<Pair> find_near_pairs(const Bodies& bodies, double reach) {
  std::vector<Pair> pairs;
  const std::vector<Grid> grids = build_grids(bodies, reach);

  const auto consider = [&](int i, int j) {
    const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
    if (i >= bodies.owned() && j >= bodies.owned()) return;
    const double limit = bodies.radius[a] + bodies.radius[b] + reach;
    if ((bodies.position[a] - bodies.position[b]).squaredNorm() > limit * limit) return;
    pairs.push_back(bodies.id[a] < bodies.id[b] ? Pair{i, j} : Pair{j, i});
  };
  for (std::size_t level = 0; level < grids.size(); ++level) {
    grids[level].visit_pairs(consider);
    for (std::size_t larger = level + 1; larger < grids.size(); ++larger)
      for (const int i : grids[level].members())
        grids[larger].visit_around(bodies.position[static_cast<std::size_t>(i)], [&](int j) { consider(i, j); });
  }
  return pairs;
}

std::vector<Pair> find_near_walls(const Bodies& bodies, const std::vector<model::Wall>& walls, double reach) {
  std::vector<Pair> pairs;
  for (int k = 0; k < bodies.owned(); ++k)
    for (int wall = 0; wall < static_cast<int>(walls.size()); ++wall) {
      const auto i = static_cast<std::size_t>(k);
      if (is_near(walls[static_cast<std::size_t>(wall)], bodies.position[i], bodies.radius[i], reach))
        pairs.push_back({k, -1 - wall});
    }
  return pairs;
}

}  // namespace scree::collision
