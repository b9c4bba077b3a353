#pragma once

#include <cstdint>

#include "scree/parallel/comm.hpp"

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

/// From now on large arrays go back to the system as soon as they are freed. That is how the allocator starts, but
/// SuperLU_DIST, which PETSc may bring along, turns it off for the whole process when it is loaded.
void return_large_arrays();

}  // namespace scree::parallel
