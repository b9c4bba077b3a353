#pragma once

#include <cstdint>
#include <initializer_list>

namespace scree::model {

/// Random numbers by place instead of by order: a hash (the finaliser of SplitMix64) of what they are for. Whoever
/// knows the key gets the same numbers, on any rank and in any order.
class Draws {
 public:
  Draws(std::initializer_list<std::uint64_t> key) {
    for (const std::uint64_t part : key) state_ = mix(state_ + part);
  }

  /// Uniform in [0, 1).
  double next() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

  std::uint64_t bits() {
    state_ += 0x9E3779B97F4A7C15ULL;
    return mix(state_);
  }

 private:
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }

  std::uint64_t state_ = 0;
};

}  // namespace scree::model
