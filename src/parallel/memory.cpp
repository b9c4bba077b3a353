#include "scree/parallel/memory.hpp"

#include <sys/resource.h>

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

namespace scree::parallel {

std::int64_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  constexpr std::int64_t unit = 1024;  // of ru_maxrss on Linux
  return unit * usage.ru_maxrss;
}

void return_free_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace scree::parallel
