#pragma once

#include <unistd.h>

#include <cstdint>
#include <fstream>

namespace scree::test {

/// Memory of this process that is resident now (bytes), as the kernel counts it.
inline std::int64_t resident() {
  std::int64_t all = 0, pages = 0;
  std::ifstream("/proc/self/statm") >> all >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

}  // namespace scree::test
