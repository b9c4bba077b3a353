// ranks: 1
#include "scree/parallel/place_table.hpp"

#include <cstdint>
#include <vector>

#include "support/support.hpp"

using scree::parallel::PlaceTable;

namespace {

constexpr int count = 100;

std::int64_t key_at(std::size_t place) { return 7 * static_cast<std::int64_t>(place) - 50; }

auto is_at(std::int64_t key) {
  return [key](std::size_t place) { return key_at(place) == key; };
}

/// A table of all keys in as little room as there can be.
template <typename Hash>
PlaceTable filled(const Hash& hash) {
  PlaceTable table(count + 1);
  for (std::int32_t k = 0; k < count; ++k) {
    const std::int64_t key = key_at(static_cast<std::size_t>(k));
    std::int32_t& place = table.at(hash(key), is_at(key));
    BOOST_TEST(place == PlaceTable::nothing);
    place = k;
  }
  return table;
}

template <typename Hash>
void check(const Hash& hash) {
  const PlaceTable table = filled(hash);
  for (std::int64_t key = -60; key < 700; ++key) {
    const std::int32_t expected =
        (key + 50) % 7 == 0 && key >= -50 && key < key_at(count) ? static_cast<std::int32_t>((key + 50) / 7) : -1;
    BOOST_TEST(table.at(hash(key), is_at(key)) == expected, "key " << key);
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_was_added_is_found_and_nothing_else) {
  check([](std::int64_t key) { return static_cast<std::uint64_t>(key) * 0x9E3779B97F4A7C15ULL; });
}

BOOST_AUTO_TEST_CASE(hashes_may_collide_and_go_round_the_end) {
  check([](std::int64_t) { return ~std::uint64_t{0}; });
}

BOOST_AUTO_TEST_CASE(there_is_at_least_the_room_that_was_asked_for) {
  for (const std::size_t room : {1, 2, 3, 64, 65}) BOOST_TEST(PlaceTable(room).room() >= room);
}
