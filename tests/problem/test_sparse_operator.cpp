// N = A S from sparse matrices: equal to its dense form, and sweeps that are exact on any number of ranks.
#include "scree/problem/sparse_operator.hpp"

#include "scree/problem/error_measure.hpp"
#include "scree/problem/one_contact.hpp"
#include "support/sparse_forms.hpp"

using namespace scree;
using namespace scree::test;
using parallel::Vector;
using problem::ContactProblem;
using problem::Law;

namespace {

constexpr int contact_counts[] = {0, 1, 2, 5, 17};

/// Problems with dense and sparse coupling, symmetric or not, in impulses and in the velocities of bodies.
template <typename Check>
void for_all_problems(Check&& check) {
  RandomMatrices random(7);
  for (const int contacts : contact_counts) {
    BOOST_TEST_CONTEXT(contacts << " contacts") {
      const DenseLocal dense = random.dense(contacts);
      const DenseGlobal chain = random.chain(std::max(1, contacts / 2), contacts);
      DenseLocal unsymmetric = local_of(chain);
      for (double& entry : unsymmetric.W.reshaped())
        if (entry != 0.0) entry += random(-0.02, 0.02);
      BOOST_TEST_CONTEXT("dense") { check(make_sparse(dense), dense); }
      BOOST_TEST_CONTEXT("sparse") { check(make_sparse(local_of(chain)), local_of(chain)); }
      BOOST_TEST_CONTEXT("unsymmetric") { check(make_sparse(unsymmetric), unsymmetric); }
      BOOST_TEST_CONTEXT("bodies") { check(make_sparse(chain), local_of(chain)); }
    }
  }
}

/// What one sweep in the order of the contacts, or in the opposite order, makes of x.
Eigen::VectorXd swept(const DenseLocal& dense, const problem::ConstraintSet& set, Eigen::VectorXd x,
                      bool backward = false) {
  for (Eigen::Index i = 0; i < dense.mu.size(); ++i) {
    const Eigen::Index k = backward ? dense.mu.size() - 1 - i : i;
    const model::Mat3 N = dense.W.block<3, 3>(3 * k, 3 * k);
    const model::Vec3 before = x.segment<3>(3 * k);
    const model::Vec3 q = dense.W.middleRows<3>(3 * k) * x + dense.q.segment<3>(3 * k) - N * before;
    x.segment<3>(3 * k) = solve_block(set, static_cast<int>(k), N, q, before);
  }
  return x;
}

}  // namespace

BOOST_AUTO_TEST_CASE(products_are_those_of_the_dense_matrix) {
  RandomMatrices random(3);
  for_all_problems([&](const problem::SparseProblem& sparse, const DenseLocal& dense) {
    const Eigen::VectorXd x = random.vector(dense.q.size());
    BOOST_TEST(relative_difference(velocities_of(sparse.problem, x), dense.W * x + dense.q) <= 1e-12);
    BOOST_TEST(relative_difference(whole_of(sparse.problem.r), dense.q) <= 1e-12);
  });
}

BOOST_AUTO_TEST_CASE(diagonal_blocks_and_energy_are_true) {
  RandomMatrices random(4);
  for_all_problems([&](const problem::SparseProblem& sparse, const DenseLocal& dense) {
    const Eigen::VectorXd whole = random.vector(dense.q.size());
    const ContactProblem& problem = sparse.problem;
    std::vector<double> blocks;
    for (const model::Mat3& block : problem.N->diagonal_blocks())
      blocks.insert(blocks.end(), block.data(), block.data() + 9);
    const Eigen::VectorXd all = whole_of(blocks);
    for (Eigen::Index k = 0; k < dense.mu.size(); ++k) {
      const model::Mat3 expected = dense.W.block<3, 3>(3 * k, 3 * k);
      BOOST_TEST((model::Mat3(all.data() + 9 * k) - expected).norm() <= 1e-12 * expected.norm());
    }
    const Vector x = problem.make_vector();
    set_part(x, whole);
    problem::Motion motion = problem.N->motion_at_rest();
    problem.N->set_motion(x, motion);
    const double energy = world().sum(problem.N->local_energy(x, motion));
    BOOST_TEST(std::abs(energy - 0.5 * whole.dot(dense.W * whole)) <= 1e-12 * dense.W.norm() * whole.squaredNorm());
  });
}

BOOST_AUTO_TEST_CASE(sweeps_keep_the_motion_of_the_impulses) {
  RandomMatrices random(5);
  for_all_problems([&](const problem::SparseProblem& sparse, const DenseLocal& dense) {
    const ContactProblem& problem = sparse.problem;
    const Vector x = problem.make_vector();
    set_part(x, random.vector(dense.q.size()));
    problem::Motion motion = problem.N->motion_at_rest();
    problem.N->set_motion(x, motion);
    for (int sweep = 0; sweep < 5; ++sweep) {
      problem.N->sweep(problem.r, problem.K, x, motion, {.local = {}, .backward = sweep % 2 == 1});
      problem::Motion fresh = problem.N->motion_at_rest();
      problem.N->set_motion(x, fresh);
      const auto own = problem.N->own_motion();
      const Eigen::VectorXd kept = whole_of({motion.begin(), motion.begin() + own});
      const Eigen::VectorXd found = whole_of({fresh.begin(), fresh.begin() + own});
      BOOST_TEST((kept - found).norm() <= 1e-12 * (1.0 + kept.norm()));  // both may be 0
      const double energy = world().sum(problem.N->local_energy(x, motion));
      BOOST_TEST(std::abs(energy - world().sum(problem.N->local_energy(x, fresh))) <= 1e-11 * (1.0 + energy));
    }
  });
}

