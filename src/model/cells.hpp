#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "scree/model/decomposition.hpp"
#include "scree/parallel/place_table.hpp"

// Cells of a lattice: where points lie among them, and values for each of them.

namespace scree::model {

/// Integer coordinates of a lattice cell.
struct Cell {
  std::int32_t x, y, z;
  friend bool operator==(const Cell&, const Cell&) = default;
  friend auto operator<=>(const Cell&, const Cell&) = default;
};

inline std::uint64_t scramble(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9ULL;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBULL;
  return bits ^ (bits >> 31);
}

inline std::uint64_t hash_of(const Cell& cell) {
  const auto spread = [](std::int32_t v, std::uint64_t odd) { return static_cast<std::uint32_t>(v) * odd; };
  return scramble(spread(cell.x, 0x9E3779B97F4A7C15ULL) + spread(cell.y, 0xC2B2AE3D27D4EB4FULL) +
                  spread(cell.z, 0x165667B19E3779F9ULL));
}

/// The rank that answers for a cell. Its cells still differ in the lower bits of their hashes.
inline int home_of(const Cell& cell, int ranks) {
  return static_cast<int>((hash_of(cell) >> 32) % static_cast<std::uint64_t>(ranks));
}

/// A cell of any period as the one of the first period that it repeats, and how many periods it is away from that.
struct WrappedCell {
  Cell cell;
  Image image;
};

struct CellRange {
  Cell lower, upper;
  [[nodiscard]] bool meets(const CellRange& other) const {
    return lower.x <= other.upper.x && other.lower.x <= upper.x && lower.y <= other.upper.y &&
           other.lower.y <= upper.y && lower.z <= other.upper.z && other.lower.z <= upper.z;
  }
  [[nodiscard]] bool contains(const Cell& c) const { return meets({c, c}); }
  void include(const Cell& c) {
    lower = {std::min(lower.x, c.x), std::min(lower.y, c.y), std::min(lower.z, c.z)};
    upper = {std::max(upper.x, c.x), std::max(upper.y, c.y), std::max(upper.z, c.z)};
  }
};

/// Finds the cells of a lattice.
class Cells {
 public:
  explicit Cells(const CellLattice& lattice) {
    for (int k = 0; k < 3; ++k) {
      Axis& axis = axes_[static_cast<std::size_t>(k)];
      axis.from = lattice.space.along(k) ? lattice.space.lower[k] : 0.0;
      if (lattice.space.along(k))
        axis.in_period =
            static_cast<std::int32_t>(std::clamp(std::floor(lattice.space.length[k] / lattice.edge), 1.0, 1e9));
      axis.edge = axis.in_period > 0 ? lattice.space.length[k] / axis.in_period : lattice.edge;
    }
  }

  [[nodiscard]] Cell of(const Vec3& point) const { return {along<0>(point), along<1>(point), along<2>(point)}; }

  [[nodiscard]] CellRange touched_by(const Vec3& centre, double reach) const {
    const Vec3 extent = Vec3::Constant(reach);
    return {of(centre - extent), of(centre + extent)};
  }

  [[nodiscard]] WrappedCell wrapped(const Cell& cell) const {
    WrappedCell result{cell, Image::Zero()};
    std::int32_t* const coordinates[3] = {&result.cell.x, &result.cell.y, &result.cell.z};
    for (int axis = 0; axis < 3; ++axis) {
      const std::int32_t cells = axes_[static_cast<std::size_t>(axis)].in_period;
      if (cells == 0) continue;
      std::int32_t& c = *coordinates[axis];
      result.image[axis] = c >= 0 ? c / cells : -((cells - 1 - c) / cells);
      c -= result.image[axis] * cells;
    }
    return result;
  }

 private:
  struct Axis {
    double from = 0.0;
    double edge = 1.0;
    std::int32_t in_period = 0;  ///< how many fill a period; 0 where space does not repeat itself
  };

  template <int k>
  [[nodiscard]] std::int32_t along(const Vec3& point) const {
    // Far outside any sensible scene the lattice ends; bodies there share its last cell instead of overflowing.
    return static_cast<std::int32_t>(std::clamp(std::floor((point[k] - axes_[k].from) / axes_[k].edge), -1e9, 1e9));
  }

  std::array<Axis, 3> axes_;
};

template <typename Visit>
void for_each_cell(const CellRange& range, Visit&& visit) {
  for (std::int32_t x = range.lower.x; x <= range.upper.x; ++x)
    for (std::int32_t y = range.lower.y; y <= range.upper.y; ++y)
      for (std::int32_t z = range.lower.z; z <= range.upper.z; ++z) visit(Cell{x, y, z});
}

/// Values of cells, in the order in which the cells came.
template <typename Value>
class CellMap {
 public:
  struct Entry {
    Cell cell;
    Value value;
  };

  /// One that was not there starts as Value{}.
  Value& operator[](const Cell& cell) {
    if (2 * entries_.size() >= table_.room()) make_room();
    std::int32_t& place = table_.at(hash_of(cell), is_at(cell));
    if (place == parallel::PlaceTable::nothing) {
      place = static_cast<std::int32_t>(entries_.size());
      entries_.push_back({cell, {}});
    }
    return entries_[static_cast<std::size_t>(place)].value;
  }
  /// Null if it is not there.
  [[nodiscard]] const Value* find(const Cell& cell) const {
    const std::int32_t place = table_.at(hash_of(cell), is_at(cell));
    return place == parallel::PlaceTable::nothing ? nullptr : &entries_[static_cast<std::size_t>(place)].value;
  }

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] auto begin() const { return entries_.begin(); }
  [[nodiscard]] auto end() const { return entries_.end(); }

 private:
  [[nodiscard]] auto is_at(const Cell& cell) const {
    return [this, &cell](std::size_t place) { return entries_[place].cell == cell; };
  }
  void make_room() {
    table_ = parallel::PlaceTable(4 * table_.room());
    for (std::size_t k = 0; k < entries_.size(); ++k)
      table_.at(hash_of(entries_[k].cell), is_at(entries_[k].cell)) = static_cast<std::int32_t>(k);
  }

  std::vector<Entry> entries_;
  parallel::PlaceTable table_{32};
};

}  // namespace scree::model
