// ranks: 1 2 4
#include "../../src/solvers/whole_problem.hpp"

#include <cmath>

#include "../../src/solvers/capacity.hpp"
#include "scree/parallel/error.hpp"
#include "support/sparse_forms.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using problem::Law;

namespace {

solvers::Capacity modest() {
  return {"pivot", 0.5, [](double rows, double) { return 8.0 * rows * rows; }};
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_rank_has_the_rows_that_can_move_scaled_to_a_unit_diagonal) {
  RandomMatrices random(3);
  const DenseGlobal dense = random.chain(5, 11);
  problem::SparseProblem sparse = make_sparse(dense);
  sparse.problem.K.law = Law::frictionless;
  const solvers::WholeProblem whole(sparse.problem, modest());

  const Eigen::MatrixXd N = dense.N();
  const Eigen::VectorXd r = dense.r();
  BOOST_REQUIRE_EQUAL(whole.rows(), 11);  // the normal ones
  BOOST_TEST(whole.symmetric);
  for (int i = 0; i < 11; ++i) {
    BOOST_TEST(std::abs(whole.N.coeff(i, i) - 1.0) < 1e-12);
    BOOST_TEST(std::abs(whole.r[i] - r[3 * i] / std::sqrt(N(3 * i, 3 * i))) < 1e-10);
    BOOST_TEST(whole.lower[i] == 0.0);
    BOOST_TEST(whole.upper[i] == HUGE_VAL);
    for (int j = 0; j < 11; ++j) {
      const double expected = N(3 * i, 3 * j) / std::sqrt(N(3 * i, 3 * i) * N(3 * j, 3 * j));
      BOOST_TEST(std::abs(whole.N.coeff(i, j) - expected) < 1e-10);
    }
  }
}

BOOST_AUTO_TEST_CASE(what_is_written_to_impulses_is_read_again) {
  RandomMatrices random(4);
  problem::SparseProblem sparse = make_sparse(random.chain(4, 9));
  sparse.problem.K.law = Law::frictionless;
  const solvers::WholeProblem whole(sparse.problem, modest());
  const Eigen::VectorXd z = random.vector(9);
  const parallel::Vector x = sparse.problem.make_vector();
  whole.write(z, x);
  BOOST_TEST(relative_difference(whole.read(world(), x), z) < 1e-14);
  const Eigen::VectorXd impulses = whole_of(x);
  for (int k = 0; k < 9; ++k) BOOST_TEST(std::abs(impulses[3 * k] - whole.scale[k] * z[k]) < 1e-14);
}

BOOST_AUTO_TEST_CASE(a_method_that_needs_too_much_is_refused_before_it_begins) {
  RandomMatrices random(5);
  problem::SparseProblem sparse = make_sparse(random.chain(3, 6));
  sparse.problem.K.law = Law::frictionless;
  const solvers::Capacity endless{"lemke", 0.5, [](double, double) { return 1e30; }};
  const auto names_solver_and_remedy = [](const InputError& error) {
    const std::string text = error.what();
    return text.find("'lemke'") != std::string::npos && text.find("npgs") != std::string::npos;
  };
  BOOST_CHECK_EXCEPTION(solvers::WholeProblem(sparse.problem, endless), InputError, names_solver_and_remedy);
  solvers::refuse_beyond(world(), "lemke", "is modest", 1.0, 0.5, "nothing else");
  BOOST_CHECK_THROW(solvers::refuse_beyond(world(), "lemke", "has nothing", 1.0, 0.0, "another"), InputError);
}

BOOST_AUTO_TEST_CASE(needs_are_counted_from_rows_and_entries) {
  RandomMatrices random(6);
  const problem::SparseProblem one_body = make_sparse(random.chain(1, 7));
  // N has 21 x 21 entries; each of the body's six degrees of freedom couples all rows, so it is counted from above.
  BOOST_TEST(solvers::count_entries(*one_body.problem.N) == 6.0 * 21.0 * 21.0);
  const double few = solvers::bytes_of_factors(100.0, 1000.0);
  BOOST_TEST(few == 40.0 * 1000.0 + 8.0 * 100.0 * 100.0);  // a dense triangle
  const double many = solvers::bytes_of_factors(1e6, 1e7);
  BOOST_TEST(many < 0.1 * 8.0 * 1e12);  // a sparse one
  BOOST_TEST(solvers::bytes_of_factors(2e6, 2e7) > 2.0 * many);
}
