#pragma once

#include <cstddef>

namespace scree::parallel {

/// Pages that translate so many bytes at once, where the system has them.
inline constexpr std::size_t large_page = std::size_t{1} << 21;

/// Memory for a large array: whole large pages and what is left of one, so that it takes no more than the array needs.
/// It begins on a large page; what is in it is not defined.
///
/// Pages of arrays that are gone serve the next ones, for the system clears a page before it hands it out, which takes
/// longer than to fill it: a step with millions of contacts would spend a tenth of its time so, or a third on virtual
/// machines. Pages from several arrays come together in a new one by a change of their addresses, nothing is copied:
/// arrays of all lengths fit, and all of them together hold no more than they once did. Throws std::bad_alloc.
[[nodiscard]] void* take_pages(std::size_t bytes);

/// Takes an array back, of the length that was asked for.
void give_back_pages(void* array, std::size_t bytes) noexcept;

/// What has been given back and serves no array now (bytes).
[[nodiscard]] std::size_t kept_pages();

/// Hands what is kept back to the system: before work that needs much memory other than large arrays.
void return_kept_pages();

}  // namespace scree::parallel
