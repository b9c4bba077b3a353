#include "scree/parallel/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <limits>
#include <string>

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

std::int64_t available_memory() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  std::int64_t kilobytes = 0;
  while (file >> key >> kilobytes) {
    if (key == "MemAvailable:") return 1024 * kilobytes;
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
}

namespace {

/// Collective: the least of all ranks, if those on a machine share what it has.
std::int64_t share(const Comm& comm, std::int64_t of_machine) {
  MPI_Comm machine = MPI_COMM_NULL;
  int ranks = 1;
  MPI_Comm_split_type(comm.handle(), MPI_COMM_TYPE_SHARED, comm.rank(), MPI_INFO_NULL, &machine);
  MPI_Comm_size(machine, &ranks);
  MPI_Comm_free(&machine);
  return comm.min(of_machine / ranks);
}

}  // namespace

std::int64_t memory_of_rank(const Comm& comm) {
  return share(comm, std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE));
}

std::int64_t memory_left_for_rank(const Comm& comm) { return share(comm, available_memory()); }

void return_free_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

void return_large_arrays() {
#ifdef __GLIBC__
  constexpr int large = mapped_apart;
  mallopt(M_MMAP_MAX, 1 << 16);
  mallopt(M_MMAP_THRESHOLD, large);
  mallopt(M_TRIM_THRESHOLD, 16 * large);  // what smaller arrays leave is taken again in the next step
#endif
}

}  // namespace scree::parallel
