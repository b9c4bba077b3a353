// N as a matrix is N as an operator.
#include <cmath>

#include "scree/problem/borrowed_operator.hpp"
#include "support/dense_operator.hpp"
#include "support/frozen.hpp"
#include "support/sparse_forms.hpp"

using namespace scree;
using namespace scree::test;
using parallel::Vector;
using problem::Law;

namespace {

/// Collective: the largest difference between both products, relative to the largest entry.
double difference(const problem::ContactOperator& N, unsigned seed) {
  const parallel::Matrix matrix = N.assemble();
  const Vector x(N.comm(), N.block_count()), y = Vector::like(x), expected = Vector::like(x);
  {
    Dice dice(seed + static_cast<unsigned>(world().rank()));
    const parallel::WriteArray in(x);
    for (int k = 0; k < in.size(); ++k) in[k] = dice();
  }
  N.apply(x, expected);
  matrix.apply(x, y);
  parallel::petsc(VecAXPY(y, -1.0, expected));
  double error = 0.0, size = 0.0;
  parallel::petsc(VecNorm(y, NORM_INFINITY, &error));
  parallel::petsc(VecNorm(expected, NORM_INFINITY, &size));
  return error / std::max(size, 1e-300);
}

}  // namespace

BOOST_AUTO_TEST_CASE(products_of_contacts_are_those_of_the_operator) {
  using problem::Coupling;
  for (const Coupling coupling : {Coupling::interface_splitting, Coupling::full_splitting, Coupling::colouring})
    for (const Placement placement : all_placements) {
      const Frozen frozen = freeze(world(), bed(5, 4, 3, 2), placement, Law::cone, {coupling});
      BOOST_TEST(difference(*frozen.problem.N, 1) <= 1e-14, name_of(coupling) << ", " << name_of(placement));
    }
}

BOOST_AUTO_TEST_CASE(products_of_files_are_those_of_the_operator) {
  RandomMatrices random(9);
  for (const int contacts : {0, 1, 2, 17}) {
    BOOST_TEST(difference(*make_sparse(random.dense(contacts)).problem.N, 2) <= 1e-14);
    BOOST_TEST(difference(*make_sparse(random.chain(std::max(1, contacts / 2), contacts)).problem.N, 3) <= 1e-14);
  }
}

BOOST_AUTO_TEST_CASE(a_lender_and_a_dense_matrix_are_assembled_alike) {
  RandomMatrices random(10);
  const DenseOperator dense(random.positive(12));
  BOOST_TEST(difference(dense, 4) <= 1e-14);
  BOOST_TEST(difference(problem::BorrowedOperator(dense), 4) <= 1e-14);
}

BOOST_AUTO_TEST_CASE(bodies_that_touch_nothing_give_an_empty_matrix) {
  for (const int bodies : {0, 5}) {
    const Frozen frozen = freeze(world(), loose(bodies), Placement::scattered, Law::cone);
    const parallel::Matrix N = frozen.problem.N->assemble();
    PetscInt rows = 1;
    parallel::petsc(MatGetSize(N, &rows, nullptr));
    BOOST_TEST(rows == 0);
  }
}
