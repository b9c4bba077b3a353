#pragma once

#include <cstdint>

namespace scree::parallel {

/// The numbers 0 .. total-1 in contiguous parts of nearly equal size, one per rank. `width` of them in a row, such as
/// the three rows of a contact, stay together; `total` is a multiple of it. Every rank computes it alike.
struct EvenSplit {
  std::int64_t total = 0;
  int parts = 1;
  std::int64_t width = 1;

  [[nodiscard]] std::int64_t first(int part) const { return total / width * part / parts * width; }
  [[nodiscard]] std::int64_t count(int part) const { return first(part + 1) - first(part); }
  [[nodiscard]] int part_of(std::int64_t number) const {
    return static_cast<int>((parts * (number / width + 1) - 1) / (total / width));
  }
};

}  // namespace scree::parallel
