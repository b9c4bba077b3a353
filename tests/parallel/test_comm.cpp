#include "scree/parallel/comm.hpp"

#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>

#include "scree/parallel/error.hpp"
#include "support/support.hpp"

using scree::parallel::Comm;
using scree::test::world;

namespace {

/// Passes `error` on the ranks that `fails` names, and gives back the message and kind that this rank then sees.
template <typename Error, typename Fails>
std::string outcome(const Comm& comm, const Error& error, Fails&& fails) {
  try {
    comm.rethrow_anywhere(fails(comm.rank()) ? std::make_exception_ptr(error) : nullptr);
  } catch (const scree::InputError& e) {
    return std::string("input: ") + e.what();
  } catch (const scree::StateError& e) {
    return std::string("state: ") + e.what();
  } catch (const std::runtime_error& e) {
    return std::string("other: ") + e.what();
  }
  return "nothing";
}

}  // namespace

BOOST_AUTO_TEST_CASE(rank_and_size) {
  BOOST_TEST(world().rank() >= 0);
  BOOST_TEST(world().rank() < world().size());
  BOOST_TEST(world().is_root() == (world().rank() == 0));
}

BOOST_AUTO_TEST_CASE(the_communicator_is_a_duplicate) {
  int relation = MPI_UNEQUAL;
  MPI_Comm_compare(world().handle(), MPI_COMM_WORLD, &relation);
  BOOST_TEST(relation == MPI_CONGRUENT);
}

BOOST_AUTO_TEST_CASE(reductions_of_doubles) {
  const int n = world().size();
  const double mine = world().rank() + 0.5;
  BOOST_TEST(world().sum(mine) == 0.5 * n * n);
  BOOST_TEST(world().max(mine) == n - 0.5);
  BOOST_TEST(world().min(mine) == 0.5);
  BOOST_TEST(world().max(-mine) == -0.5);
}

BOOST_AUTO_TEST_CASE(reductions_of_integers_beyond_32_bits) {
  const std::int64_t n = world().size();
  const std::int64_t large = std::int64_t{1} << 40;
  const std::int64_t mine = large + world().rank();
  BOOST_TEST(world().sum(mine) == n * large + n * (n - 1) / 2);
  BOOST_TEST(world().max(mine) == large + n - 1);
  BOOST_TEST(world().min(mine) == large);
}

BOOST_AUTO_TEST_CASE(any_is_true_if_one_rank_says_so) {
  for (int speaker = 0; speaker < world().size(); ++speaker) BOOST_TEST(world().any(world().rank() == speaker));
  BOOST_TEST(!world().any(false));
}

BOOST_AUTO_TEST_CASE(reductions_of_arrays) {
  const int n = world().size();
  std::array<double, 3> values{1.0, static_cast<double>(world().rank()), -static_cast<double>(world().rank())};
  auto largest = values;
  world().sum(values);
  world().max(largest);
  BOOST_TEST(values[0] == n);
  BOOST_TEST(values[1] == 0.5 * n * (n - 1));
  BOOST_TEST(values[2] == -0.5 * n * (n - 1));
  BOOST_TEST(largest[0] == 1.0);
  BOOST_TEST(largest[1] == n - 1);
  BOOST_TEST(largest[2] == 0.0);
}

BOOST_AUTO_TEST_CASE(sum_below_is_zero_on_the_first_rank) {
  const std::int64_t r = world().rank();
  BOOST_TEST(world().sum_below(r + 1) == r * (r + 1) / 2);
  BOOST_TEST(world().sum_below(0) == 0);
}

BOOST_AUTO_TEST_CASE(reductions_are_counted) {
  const auto before = world().traffic().reductions;
  (void)world().sum(1.0);
  (void)world().any(true);
  (void)world().sum_below(1);
  BOOST_TEST(world().traffic().reductions - before == 3);
}

BOOST_AUTO_TEST_CASE(no_error_throws_nothing) { BOOST_CHECK_NO_THROW(world().rethrow_anywhere(nullptr)); }

