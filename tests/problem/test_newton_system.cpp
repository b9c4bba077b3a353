#include "scree/problem/newton_system.hpp"

#include <Eigen/Core>
#include <string>

#include "scree/parallel/error.hpp"
#include "scree/parallel/exchange.hpp"
#include "scree/problem/block_matrix.hpp"
#include "scree/problem/body_system.hpp"
#include "support/dense_operator.hpp"
#include "support/frozen.hpp"
#include "support/sparse_forms.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using model::Mat3;
using problem::Law;
using problem::SubsystemOptions;

namespace {

/// P and Q that differ from block to block; some blocks stand alone. `skew`: Q is not symmetric, as under Coulomb's
/// law.
struct Diagonals {
  std::vector<Mat3> P, Q;

  Diagonals(const problem::ContactOperator& N, double skew) {
    Mat3 turn = Mat3::Zero();
    turn(1, 0) = skew;
    const auto first = static_cast<int>(N.comm().sum_below(N.block_count()));
    for (int k = first; k < first + N.block_count(); ++k) {
      P.emplace_back(Mat3::Identity() * (1.0 + 0.1 * (k % 7)));
      Q.emplace_back(k % 4 == 0 ? Mat3(Mat3::Zero()) : Mat3(Mat3::Identity() + 0.1 * Mat3::Ones() + turn));
    }
  }
};

/// Collective: |(P + Q N) d - b| / |b|, with N by its own products.
double residual_of(const problem::ContactProblem& problem, problem::NewtonSystem& system, double skew) {
  const problem::ContactOperator& N = *problem.N;
  const auto [P, Q] = Diagonals(N, skew);
  const parallel::Vector d = problem.make_vector(), Nd = problem.make_vector();
  BOOST_REQUIRE(system.factorise(P, Q));
  BOOST_REQUIRE(system.solve(problem.r, d));
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
double residual_of(const problem::ContactProblem& problem, const SubsystemOptions& options, double skew = 0.0) {
  return residual_of(problem, *make_newton_system(problem, options), skew);
}

const SubsystemOptions by_contacts{.space = "contacts"};
const SubsystemOptions by_bodies[] = {{.space = "bodies", .linear = "schwarz", .forcing = 1e-11},
                                      {.space = "bodies", .linear = "gamg", .forcing = 1e-11},
                                      {.space = "bodies", .linear = "mumps", .forcing = 1e-11}};

}  // namespace

BOOST_AUTO_TEST_CASE(solves_beds_wherever_their_bodies_live) {
  for (const Placement placement : all_placements) {
    const Frozen frozen = freeze(world(), bed(4, 3, 3, 2), placement, Law::coulomb);
    for (const double skew : {0.0, 0.5}) {
      BOOST_TEST(residual_of(frozen.problem, by_contacts, skew) <= 1e-10, name_of(placement));
      BOOST_TEST(residual_of(frozen.problem, by_bodies[0], skew) <= 1e-9, name_of(placement));
    }
  }
}

BOOST_AUTO_TEST_CASE(every_linear_solver_serves) {
  const Frozen frozen = freeze(world(), bed(4, 3, 3, 2), Placement::even_ranks, Law::coulomb);
  for (const auto& options : by_bodies)
    for (const double skew : {0.0, 0.5}) BOOST_TEST(residual_of(frozen.problem, options, skew) <= 1e-9, options.linear);
}

BOOST_AUTO_TEST_CASE(matrices_may_be_symmetric_in_one_step_and_not_in_the_next) {
  const Frozen frozen = freeze(world(), bed(4, 3, 3, 2), Placement::even_ranks, Law::coulomb);
  for (const auto& options : by_bodies) {
    const auto system = make_newton_system(frozen.problem, options);
    for (const double skew : {0.0, 0.5, 0.0, 0.5})
      BOOST_TEST(residual_of(frozen.problem, *system, skew) <= 1e-9, options.linear);
  }
}

BOOST_AUTO_TEST_CASE(solves_problems_from_files) {
  RandomMatrices random(4);
  for (const int contacts : {1, 2, 25}) {
    const auto chain = make_sparse(random.chain(5, contacts));
    BOOST_TEST(residual_of(chain.problem, by_contacts) <= 1e-10);
    BOOST_TEST(residual_of(chain.problem, by_bodies[0]) <= 1e-9);
    BOOST_TEST(residual_of(make_sparse(random.dense(contacts)).problem, by_contacts) <= 1e-10);
  }
}

BOOST_AUTO_TEST_CASE(both_spaces_solve_the_equations_of_the_dense_matrix) {
  RandomMatrices random(7);
  const DenseGlobal dense = random.chain(6, 20);
  const auto sparse = make_sparse(dense);
  const auto [P, Q] = Diagonals(*sparse.problem.N, 0.3);
  std::vector<double> diagonals;
  for (std::size_t k = 0; k < P.size(); ++k) {
    diagonals.insert(diagonals.end(), P[k].data(), P[k].data() + 9);
    diagonals.insert(diagonals.end(), Q[k].data(), Q[k].data() + 9);
  }
  diagonals = parallel::gather_everywhere(world(), diagonals);
  const Eigen::MatrixXd N = dense.N();
  const Eigen::VectorXd b = whole_of(sparse.problem.r);
  for (const SubsystemOptions& options : {by_contacts, by_bodies[0]}) {
    const auto system = make_newton_system(sparse.problem, options);
    const parallel::Vector d = sparse.problem.make_vector();
    BOOST_REQUIRE(system->factorise(P, Q));
    BOOST_REQUIRE(system->solve(sparse.problem.r, d));
    const Eigen::VectorXd at = whole_of(d), speed = N * at;
    for (int k = 0; k < 20; ++k) {
      const Mat3 own_P(diagonals.data() + 18 * k), own_Q(diagonals.data() + 18 * k + 9);
      const model::Vec3 left = own_P * at.segment<3>(3 * k) + own_Q * speed.segment<3>(3 * k);
      BOOST_TEST((left - b.segment<3>(3 * k)).norm() <= 1e-9 * b.norm(), options.space << ", block " << k);
    }
  }
}

BOOST_AUTO_TEST_CASE(factors_are_kept_while_hardly_a_contact_changes) {
  const Frozen frozen = freeze(world(), bed(5, 4, 3, 2), Placement::even_ranks, Law::coulomb);
  const problem::ContactOperator& N = *frozen.problem.N;
  problem::BodySystem system(frozen.problem, N.factors(), by_bodies[0]);
  auto [P, Q] = Diagonals(N, 0.0);
  const parallel::Vector d = frozen.problem.make_vector();
  const auto solve = [&] {
    BOOST_REQUIRE(system.factorise(P, Q));
    BOOST_REQUIRE(system.solve(frozen.problem.r, d));
    return system.refreshed();
  };
  BOOST_TEST(solve() == 1);
  for (Mat3& own : P) own *= 1.001;
  BOOST_TEST(solve() == 1);
  if (world().is_root() && !Q.empty()) Q.front() *= 3.0;
  BOOST_TEST(solve() == 1);
  for (Mat3& own : Q) own *= 3.0;
  BOOST_TEST(solve() == 2);
  BOOST_TEST(system.iterations() > 0);
}

BOOST_AUTO_TEST_CASE(bodies_that_are_not_known_are_refused) {
  RandomMatrices random(3);
  const auto sparse = make_sparse(random.dense(4));
  BOOST_CHECK_THROW((void)make_newton_system(sparse.problem, by_bodies[0]), InputError);
  (void)make_newton_system(sparse.problem, {});
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
  problem::require_memory(world(), 1000.0, 10);
  std::string message;
  try {  // 8 petabytes
    problem::require_memory(world(), 8e15, 12345);
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