BOOST_AUTO_TEST_CASE(where_all_contacts_touch_ranks_sweep_one_after_another_as_one_would) {
  RandomMatrices random(6);
  const DenseLocal dense = random.dense(17);
  const problem::SparseProblem sparse = make_sparse(dense);
  const ContactProblem& problem = sparse.problem;
  const auto* N = dynamic_cast<const problem::SparseOperator*>(problem.N.get());
  BOOST_REQUIRE(N != nullptr);
  BOOST_TEST(N->turns() == world().size());
  problem::ConstraintSet set = problem.K;
  set.friction.assign(dense.mu.begin(), dense.mu.end());

  Eigen::VectorXd expected = Eigen::VectorXd::Zero(dense.q.size());
  const Vector x = problem.make_vector();
  problem::Motion motion = problem.N->motion_at_rest();
  for (int sweep = 0; sweep < 20; ++sweep) {
    const bool backward = sweep % 3 == 1;
    expected = swept(dense, set, expected, backward);
    problem.N->sweep(problem.r, problem.K, x, motion, {.local = {}, .backward = backward});
    BOOST_TEST(relative_difference(whole_of(x), expected) <= 1e-10);
  }
}

BOOST_AUTO_TEST_CASE(contacts_like_those_of_spheres_get_the_solution_of_their_own_problem) {
  RandomMatrices random(9);
  DenseLocal dense = random.dense(17);
  for (Eigen::Index k = 0; k < dense.mu.size(); ++k) {  // all but every fourth; such contacts keep whole blocks
    const double size = dense.W.block<3, 3>(3 * k, 3 * k).trace();
    if (k % 4 != 3) dense.W.block<3, 3>(3 * k, 3 * k) = model::Vec3(0.4, 0.3, 0.3).asDiagonal() * size;
  }
  const problem::SparseProblem sparse = make_sparse(dense);
  const ContactProblem& problem = sparse.problem;
  for (const Law law : {Law::frictionless, Law::box, Law::pyramid, Law::cylinder, Law::cone, Law::coulomb}) {
    BOOST_TEST_CONTEXT(name_of(law)) {
      constexpr double bound = 0.05;
      problem::ConstraintSet own = problem.K, all = problem.K;
      own.law = all.law = law;
      all.friction.assign(dense.mu.begin(), dense.mu.end());
      own.bound.assign(own.friction.size(), bound);
      all.bound.assign(all.friction.size(), bound);
      Eigen::VectorXd expected = Eigen::VectorXd::Zero(dense.q.size());
      const Vector x = problem.make_vector();
      problem::Motion motion = problem.N->motion_at_rest();
      for (int sweep = 0; sweep < 4; ++sweep) {
        expected = swept(dense, all, expected);
        problem.N->sweep(problem.r, own, x, motion);
        BOOST_TEST(relative_difference(whole_of(x), expected) <= 1e-9);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(sweeps_lower_the_objective_and_end_at_the_same_velocities_on_any_number_of_ranks) {
  RandomMatrices random(8);
  const DenseGlobal chain = random.chain(9, 25);
  const DenseLocal dense = local_of(chain);
  problem::ConstraintSet set;
  set.law = Law::cone;
  set.friction.assign(dense.mu.begin(), dense.mu.end());
  Eigen::VectorXd expected = Eigen::VectorXd::Zero(dense.q.size());
  for (int sweep = 0; sweep < 3000; ++sweep) expected = swept(dense, set, expected);

  problem::SparseProblem sparse = make_sparse(chain);
  ContactProblem& problem = sparse.problem;
  problem.K.law = Law::cone;
  const Vector x = problem.make_vector();
  problem::Motion motion = problem.N->motion_at_rest();
  double last = 0.0;
  for (int sweep = 0; sweep < 3000; ++sweep) {
    problem.N->sweep(problem.r, problem.K, x, motion);
    double work = 0.0;
    parallel::petsc(VecDot(problem.r, x, &work));
    const double objective = world().sum(problem.N->local_energy(x, motion)) + work;
    BOOST_REQUIRE(objective <= last + 1e-12 * std::abs(last));
    last = objective;
  }
  const Eigen::VectorXd w = velocities_of(problem, whole_of(x));
  BOOST_TEST(relative_difference(w, dense.W * expected + dense.q) <= 1e-7);
}

BOOST_AUTO_TEST_CASE(contacts_without_motion_and_dofs_without_contacts_are_allowed) {
  // Contact 0 pushes nothing, contact 1 pushes one of five degrees of freedom.
  const parallel::EvenSplit contacts{6, world().size(), 3}, dofs{5, world().size()};
  const int owner = contacts.part_of(3);
  std::vector<problem::SparseEntry> A, S;
  if (world().rank() == owner) A = {{3, 2, 2.0}}, S = {{2, 3, 1.0}, {2, 3, 0.5}};
  const problem::SparseOperator N(world(), contacts, dofs, A, S);
  const Vector x(world(), N.block_count()), w = Vector::like(x);
  parallel::petsc(VecSet(x, 1.0));
  N.apply(x, w);
  const Eigen::VectorXd all = whole_of(w);
  for (Eigen::Index k = 0; k < 6; ++k) BOOST_TEST(all[k] == (k == 3 ? 3.0 : 0.0));
}