BOOST_AUTO_TEST_CASE(an_error_on_one_rank_is_thrown_on_all_with_kind_and_message) {
  for (int culprit = 0; culprit < world().size(); ++culprit) {
    const auto only = [culprit](int rank) { return rank == culprit; };
    const std::string what = "scene.yaml:" + std::to_string(culprit);
    BOOST_TEST(outcome(world(), scree::InputError(what), only) == "input: " + what);
    BOOST_TEST(outcome(world(), scree::StateError(what), only) == "state: " + what);
    BOOST_TEST(outcome(world(), std::logic_error(what), only) == "other: " + what);
  }
}

BOOST_AUTO_TEST_CASE(an_empty_message_travels) {
  BOOST_TEST(outcome(world(), scree::InputError(""), [](int) { return true; }) == "input: ");
}

BOOST_AUTO_TEST_CASE(the_lowest_failing_rank_speaks) {
  const int lowest = world().size() / 2;
  const scree::InputError error("rank " + std::to_string(world().rank()));
  const auto upper_half = [lowest](int rank) { return rank >= lowest; };
  BOOST_TEST(outcome(world(), error, upper_half) == "input: rank " + std::to_string(lowest));
}

BOOST_AUTO_TEST_CASE(what_is_no_exception_class_is_reported_too) {
  std::exception_ptr number;
  try {
    throw 7;
  } catch (...) {
    number = std::current_exception();
  }
  BOOST_CHECK_THROW(world().rethrow_anywhere(number), std::runtime_error);
}

BOOST_AUTO_TEST_CASE(all_or_none_fails_together_and_goes_on) {
  const int last = world().size() - 1;
  BOOST_CHECK_THROW(scree::parallel::all_or_none(world(),
                                                 [&] {
                                                   if (world().rank() == last) throw scree::InputError("no");
                                                 }),
                    scree::InputError);
  BOOST_CHECK_NO_THROW(scree::parallel::all_or_none(world(), [] {}));
  BOOST_TEST(world().sum(std::int64_t{1}) == world().size());
}

BOOST_AUTO_TEST_CASE(a_moved_communicator_works_and_leaves_nothing_behind) {
  Comm first(world().handle());
  (void)first.sum(1.0);
  const MPI_Comm handle = first.handle();

  Comm second(std::move(first));
  BOOST_TEST((first.handle() == MPI_COMM_NULL));
  BOOST_TEST((second.handle() == handle));
  BOOST_TEST(second.rank() == world().rank());
  BOOST_TEST(second.size() == world().size());
  BOOST_TEST(second.traffic().reductions == 1);
  BOOST_TEST(second.sum(std::int64_t{1}) == world().size());

  Comm third(world().handle());
  third = std::move(second);
  BOOST_TEST((third.handle() == handle));
  BOOST_TEST(third.sum(std::int64_t{1}) == world().size());
}

BOOST_AUTO_TEST_CASE(ranks_of_one_colour_are_among_themselves) {
  const Comm part = world().split(world().rank() % 2);
  BOOST_TEST(part.size() == (world().size() + 1 - world().rank() % 2) / 2);
  BOOST_TEST(part.rank() == world().rank() / 2);
  std::array<std::int64_t, 2> sums{1, std::int64_t{1} << 40};
  part.sum(sums);
  BOOST_TEST(sums[0] == part.size());
  BOOST_TEST(sums[1] == part.size() * (std::int64_t{1} << 40));
}

BOOST_AUTO_TEST_CASE(short_messages_are_copied_unless_the_environment_says_otherwise) {
  constexpr const char *set_by_user = "OMPI_MCA_btl_sm_eager_limit", *unset = "OMPI_MCA_btl_vader_eager_limit";
  setenv(set_by_user, "4096", 1);
  unsetenv(unset);
  scree::parallel::copy_short_messages();
  BOOST_TEST(std::string(std::getenv(set_by_user)) == "4096");
  BOOST_REQUIRE(std::getenv(unset) != nullptr);
  BOOST_TEST(std::stoi(std::getenv(unset)) >= 32768);
}
