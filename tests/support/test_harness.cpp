// ranks: 1 2
// The test program itself: traps are on where tests run, and all ranks are there.
#include <fenv.h>

#include "support/support.hpp"

using scree::test::world;

BOOST_AUTO_TEST_CASE(floating_point_traps_are_on) {
  BOOST_TEST((fegetexcept() & (FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW)) == (FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW));
}

BOOST_AUTO_TEST_CASE(the_world_has_all_ranks) {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  BOOST_TEST(world().size() == size);
}
