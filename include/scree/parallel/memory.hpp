#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "scree/parallel/comm.hpp"
#include "scree/parallel/page_pool.hpp"

namespace scree::parallel {

/// The most memory that this process has had resident so far (bytes).
[[nodiscard]] std::int64_t peak_memory();

/// What processes on this machine may still take without pushing each other out (bytes); what the machine has, where
/// the system does not tell.
[[nodiscard]] std::int64_t available_memory();

/// Collective: what each rank has if all that share a machine take equal parts of its memory; the least of all ranks
/// (bytes).
[[nodiscard]] std::int64_t memory_of_rank(const Comm& comm);

/// Collective: the same of what is available on each machine now.
[[nodiscard]] std::int64_t memory_left_for_rank(const Comm& comm);

/// Hands what the allocator keeps of freed memory back to the system: after work that needed much more than what
/// follows, such as a partition.
void return_free_memory();

/// From now on large arrays go back to the system as soon as they are freed; what smaller ones leave serves the next
/// ones, up to 256 MB. SuperLU_DIST, which PETSc may bring along, turns all of that off for the whole process when it
/// is loaded.
void return_large_arrays();

/// So many bodies, a cache line each, are more than what the caches near a core hold: to fetch them ahead pays.
inline constexpr int beyond_caches = 1 << 16;

/// Arrays from this size on are mapped apart, smaller ones are reused, which costs no page faults (bytes).
inline constexpr std::size_t mapped_apart = std::size_t{16} << 20;

/// Starts arrays on a cache line, and has those that are mapped apart from the pool of pages.
template <typename T>
struct ArrayAllocator {
  using value_type = T;

  ArrayAllocator() = default;
  template <typename U>
  explicit ArrayAllocator(const ArrayAllocator<U>&) {}
  [[nodiscard]] T* allocate(std::size_t count) {
    return static_cast<T*>(is_large(count) ? take_pages(count * sizeof(T)) : ::operator new(count * sizeof(T), line));
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    is_large(count) ? give_back_pages(memory, count * sizeof(T)) : ::operator delete(memory, line);
  }
  /// Numbers that come without a value hold anything: they are about to be set, and to clear them first takes as long.
  template <typename U>
  void construct(U* place) noexcept(std::is_nothrow_default_constructible_v<U>) {
    ::new (static_cast<void*>(place)) U;
  }
  template <typename U, typename... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
  }
  friend bool operator==(const ArrayAllocator&, const ArrayAllocator&) { return true; }

 private:
  static constexpr std::align_val_t line{64};
  static constexpr bool is_large(std::size_t count) { return count >= mapped_apart / sizeof(T); }
};

/// An array that may be as long as a step has contacts or bodies. A new length alone sets no number.
template <typename T>
using LargeArray = std::vector<T, ArrayAllocator<T>>;

}  // namespace scree::parallel
