#include "scree/parallel/page_pool.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <mutex>
#include <new>
#include <vector>

namespace scree::parallel {

namespace {

std::size_t whole_pages(std::size_t bytes) { return bytes / large_page * large_page; }

/// Untouched memory, here if anywhere.
char* map(std::size_t bytes, void* here = nullptr) {
  const int fixed = here == nullptr ? 0 : MAP_FIXED;
  void* const memory = mmap(here, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | fixed, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return static_cast<char*>(memory);
}

/// The same, from the beginning of a large page on.
char* map_aligned(std::size_t bytes) {
  char* const begin = map(bytes + large_page);
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(begin) % large_page;
  if (before > 0) munmap(begin, before);
  munmap(begin + before + bytes, large_page - before);
  return begin + before;
}

/// Advice: it may fail.
void ask_for_large_pages([[maybe_unused]] char* begin, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  if (bytes > 0) madvise(begin, bytes, MADV_HUGEPAGE);
#endif
}

class PagePool {
 public:
  PagePool() { kept_.reserve(most_ranges); }

  char* take(std::size_t bytes) {
    char* const array = map_aligned((bytes + small_page - 1) / small_page * small_page);
    const std::lock_guard lock(mutex_);
    std::size_t filled = 0;
    while (filled < whole_pages(bytes) && !kept_.empty() && move(next_kept(), array + filled)) filled += large_page;
    ask_for_large_pages(array + filled, whole_pages(bytes) - filled);
    return array;
  }

  void give_back(char* array, std::size_t bytes) noexcept {
    const std::size_t whole = whole_pages(bytes);
    if (bytes > whole) munmap(array + whole, bytes - whole);
    if (whole == 0) return;
    const std::lock_guard lock(mutex_);
    if (kept_.size() < most_ranges) {
      kept_.push_back({array, whole});
    } else {
      munmap(array, whole);
    }
  }

  [[nodiscard]] std::size_t kept() {
    const std::lock_guard lock(mutex_);
    std::size_t sum = 0;
    for (const Range& range : kept_) sum += range.bytes;
    return sum;
  }

  void drop() {
    const std::lock_guard lock(mutex_);
    for (const Range& range : kept_) munmap(range.begin, range.bytes);
    kept_.clear();
  }

 private:
  struct Range {
    char* begin;
    std::size_t bytes;
  };
  static constexpr std::size_t small_page = 4096;
  static constexpr std::size_t most_ranges = 1000;  ///< more arrays than live at a time

  char* next_kept() {
    Range& last = kept_.back();
    char* const page = last.begin;
    last.begin += large_page;
    last.bytes -= large_page;
    if (last.bytes == 0) kept_.pop_back();
    return page;
  }

  /// Gives a page another address. If that fails, there is untouched memory. Longer ranges may be made of several that
  /// were moved before, which systems refuse to move in one go.
  static bool move(char* page, char* to) {
#ifdef MREMAP_FIXED
    if (mremap(page, large_page, large_page, MREMAP_MAYMOVE | MREMAP_FIXED, to) != MAP_FAILED) return true;
#endif
    munmap(page, large_page);
    map(large_page, to);
    return false;
  }

  std::mutex mutex_;
  std::vector<Range> kept_;
};

/// Never destroyed: arrays may live until the program ends.
PagePool& pool() {
  static PagePool* const instance = new PagePool;
  return *instance;
}

}  // namespace

void* take_pages(std::size_t bytes) { return pool().take(bytes); }
void give_back_pages(void* array, std::size_t bytes) noexcept { pool().give_back(static_cast<char*>(array), bytes); }
std::size_t kept_pages() { return pool().kept(); }
void return_kept_pages() { pool().drop(); }

}  // namespace scree::parallel
