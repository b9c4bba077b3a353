// ranks: 1 2
#include "scree/parallel/memory.hpp"

#include <memory>
#include <vector>

#include <unistd.h>

#include "support/resident.hpp"
#include "support/support.hpp"

using namespace scree;
using test::resident;
using test::world;

namespace {

constexpr std::int64_t block = 16 << 10, blocks = 4096;  // 64 MB in pieces that the allocator keeps

}  // namespace

BOOST_AUTO_TEST_CASE(the_peak_knows_of_memory_that_was_freed) {
  const std::int64_t before = parallel::peak_memory();
  BOOST_TEST(before >= resident() / 2);
  { const std::vector<char> much(static_cast<std::size_t>(before), 1); }
  BOOST_TEST(parallel::peak_memory() >= before + before / 2);
}

BOOST_AUTO_TEST_CASE(what_is_available_is_less_than_what_there_is) {
  const std::int64_t there = std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  BOOST_TEST(parallel::available_memory() > 0);
  BOOST_TEST(parallel::available_memory() <= there);
}

#ifndef __SANITIZE_ADDRESS__  // whose allocator keeps for a while what is freed

BOOST_AUTO_TEST_CASE(freed_memory_goes_back_to_the_system) {
  std::vector<std::unique_ptr<char[]>> pieces;
  for (std::int64_t k = 0; k < blocks; ++k) {
    pieces.push_back(std::make_unique<char[]>(block));
    pieces.back()[block - 1] = 1;
  }
  const auto last = std::move(pieces.back());  // keeps the heap from shrinking by itself
  const std::int64_t full = resident();
  pieces.clear();
  parallel::return_free_memory();
  BOOST_TEST(resident() <= full - block * blocks / 2);
}

BOOST_AUTO_TEST_CASE(large_arrays_go_back_to_the_system_when_they_are_freed) {
  parallel::return_large_arrays();
  parallel::return_free_memory();  // what is kept would serve first
  auto much = std::make_unique<std::vector<char>>(block * blocks, 1);
  const auto behind = std::make_unique<std::vector<char>>(block, 1);  // would keep the heap from shrinking
  const std::int64_t full = resident();
  much.reset();
  BOOST_TEST(resident() <= full - block * blocks / 2);
}

#endif

BOOST_AUTO_TEST_CASE(a_rank_has_its_part_of_the_machine) {
  const std::int64_t part = parallel::memory_of_rank(world()),
                     machine = std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  BOOST_TEST(part == world().max(part));
  BOOST_TEST(part <= machine);
  BOOST_TEST(part >= machine / world().size());
}
