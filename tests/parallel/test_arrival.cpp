// Waiting for other ranks with an end to patience.
// ranks: 1 3
#include "scree/parallel/arrival.hpp"

#include <chrono>
#include <thread>

#include "support/support.hpp"

using scree::parallel::all_arrive;
using scree::test::world;

BOOST_AUTO_TEST_CASE(all_come) { BOOST_TEST(all_arrive(world().handle())); }

BOOST_AUTO_TEST_CASE(who_waits_for_one_that_does_not_come_gives_up) {
  MPI_Comm comm = MPI_COMM_NULL;  // stays: the unfinished call belongs to it
  MPI_Comm_dup(world().handle(), &comm);
  if (world().is_root() && world().size() > 1) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    BOOST_TEST(all_arrive(comm));  // the others had come before
  } else {
    BOOST_TEST(all_arrive(comm, 0.1) == (world().size() == 1));
  }
  MPI_Barrier(world().handle());
}
