// Problems made from matrices: M of blocks, M of any sparsity, and the velocities that belong to impulses.
#include "scree/problem/sparse_problem.hpp"

#include "scree/parallel/error.hpp"
#include "support/sparse_forms.hpp"

using namespace scree;
using namespace scree::test;

namespace {

/// All degrees of freedom coupled, as in an elastic body; not quite symmetric.
DenseGlobal elastic(RandomMatrices& random, int dofs, int contacts) {
  DenseGlobal problem = random.chain(1, contacts);
  problem.M = Eigen::MatrixXd::Zero(dofs, dofs);
  for (Eigen::Index k = 0; k < dofs; ++k) {
    problem.M(k, k) = 4.0;
    if (k > 0) problem.M(k, k - 1) = -1.0, problem.M(k - 1, k) = -1.1;
  }
  problem.H = Eigen::MatrixXd::Zero(dofs, 3 * contacts);
  for (Eigen::Index k = 0; k < 3 * contacts; ++k) problem.H(7 * k % dofs, k) = 1.0 + random();
  problem.f = random.vector(dofs);
  return problem;
}

void check(const DenseGlobal& dense, RandomMatrices& random) {
  const problem::SparseProblem sparse = make_sparse(dense);
  const Eigen::VectorXd x = random.vector(dense.b.size());
  BOOST_TEST(relative_difference(velocities_of(sparse.problem, x), dense.N() * x + dense.r()) <= 1e-11);
  const parallel::Vector impulses = sparse.problem.make_vector();
  set_part(impulses, x);
  const Eigen::VectorXd v = dense.M.partialPivLu().solve(dense.H * x + dense.f);
  BOOST_TEST(relative_difference(whole_of(sparse.velocities(impulses)), v) <= 1e-11);
}

}  // namespace

BOOST_AUTO_TEST_CASE(bodies_move_as_their_blocks_say) {
  RandomMatrices random(1);
  for (const int contacts : {0, 1, 4, 20}) check(random.chain(std::max(1, contacts / 2), contacts), random);
}

BOOST_AUTO_TEST_CASE(mass_matrices_of_any_sparsity_are_factorised) {
  RandomMatrices random(2);
  for (const int contacts : {0, 2, 30}) check(elastic(random, 60, contacts), random);
}

BOOST_AUTO_TEST_CASE(asymmetry_is_told) {
  RandomMatrices random(3);
  DenseLocal dense = random.dense(6);
  BOOST_TEST(make_sparse(dense).asymmetry <= 1e-15);
  dense.W(2, 7) += 0.25 * dense.W.cwiseAbs().maxCoeff();
  const double expected = (dense.W - dense.W.transpose()).cwiseAbs().maxCoeff() / dense.W.cwiseAbs().maxCoeff();
  BOOST_TEST(std::abs(make_sparse(dense).asymmetry - expected) <= 1e-12);
  BOOST_TEST(make_sparse(elastic(random, 60, 3)).asymmetry > 1e-6);
}

BOOST_AUTO_TEST_CASE(singular_masses_are_refused) {
  RandomMatrices random(4);
  DenseGlobal blocks = random.chain(3, 4);
  blocks.M.row(8).setZero();
  BOOST_CHECK_THROW((void)make_sparse(blocks), InputError);
  DenseGlobal chain = elastic(random, 60, 3);
  chain.M.row(30).setZero();
  BOOST_CHECK_THROW((void)make_sparse(chain), InputError);
}
