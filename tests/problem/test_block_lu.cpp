// ranks: 1
#include "scree/problem/block_lu.hpp"

#include <Eigen/LU>
#include <vector>

#include "support/sparse_forms.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using model::Mat3;
using model::Vec3;
using problem::BlockLu;
using problem::BlockMatrix;

namespace {

BlockMatrix blocks_of(const Eigen::MatrixXd& dense) {
  BlockMatrix result;
  for (int i = 0; i < dense.rows() / 3; ++i) {
    for (int j = 0; j < dense.cols() / 3; ++j) {
      const Mat3 block = dense.block<3, 3>(3 * i, 3 * j);
      if (i != j && block.isZero(0.0)) continue;
      result.column.push_back(j);
      result.value.push_back(block);
    }
    result.first.push_back(static_cast<int>(result.column.size()));
  }
  return result;
}

/// Blocks on the diagonal of a matrix.
Eigen::MatrixXd diagonal(const std::vector<Mat3>& blocks) {
  const auto size = static_cast<Eigen::Index>(3 * blocks.size());
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(size, size);
  for (std::size_t k = 0; k < blocks.size(); ++k) result.block<3, 3>(3 * k, 3 * k) = blocks[k];
  return result;
}

Mat3 random_block(RandomMatrices& random) {
  Mat3 result;
  for (double& entry : result.reshaped()) entry = random();
  return result;
}

/// Every third row stands alone, if `open`.
void check_against_dense(RandomMatrices& random, const Eigen::MatrixXd& W, bool open) {
  const BlockMatrix blocks = blocks_of(W);
  BlockLu lu(blocks);
  for (int trial = 0; trial < 3; ++trial) {
    std::vector<Mat3> P, Q;
    for (int k = 0; k < blocks.size(); ++k) {
      P.emplace_back(Mat3::Identity() + 0.3 * random_block(random));
      Q.emplace_back(open && (k + trial) % 3 == 0 ? Mat3(Mat3::Zero())
                                                  : Mat3(Mat3::Identity() + 0.3 * random_block(random)));
    }
    const Eigen::VectorXd b = random.vector(W.rows());
    std::vector<double> d(static_cast<std::size_t>(W.rows()));
    BOOST_REQUIRE(lu.factorise(P, Q));
    lu.solve(P, Q, {b.data(), d.size()}, d);
    const Eigen::VectorXd expected = (diagonal(P) + diagonal(Q) * W).partialPivLu().solve(b);
    BOOST_TEST(relative_difference(Eigen::Map<const Eigen::VectorXd>(d.data(), W.rows()), expected) <= 1e-10);
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(solves_what_a_dense_factorisation_solves) {
  RandomMatrices random(5);
  for (const int contacts : {1, 2, 7, 30, 90})
    for (const bool open : {false, true}) {
      BOOST_TEST_CONTEXT(contacts << " contacts" << (open ? ", some open" : "")) {
        check_against_dense(random, random.chain(std::max(1, contacts / 3), contacts).N(), open);
        check_against_dense(random, random.dense(contacts).W, open);
      }
    }
}

BOOST_AUTO_TEST_CASE(patterns_need_not_be_symmetric) {
  RandomMatrices random(6);
  Eigen::MatrixXd W = random.chain(12, 30).N();
  for (int k = 0; k < 29; ++k) W.block<3, 3>(3 * k, 3 * k + 3).setZero();
  W.block<3, 3>(0, 87).setOnes();
  check_against_dense(random, W, false);
  check_against_dense(random, W, true);
}

BOOST_AUTO_TEST_CASE(singular_matrices_are_told) {
  RandomMatrices random(7);
  const Eigen::MatrixXd W = Eigen::MatrixXd::Zero(9, 9);
  const BlockMatrix blocks = blocks_of(W);
  BlockLu lu(blocks);
  const std::vector<Mat3> nothing(3, Mat3::Zero()), all(3, Mat3::Identity());
  BOOST_TEST(!lu.factorise(nothing, all));
  BOOST_TEST(!lu.factorise(nothing, nothing));
  BOOST_TEST(lu.factorise(all, nothing));
  BOOST_TEST(lu.factorise(all, all));
}

BOOST_AUTO_TEST_CASE(no_blocks_no_work) {
  const BlockMatrix nothing;
  BlockLu lu(nothing);
  BOOST_TEST(lu.factorise({}, {}));
  lu.solve({}, {}, {}, {});
  BOOST_TEST(lu.cost().entries == 0);
}

BOOST_AUTO_TEST_CASE(the_cost_of_a_dense_matrix_is_known) {
  RandomMatrices random(8);
  const BlockMatrix blocks = blocks_of(random.dense(10).W);
  const BlockLu lu(blocks);
  BOOST_TEST(lu.cost().entries == 900);
  BOOST_TEST(lu.cost().operations == 9000.0, boost::test_tools::tolerance(1e-12));
}
