// ranks: 1
#include "scree/problem/front_lu.hpp"

#include <Eigen/LU>
#include <limits>
#include <vector>

#include "support/sparse_forms.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using problem::FrontLu;

namespace {

Eigen::MatrixXd random_matrix(RandomMatrices& random, int size) {
  Eigen::MatrixXd result(size, size);
  for (double& entry : result.reshaped()) entry = random();
  return result;
}

void check_against_dense(RandomMatrices& random, int size, int pivots) {
  const Eigen::MatrixXd A = random_matrix(random, size);
  Eigen::MatrixXd F = A;
  std::vector<int> swaps(static_cast<std::size_t>(pivots));
  FrontLu lu(F.data(), size, pivots, swaps.data());
  BOOST_REQUIRE(lu.eliminate());

  const int rest = size - pivots;
  const Eigen::MatrixXd A11 = A.topLeftCorner(pivots, pivots), A12 = A.topRightCorner(pivots, rest);
  const Eigen::PartialPivLU<Eigen::MatrixXd> dense(A11);
  const Eigen::MatrixXd left = A.bottomRightCorner(rest, rest) - A.bottomLeftCorner(rest, pivots) * dense.solve(A12);
  const double allowed = 1e-13 * size / dense.rcond();
  BOOST_TEST((F.bottomRightCorner(rest, rest) - left).norm() <= allowed * (1.0 + left.norm()), size << ", " << pivots);

  const Eigen::VectorXd b = random.vector(size);
  Eigen::VectorXd y = b;
  lu.solve_lower(y.data());
  const Eigen::VectorXd below = b.tail(rest) - A.bottomLeftCorner(rest, pivots) * dense.solve(b.head(pivots));
  BOOST_TEST((y.tail(rest) - below).norm() <= allowed * (1.0 + below.norm()), size << ", " << pivots);
  lu.solve_upper(y.data());
  const Eigen::VectorXd x = dense.solve(b.head(pivots) - A12 * y.tail(rest));
  BOOST_TEST((y.head(pivots) - x).norm() <= allowed * (1.0 + x.norm()), size << ", " << pivots);
}

}  // namespace

BOOST_AUTO_TEST_CASE(fronts_of_all_sizes_agree_with_dense_factors) {
  RandomMatrices random(3);
  for (int size = 3; size <= 60; size += 3)
    for (int pivots = 3; pivots <= size; pivots += 3) check_against_dense(random, size, pivots);
  check_against_dense(random, 300, 150);
}

BOOST_AUTO_TEST_CASE(fronts_without_pivots_stay_as_they_are) {
  RandomMatrices random(4);
  const Eigen::MatrixXd A = random_matrix(random, 6);
  Eigen::MatrixXd F = A;
  FrontLu lu(F.data(), 6, 0, nullptr);
  BOOST_TEST(lu.eliminate());
  BOOST_TEST((F == A));
}

BOOST_AUTO_TEST_CASE(singular_pivots_are_told) {
  int swaps[6];
  Eigen::MatrixXd F = Eigen::MatrixXd::Zero(6, 6);
  F.topLeftCorner<3, 3>().setIdentity();
  BOOST_TEST(!FrontLu(F.data(), 6, 6, swaps).eliminate());
  F = Eigen::MatrixXd::Constant(6, 6, std::numeric_limits<double>::infinity());
  BOOST_TEST(!FrontLu(F.data(), 6, 3, swaps).eliminate());
}
