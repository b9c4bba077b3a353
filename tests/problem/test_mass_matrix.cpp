#include "scree/problem/mass_matrix.hpp"

#include <numeric>

#include "support/gather.hpp"
#include "support/sparse_forms.hpp"

using namespace scree;
using namespace scree::test;

namespace {

/// Blocks of these sizes, their rows scattered over the whole matrix.
Eigen::MatrixXd scattered_blocks(RandomMatrices& random, const std::vector<int>& sizes) {
  const Eigen::Index rows = std::accumulate(sizes.begin(), sizes.end(), 0);
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(rows, rows);
  Eigen::Index first = 0;
  for (const int size : sizes) {
    const Eigen::MatrixXd block = random.positive(size);
    for (Eigen::Index i = 0; i < size; ++i)
      for (Eigen::Index j = 0; j < size; ++j) M((first + i) * 7 % rows, (first + j) * 7 % rows) = block(i, j);
    first += size;
  }
  return M;
}

}  // namespace

BOOST_AUTO_TEST_CASE(blocks_are_found_wherever_their_rows_stand) {
  RandomMatrices random(1);
  const Eigen::MatrixXd M = scattered_blocks(random, {1, 6, 6, 3, problem::largest_mass_block, 1, 2});
  const parallel::EvenSplit rows{M.rows(), world().size()};
  const auto columns = inverse_of_blocks(world(), rows, deal_out(M));
  BOOST_REQUIRE(columns.has_value());
  Eigen::MatrixXd inverse = Eigen::MatrixXd::Zero(M.rows(), M.rows());
  for (const auto& entry : *columns) BOOST_TEST(rows.part_of(entry.column) == world().rank());
  for (const auto& entry : gather_everywhere(*columns)) inverse(entry.row, entry.column) += entry.value;
  BOOST_TEST((inverse * M - Eigen::MatrixXd::Identity(M.rows(), M.rows())).norm() <= 1e-11);
}

BOOST_AUTO_TEST_CASE(larger_blocks_are_left_to_the_factorisation) {
  RandomMatrices random(2);
  const Eigen::MatrixXd M = scattered_blocks(random, {3, problem::largest_mass_block + 1, 6});
  const parallel::EvenSplit rows{M.rows(), world().size()};
  BOOST_TEST(!inverse_of_blocks(world(), rows, deal_out(M)).has_value());
  // A long chain of small couplings is one large block too.
  Eigen::MatrixXd chain = 3.0 * Eigen::MatrixXd::Identity(61, 61);
  for (Eigen::Index k = 1; k < 61; ++k) chain(k, k - 1) = -1.0;
  const parallel::EvenSplit links{61, world().size()};
  BOOST_TEST(!inverse_of_blocks(world(), links, deal_out(chain)).has_value());

  const problem::MassFactor factor(world(), links, deal_out(chain));
  const Eigen::VectorXd b = random.vector(61);
  BOOST_TEST(relative_difference(whole_of(factor.solve(own_part(b, 1))), chain.partialPivLu().solve(b)) <= 1e-12);
  const std::vector<double> own = own_part(b, 1);
  std::vector<double> twice = own;
  for (const double entry : own) twice.push_back(-2.0 * entry);
  const std::vector<double> both = factor.solve(twice, 2);
  for (std::size_t k = 0; k < own.size(); ++k)
    BOOST_TEST(both[own.size() + k] == -2.0 * both[k], boost::test_tools::tolerance(1e-12));
}
