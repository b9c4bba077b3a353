#include "scree/parallel/arrival.hpp"

#include <chrono>
#include <thread>

namespace scree::parallel {

bool all_arrive(MPI_Comm comm, double patience) {
  const double deadline = MPI_Wtime() + patience;
  MPI_Request everybody = MPI_REQUEST_NULL;
  MPI_Ibarrier(comm, &everybody);
  int arrived = 0;
  for (MPI_Test(&everybody, &arrived, MPI_STATUS_IGNORE); arrived == 0 && MPI_Wtime() < deadline;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    MPI_Test(&everybody, &arrived, MPI_STATUS_IGNORE);
  }
  return arrived != 0;
}

}  // namespace scree::parallel
