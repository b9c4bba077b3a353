// How much memory a simulation takes for each body and for each contact, counted in what is allocated: this program's
// own allocation functions stand before those of the library, count, and pass on.
// ranks: 1 2
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "support/motion.hpp"
#include "support/support.hpp"

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)

namespace {

std::atomic<std::int64_t> live = 0, most = 0;

void* counted(void* memory) {
  if (memory == nullptr) return memory;
  const std::int64_t now = live += static_cast<std::int64_t>(malloc_usable_size(memory));
  for (std::int64_t before = most; now > before && !most.compare_exchange_weak(before, now);) {
  }
  return memory;
}

void uncount(void* memory) { live -= static_cast<std::int64_t>(malloc_usable_size(memory)); }

}  // namespace

// NOLINTBEGIN: these are the names of the library.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);

void* malloc(std::size_t size) noexcept { return counted(__libc_malloc(size)); }
void* calloc(std::size_t count, std::size_t size) noexcept { return counted(__libc_calloc(count, size)); }
void* realloc(void* memory, std::size_t size) noexcept {
  uncount(memory);
  return counted(__libc_realloc(memory, size));
}
void* memalign(std::size_t alignment, std::size_t size) noexcept { return counted(__libc_memalign(alignment, size)); }
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return counted(__libc_memalign(alignment, size));
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) noexcept {
  *memory = counted(__libc_memalign(alignment, size));
  return *memory == nullptr ? ENOMEM : 0;
}
void free(void* memory) noexcept {
  if (memory != nullptr) uncount(memory);
  __libc_free(memory);
}
}
// NOLINTEND

using namespace scree;
using namespace scree::test;
using dynamics::Simulation;
using model::Vec3;

namespace {

/// A cube of n^3 spheres in a lattice, this rank's slices of it; surfaces are `gap` radii apart.
dynamics::Setup lattice(int n, double gap) {
  dynamics::Setup setup = make_setup(world(), {}, {floor_wall()}, 0.3);
  constexpr double radius = 0.5;
  for (int k = world().rank() * n / world().size() * n * n; k < (world().rank() + 1) * n / world().size() * n * n; ++k)
    setup.bodies.add_owned(
        unit_sphere(k, radius * Vec3::Constant(1.0) + (2.0 + gap) * radius * Vec3(k % n, k / n % n, k / (n * n))));
  setup.solver.name = "npgs";
  setup.solver.stop = {.tolerance = 0.0, .max_iterations = 12, .all_measures = false};
  return setup;
}

struct Peaks {
  double start, step;  ///< bytes of this rank, the setup included
  int bodies, ghosts, contacts;
};

Peaks peaks_of(int n, double gap) {
  const std::int64_t before = live;
  dynamics::Setup setup = lattice(n, gap);
  most = live.load();
  Simulation simulation(world(), std::move(setup));
  const std::int64_t at_start = most;
  for (int k = 0; k < 2; ++k) {
    most = live.load();
    simulation.step();
  }
  return {static_cast<double>(at_start - before), static_cast<double>(most - before), simulation.bodies().owned(),
          simulation.bodies().ghosts(), simulation.contacts().size()};
}

}  // namespace

BOOST_AUTO_TEST_CASE(allocations_are_counted_wherever_they_come_from) {
  const std::int64_t before = live;
  const std::vector<char> own(100000);
  const parallel::Vector petsc(world(), 10000);
  BOOST_TEST(live - before >= 100000 + 3 * 8 * 10000);
}

BOOST_AUTO_TEST_CASE(a_step_takes_few_bytes_for_bodies_and_contacts) {
  const Peaks apart = peaks_of(24, 1.0), near = peaks_of(24, 0.05);
  BOOST_TEST(apart.contacts <= apart.bodies / 10);
  BOOST_TEST(apart.ghosts == 0);
  BOOST_TEST(near.contacts >= 2.8 * near.bodies);
  const double per_body = apart.step / apart.bodies;
  const double per_contact = (near.step - per_body * (near.bodies + near.ghosts)) / near.contacts;
  BOOST_TEST_MESSAGE(per_body << " bytes a body, " << per_contact << " a contact");
  // Places, velocities and masses 160, when a sweep meets and leaves a body 8, its velocities in two iterates 64 each.
  BOOST_TEST(per_body <= 1.1 * (160 + 8 + 2 * 64));
  // Who is near whom 8, geometry 32, offsets, two iterates and the best one 24 each.
  BOOST_TEST(per_contact <= 1.1 * (8 + 32 + 4 * 24));
}

BOOST_AUTO_TEST_CASE(to_spread_many_bodies_takes_no_more_than_a_step) {
  const int n = 36;  // so many that bodies are bundled where a graph is partitioned
  const Peaks peaks = peaks_of(n, 0.05);
  BOOST_TEST(peaks.bodies * world().size() <= 1.05 * n * n * n);
  BOOST_TEST_MESSAGE(peaks.start / peaks.bodies << " bytes a body at the start, " << peaks.step / peaks.bodies);
  BOOST_TEST(peaks.start <= peaks.step);
}

#else

BOOST_AUTO_TEST_CASE(allocations_are_not_counted_with_this_library) {}

#endif
