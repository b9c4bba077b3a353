// ranks: 1 2 3 4
#include "scree/problem/newton_system.hpp"

#include <Eigen/LU>
#include <string>

#include "scree/parallel/error.hpp"
#include "scree/problem/block_matrix.hpp"
#include "support/dense_operator.hpp"
#include "support/frozen.hpp"
#include "support/sparse_forms.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using model::Mat3;
using problem::Law;
using problem::NewtonSystem;

namespace {

/// Collective: |(P + Q N) d - b| / |b| with P and Q that differ from block to block, and N by its own products.
double residual_of(const problem::ContactProblem& problem) {
  const problem::ContactOperator& N = *problem.N;
  std::vector<Mat3> P, Q;
  const auto first = static_cast<int>(N.comm().sum_below(N.block_count()));
  for (int k = 0; k < N.block_count(); ++k) {
    P.emplace_back(Mat3::Identity() * (1.0 + 0.1 * ((first + k) % 7)));
    Q.emplace_back((first + k) % 4 == 0 ? Mat3(Mat3::Zero()) : Mat3(Mat3::Identity() + 0.1 * Mat3::Ones()));
  }
  NewtonSystem system(N);
  const parallel::Vector d = problem.make_vector(), Nd = problem.make_vector();
  BOOST_REQUIRE(system.factorise(P, Q));
  system.solve(problem.r, d);
  N.apply(d, Nd);
  const parallel::ReadArray at(d), speed(Nd), b(problem.r);
  double sums[2] = {};
  for (int k = 0; k < N.block_count(); ++k) {
    const model::Vec3 right(b.data() + 3 * k);
    sums[0] += (P[k] * model::Vec3(at.data() + 3 * k) + Q[k] * model::Vec3(speed.data() + 3 * k) - right).squaredNorm();
    sums[1] += right.squaredNorm();
  }
  N.comm().sum(sums);
  return std::sqrt(sums[0] / sums[1]);
}

}  // namespace

BOOST_AUTO_TEST_CASE(solves_beds_wherever_their_bodies_live) {
  for (const Placement placement : all_placements) {
    const Frozen frozen = freeze(world(), bed(4, 3, 3, 2), placement, Law::coulomb);
    BOOST_TEST(residual_of(frozen.problem) <= 1e-10, name_of(placement));
  }
}

BOOST_AUTO_TEST_CASE(solves_problems_from_files) {
  RandomMatrices random(4);
  for (const int contacts : {1, 2, 25}) {
    BOOST_TEST(residual_of(make_sparse(random.chain(5, contacts)).problem) <= 1e-10);
    BOOST_TEST(residual_of(make_sparse(random.dense(contacts)).problem) <= 1e-10);
  }
}

BOOST_AUTO_TEST_CASE(the_gathered_matrix_is_that_of_the_operator) {
  RandomMatrices random(9);
  const DenseGlobal dense = random.chain(6, 15);
  const problem::SparseProblem sparse = make_sparse(dense);
  const problem::BlockMatrix N = gather_blocks(world(), sparse.problem.N->factors());
  const Eigen::VectorXd x = random.vector(45), expected = dense.N() * x;
  BOOST_REQUIRE_EQUAL(N.size(), 15);
  for (int k = 0; k < 15; ++k)
    BOOST_TEST((N.product(k, x.data()) - expected.segment<3>(3 * k)).norm() <= 1e-10 * expected.norm());
}

BOOST_AUTO_TEST_CASE(factors_that_do_not_fit_are_refused_with_both_numbers) {
  problem::require_memory(world(), {.entries = 1000, .operations = 0.0}, 10);
  std::string message;
  try {  // 8 petabytes
    problem::require_memory(world(), {.entries = std::int64_t{1} << 50, .operations = 0.0}, 12345);
  } catch (const InputError& error) {
    message = error.what();
  }
  for (const char* part : {"12345", "GB", "npgs"}) BOOST_TEST(message.find(part) != std::string::npos, message);
}

BOOST_AUTO_TEST_CASE(compliance_is_part_of_the_matrix) {
  class Compliant : public DenseOperator {
   public:
    using DenseOperator::DenseOperator;
    [[nodiscard]] problem::Factors factors() const override {
      problem::Factors result = DenseOperator::factors();
      for (int row = 0; row < result.rows; ++row) result.compliance.push_back(0.5 + row);
      return result;
    }
  };
  RandomMatrices random(2);
  const Eigen::MatrixXd W = random.positive(9);
  const problem::BlockMatrix N = gather_blocks(world(), Compliant(W).factors());
  const Eigen::VectorXd x = random.vector(9), C = Eigen::VectorXd::LinSpaced(9, 0.5, 8.5);
  const Eigen::VectorXd expected = W * x + C.cwiseProduct(x);
  for (int k = 0; k < 3; ++k)
    BOOST_TEST((N.product(k, x.data()) - expected.segment<3>(3 * k)).norm() <= 1e-12 * expected.norm());
}
