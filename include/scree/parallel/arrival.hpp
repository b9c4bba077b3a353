#pragma once

#include <mpi.h>

#include <limits>

namespace scree::parallel {

/// Collective: waits until all ranks have called this, or for so many seconds. False: some did not come.
[[nodiscard]] bool all_arrive(MPI_Comm comm, double patience = std::numeric_limits<double>::infinity());

}  // namespace scree::parallel
