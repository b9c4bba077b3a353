#pragma once

#include <cstdint>
#include <vector>

#include "scree/parallel/comm.hpp"
#include "scree/parallel/even_split.hpp"
#include "scree/parallel/halo.hpp"

namespace scree::parallel {

/// Local slots for the entries of a distributed vector that this rank works with: all of its own part, then ghosts of
/// those parts that it uses of others, with the halo that keeps the ghosts.
class LocalNumbering {
 public:
  /// Collective. `used` are the numbers that this rank works with, in any order and as often as it likes.
  LocalNumbering(const Comm& comm, const EvenSplit& split, const std::vector<std::int64_t>& used);

  [[nodiscard]] int own() const { return own_; }
  [[nodiscard]] int size() const { return own_ + static_cast<int>(ghosts_.size()); }
  /// Where a number that was announced as used is kept.
  [[nodiscard]] int slot(std::int64_t number) const;
  /// The number that is kept there.
  [[nodiscard]] std::int64_t number(int slot) const {
    return slot < own_ ? first_ + slot : ghosts_[static_cast<std::size_t>(slot - own_)];
  }
  [[nodiscard]] const Halo& halo() const { return halo_; }

 private:
  std::int64_t first_;
  int own_;
  std::vector<std::int64_t> ghosts_;  ///< ascending
  Halo halo_;
};

}  // namespace scree::parallel
