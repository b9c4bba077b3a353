#include "scree/parallel/local_numbering.hpp"

#include <algorithm>

#include "support/support.hpp"

using scree::parallel::EvenSplit;
using scree::parallel::LocalNumbering;
using scree::test::world;

BOOST_AUTO_TEST_CASE(parts_cover_all_numbers_and_keep_groups_together) {
  for (const std::int64_t width : {1, 3})
    for (std::int64_t items = 0; items < 40; ++items)
      for (int parts = 1; parts < 9; ++parts) {
        const EvenSplit split{items * width, parts, width};
        BOOST_REQUIRE(split.first(0) == 0 && split.first(parts) == split.total);
        for (int part = 0; part < parts; ++part) {
          BOOST_REQUIRE(split.count(part) % width == 0 && split.count(part) <= width * (items / parts + 1));
          for (std::int64_t k = split.first(part); k < split.first(part + 1); ++k)
            BOOST_REQUIRE(split.part_of(k) == part);
        }
      }
}

BOOST_AUTO_TEST_CASE(ghosts_follow_their_owners_and_give_back_to_them) {
  for (const std::int64_t total : {0, 1, 5, 50}) {
    const EvenSplit split{total, world().size()};
    std::vector<std::int64_t> used;  // every third number, by all ranks, some of them twice
    for (std::int64_t k = total - 1; k >= 0; k -= 3) used.insert(used.end(), {k, k});
    const LocalNumbering numbering(world(), split, used);
    BOOST_TEST(numbering.own() == split.count(world().rank()));

    std::vector<double> data(static_cast<std::size_t>(numbering.size()), -1.0);
    for (int k = 0; k < numbering.own(); ++k) data[k] = static_cast<double>(split.first(world().rank()) + k);
    numbering.halo().forward(data.data(), {1, 1});
    for (const std::int64_t k : used) BOOST_TEST(data[numbering.slot(k)] == static_cast<double>(k));

    std::ranges::fill(data, 1.0);
    numbering.halo().reverse_add(data.data(), {1, 1});
    for (int k = 0; k < numbering.own(); ++k) {
      const bool everywhere = std::ranges::count(used, split.first(world().rank()) + k) > 0;
      BOOST_TEST(data[k] == (everywhere ? world().size() : 1.0));
    }
  }
}
