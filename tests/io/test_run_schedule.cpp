// When a run writes checkpoints and stops: the same orders on all ranks, whoever got the signal.
#include "scree/io/run_schedule.hpp"

#include <csignal>
#include <cstdlib>

#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using io::Orders;
using io::RunSchedule;
using std::chrono::system_clock;

BOOST_AUTO_TEST_CASE(checkpoints_come_by_steps_and_at_the_end) {
  RunSchedule schedule(world(), {.checkpoint_steps = 3});
  for (int step = 1; step <= 8; ++step) {
    const Orders orders = schedule.after_step(step, step == 8);
    BOOST_TEST(orders.checkpoint == (step % 3 == 0 || step == 8));
    BOOST_TEST(orders.stop_reason.empty());
  }
}

BOOST_AUTO_TEST_CASE(without_a_wish_there_are_no_checkpoints) {
  RunSchedule schedule(world(), {});
  BOOST_TEST(!schedule.after_step(1, false).checkpoint);
  BOOST_TEST(!schedule.after_step(2, true).checkpoint);
}

BOOST_AUTO_TEST_CASE(checkpoints_come_by_the_clock) {
  RunSchedule often(world(), {.checkpoint_interval = std::chrono::nanoseconds(1)});
  BOOST_TEST(often.after_step(1, false).checkpoint);
  often.checkpoint_done();
  RunSchedule rarely(world(), {.checkpoint_interval = std::chrono::hours(1)});
  BOOST_TEST(!rarely.after_step(1, false).checkpoint);
}

BOOST_AUTO_TEST_CASE(a_signal_to_one_rank_stops_all) {
  for (const auto& [number, name] : {std::pair(SIGUSR1, "SIGUSR1"), std::pair(SIGTERM, "SIGTERM")}) {
    RunSchedule schedule(world(), {});
    BOOST_TEST(schedule.after_step(1, false).stop_reason.empty());
    if (world().rank() == world().size() - 1) (void)std::raise(number);
    const Orders orders = schedule.after_step(2, false);
    BOOST_TEST(orders.stop_reason == name);
    BOOST_TEST(orders.checkpoint);
  }
}

BOOST_AUTO_TEST_CASE(a_run_that_is_over_need_not_be_stopped) {
  RunSchedule schedule(world(), {});
  (void)std::raise(SIGUSR1);
  BOOST_TEST(schedule.after_step(1, true).stop_reason.empty());
}

BOOST_AUTO_TEST_CASE(a_deadline_stops_before_it_is_reached) {
  RunSchedule near(world(), {.deadline = system_clock::now() + std::chrono::seconds(2)});
  BOOST_TEST(near.after_step(1, false).stop_reason == "the time limit");
  RunSchedule far(world(), {.deadline = system_clock::now() + std::chrono::hours(1)});
  BOOST_TEST(far.after_step(1, false).stop_reason.empty());
}

BOOST_AUTO_TEST_CASE(slurm_tells_the_end_of_its_job) {
  unsetenv("SLURM_JOB_END_TIME");
  BOOST_TEST(!io::end_of_slurm_job().has_value());
  setenv("SLURM_JOB_END_TIME", "1700000000", 1);
  BOOST_TEST((io::end_of_slurm_job() == system_clock::from_time_t(1700000000)));
  setenv("SLURM_JOB_END_TIME", "soon", 1);
  BOOST_TEST(!io::end_of_slurm_job().has_value());
  unsetenv("SLURM_JOB_END_TIME");
}
