#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace scree::parallel {

/// Finds where things stand in a list by hashes of their keys: open addressing. The list, which knows the keys, is
/// elsewhere. With twice as much room as there are things a search mostly ends where it begins.
class PlaceTable {
 public:
  static constexpr std::int32_t nothing = -1;

  explicit PlaceTable(std::size_t room) : places_(std::bit_ceil(room), nothing) {}

  /// The place of the thing with this hash that `is_it(place)` recognises. If there is none, `nothing`: what is written
  /// there adds it.
  template <typename IsIt>
  [[nodiscard]] std::int32_t& at(std::uint64_t hash, IsIt&& is_it) {
    return places_[slot_of(hash, is_it)];
  }
  template <typename IsIt>
  [[nodiscard]] std::int32_t at(std::uint64_t hash, IsIt&& is_it) const {
    return places_[slot_of(hash, is_it)];
  }

  [[nodiscard]] std::size_t room() const { return places_.size(); }

 private:
  template <typename IsIt>
  [[nodiscard]] std::size_t slot_of(std::uint64_t hash, const IsIt& is_it) const {
    const std::size_t last = places_.size() - 1;
    std::size_t slot = hash & last;
    while (places_[slot] != nothing && !is_it(static_cast<std::size_t>(places_[slot]))) slot = (slot + 1) & last;
    return slot;
  }

  std::vector<std::int32_t> places_;
};

}  // namespace scree::parallel
