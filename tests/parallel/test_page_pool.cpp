// ranks: 1 2
#include "scree/parallel/page_pool.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "scree/parallel/memory.hpp"
#include "support/resident.hpp"
#include "support/support.hpp"

using namespace scree;
using parallel::kept_pages;
using parallel::large_page;
using parallel::LargeArray;
using test::resident;

namespace {

struct Fixture : test::Traps {
  Fixture() { parallel::return_kept_pages(); }
};

LargeArray<std::int64_t> numbers(std::size_t count, std::int64_t first) {
  LargeArray<std::int64_t> array(count);
  std::iota(array.begin(), array.end(), first);
  return array;
}

bool holds(const LargeArray<std::int64_t>& array, std::int64_t first) {
  return std::ranges::all_of(array, [&](std::int64_t number) { return number == first++; });
}

constexpr std::size_t per_page = large_page / sizeof(std::int64_t);

}  // namespace

BOOST_FIXTURE_TEST_CASE(small_arrays_take_no_pages, Fixture) {
  { const LargeArray<char> small(parallel::mapped_apart - 1); }
  BOOST_TEST(kept_pages() == 0U);
}

BOOST_FIXTURE_TEST_CASE(pages_of_arrays_that_are_gone_serve_those_that_come, Fixture) {
  { const auto first = numbers(10 * per_page + 1, 0); }
  BOOST_TEST(kept_pages() == 10 * large_page);  // the rest, less than a page, is not kept
  const auto second = numbers(9 * per_page, 0);
  BOOST_TEST(kept_pages() == 1 * large_page);
  const auto third = numbers(8 * per_page, 0);
  BOOST_TEST(kept_pages() == 0U);
}

BOOST_FIXTURE_TEST_CASE(arrays_made_of_pages_of_several_others_keep_what_is_written_to_them, Fixture) {
  std::vector<LargeArray<std::int64_t>> arrays;
  for (std::int64_t k = 0; k < 6; ++k) arrays.push_back(numbers(8 * per_page + 1000, 1000 * k));
  for (int round = 0; round < 4; ++round) {  // each array but one is made of parts of others, ever more mixed
    arrays.erase(arrays.begin() + 1);
    arrays.erase(arrays.begin() + 2);
    arrays.push_back(numbers(11 * per_page + 7, 50 + round));
    arrays.push_back(numbers(static_cast<std::size_t>(8 + round) * per_page, 70 + round));
    BOOST_TEST(holds(arrays.front(), 0));
    BOOST_TEST(holds(arrays[4], 50 + round));
    BOOST_TEST(holds(arrays[5], 70 + round));
  }
}

BOOST_FIXTURE_TEST_CASE(arrays_start_on_a_large_page_and_hold_what_they_are_given, Fixture) {
  { const auto first = numbers(8 * per_page, 1); }
  const LargeArray<std::int64_t> second(8 * per_page, 0);
  BOOST_TEST(reinterpret_cast<std::uintptr_t>(second.data()) % large_page == 0U);
  BOOST_TEST(std::ranges::all_of(second, [](std::int64_t number) { return number == 0; }));
}

BOOST_FIXTURE_TEST_CASE(kept_pages_go_back_to_the_system_on_request, Fixture) {
  { const auto first = numbers(64 * per_page, 0); }
  const std::int64_t full = resident();
  BOOST_TEST(kept_pages() == 64 * large_page);
  parallel::return_kept_pages();
  BOOST_TEST(kept_pages() == 0U);
  BOOST_TEST(resident() <= full - static_cast<std::int64_t>(60 * large_page));
}

BOOST_FIXTURE_TEST_CASE(arrays_in_turn_take_no_more_memory_than_those_that_live_at_a_time, Fixture) {
  const auto use = [](std::size_t pages) { (void)numbers(pages * per_page, 0); };
  use(100);
  const std::int64_t once = resident();
  for (const std::size_t pages : {99U, 50U, 100U, 10U, 77U}) use(pages);
  BOOST_TEST(resident() <= once + static_cast<std::int64_t>(4 * large_page));
}
