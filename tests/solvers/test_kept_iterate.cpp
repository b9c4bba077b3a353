#include "scree/solvers/kept_iterate.hpp"

#include <vector>

#include "scree/parallel/petsc.hpp"
#include "support/support.hpp"

using namespace scree;
using parallel::Vector;
using solvers::KeptIterate;
using test::world;

namespace {

/// Every third block is zero, in another place on each rank; the others have one, two or three numbers.
std::vector<double> some_impulses(int blocks) {
  std::vector<double> x(static_cast<std::size_t>(3 * blocks), 0.0);
  for (int k = 0; k < blocks; ++k) {
    const auto first = static_cast<std::size_t>(3 * k);
    if ((k + world().rank()) % 3 == 0) continue;
    x[first + static_cast<std::size_t>(k % 3)] = 1.0 + k;
    if (k % 2 == 0) x[first + 2] = -0.5 * k - 1.0;
  }
  return x;
}

void fill(Vec x, const std::vector<double>& values) {
  const parallel::WriteArray out(x);
  for (int k = 0; k < out.size(); ++k) out[k] = values[static_cast<std::size_t>(k)];
}

bool equals(Vec x, const std::vector<double>& values) {
  const parallel::ReadArray in(x);
  return std::vector<double>(in.data(), in.data() + in.size()) == values;
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_is_kept_comes_back_whatever_is_zero_in_it) {
  for (const int blocks : {world().rank() == 0 ? 0 : 5, 1, 8, 100}) {
    const Vector x(world(), blocks), y(world(), blocks);
    const std::vector<double> some = some_impulses(blocks);
    fill(x, some);
    KeptIterate kept;
    kept.keep(x);
    parallel::petsc(VecSet(x, 7.0));  // a copy does not follow
    parallel::petsc(VecSet(y, 9.0));
    kept.restore(y);
    BOOST_TEST(equals(y, some));
  }
}

BOOST_AUTO_TEST_CASE(the_last_one_is_kept_whether_it_takes_more_room_or_less) {
  const int blocks = 50;
  const Vector x(world(), blocks), y(world(), blocks);
  const std::vector<double> some = some_impulses(blocks), all(3 * blocks, 2.0), none(3 * blocks, 0.0);
  KeptIterate kept;
  for (const auto& values : {some, all, none, some}) {
    fill(x, values);
    kept.keep(x);
    kept.restore(y);
    BOOST_TEST(equals(y, values));
  }
}

BOOST_AUTO_TEST_CASE(before_anything_is_kept_all_is_zero) {
  const Vector y(world(), 3);
  parallel::petsc(VecSet(y, 9.0));
  KeptIterate().restore(y);
  BOOST_TEST(equals(y, std::vector<double>(9, 0.0)));
}
