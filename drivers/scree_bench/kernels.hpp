#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "scree/parallel/comm.hpp"

namespace scree::bench {

/// Something to repeat and to measure.
struct Work {
  std::int64_t contacts;  ///< of the problem, on all ranks
  std::int64_t updates;   ///< of one pass: contacts, pairs or bodies, as the kernel counts
  double bytes;           ///< that an update moves at least, between caches and memory
  std::function<void()> pass;
  std::function<double()> clock = {};  ///< of what counts in a pass, if not all of it does (s)
};

struct Kernel {
  std::string name;
  std::string description;  ///< says what is counted
  /// Collective. About so many contacts; nothing where a kernel has nothing to do, such as an exchange on one rank.
  std::function<std::optional<Work>(const parallel::Comm& comm, std::int64_t contacts)> prepare;
};

[[nodiscard]] const std::vector<Kernel>& kernels();

}  // namespace scree::bench
