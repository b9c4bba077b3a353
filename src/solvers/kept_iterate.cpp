#include "scree/solvers/kept_iterate.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>

#include "scree/parallel/petsc.hpp"

namespace scree::solvers {

namespace {

/// Whether each of up to eight blocks has an impulse, a bit each.
unsigned bearing(const double* blocks, std::size_t count) {
  unsigned bears = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const auto bits_of = [&](std::size_t component) { return std::bit_cast<std::uint64_t>(blocks[3 * k + component]); };
    const std::uint64_t any = bits_of(0) | bits_of(1) | bits_of(2);
    bears |= static_cast<unsigned>(any << 1 != 0) << k;  // zeros may have signs
  }
  return bears;
}

/// Calls `visit` with each block whose bit is set, in order.
template <typename Visit>
void for_each_bearing(std::span<const std::uint8_t> bears, Visit&& visit) {
  for (std::size_t eight = 0; eight < bears.size(); ++eight)
    for (unsigned bits = bears[eight]; bits != 0; bits &= bits - 1)
      visit(8 * eight + static_cast<std::size_t>(std::countr_zero(bits)));
}

}  // namespace

void KeptIterate::keep(Vec x) {
  const parallel::ReadArray impulses(x);
  const auto blocks = static_cast<std::size_t>(impulses.size()) / 3;
  bears_.resize((blocks + 7) / 8);
  std::size_t count = 0;
  for (std::size_t eight = 0; eight < bears_.size(); ++eight) {
    const std::size_t first = 8 * eight;
    const unsigned bits = bearing(impulses.data() + 3 * first, std::min<std::size_t>(8, blocks - first));
    bears_[eight] = static_cast<std::uint8_t>(bits);
    count += static_cast<std::size_t>(std::popcount(bits));
  }
  const std::size_t room = 3 * count + 3;  // each block is written where the next bearing one belongs
  if (values_.capacity() < room) {
    values_ = {};  // what was kept before makes room
    values_.reserve(room);
  }
  values_.resize(room);
  double* to = values_.data();
  for (std::size_t k = 0; k < blocks; ++k) {
    std::copy_n(impulses.data() + 3 * k, 3, to);
    to += 3 * (bears_[k / 8] >> (k % 8) & 1);
  }
}

void KeptIterate::restore(Vec x) const {
  const parallel::WriteArray impulses(x);
  std::fill_n(impulses.data(), impulses.size(), 0.0);
  const double* from = values_.data();
  for_each_bearing(bears_, [&](std::size_t k) {
    std::copy_n(from, 3, impulses.data() + 3 * k);
    from += 3;
  });
}

}  // namespace scree::solvers
