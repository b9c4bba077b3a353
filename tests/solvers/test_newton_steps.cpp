// ranks: 1 2 4
#include "../../src/solvers/newton_steps.hpp"

#include <cmath>
#include <string>

#include "../../src/solvers/coarse_level.hpp"
#include "../../src/solvers/linear_system.hpp"
#include "scree/parallel/error.hpp"
#include "support/frozen.hpp"
#include "support/sparse_forms.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using problem::Law;

namespace {

/// Collective: a dense matrix, of which each rank has an even share of the rows.
parallel::Matrix distributed(const Eigen::MatrixXd& dense) {
  const int own = static_cast<int>(parallel::EvenSplit{dense.rows(), world().size(), 1}.count(world().rank()));
  return solvers::matrix_of(world(), own, own, deal_out(dense).entries);
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_method_solves_a_linear_system) {
  RandomMatrices random(7);
  const Eigen::MatrixXd A = random.positive(17);
  const Eigen::VectorXd b = random.vector(17), expected = A.llt().solve(b);
  for (const std::string method : {"mumps", "cholmod", "cg", "minres", "gmres"}) {
    const solvers::LinearSystem system(distributed(A), method != "gmres", {.method = method, .tolerance = 1e-12});
    BOOST_TEST(relative_difference(whole_of(system.solve(own_part(b, 1))), expected) < 1e-8, method);
  }
}

BOOST_AUTO_TEST_CASE(a_part_is_cut_out_of_a_matrix) {
  RandomMatrices random(8);
  const Eigen::MatrixXd A = random.positive(14);
  const parallel::EvenSplit split{14, world().size(), 1};
  std::vector<PetscInt> odd;
  for (auto k = split.first(world().rank()); k < split.first(world().rank()) + split.count(world().rank()); ++k)
    if (k % 2 == 1) odd.push_back(static_cast<PetscInt>(k));
  double difference = 0.0, count = 0.0;
  for (const auto& [row, column, value] : solvers::entries_of(solvers::cut_out(distributed(A), odd))) {
    difference += std::abs(value - A(2 * row + 1, 2 * column + 1));
    ++count;
  }
  BOOST_TEST(world().sum(difference) == 0.0);
  BOOST_TEST(world().sum(count) == 49.0);
}

BOOST_AUTO_TEST_CASE(newton_steps_find_what_each_contact_of_a_column_carries) {
  const int height = 6;
  const FrozenScene scene = column(height);
  const Frozen frozen = freeze(world(), scene, Placement::scattered, Law::frictionless);
  for (const std::string equation : {"min-max", "normal-map"}) {
    solvers::NewtonOptions options;
    options.equation = equation;
    solvers::NewtonSteps steps(frozen.problem, options);
    const parallel::Vector zero = frozen.problem.make_vector();
    steps.start_from(zero);
    const double first = steps.merit();
    BOOST_TEST(first > 0.0);
    for (int k = 0; k < 10 && steps.merit() > 1e-24 * first; ++k) {
      const double before = steps.merit();
      steps.iterate();
      BOOST_TEST((steps.merit() < before || steps.fruitless() > 0), equation);
    }
    BOOST_TEST(steps.merit() <= 1e-20 * first, equation);
    double carried = 0.0;  // the contact at height k carries the height - k spheres from there on
    {
      const parallel::ReadArray x(steps.x);
      for (int k = 0; k < x.size(); k += 3) carried += x[k];
    }
    const double weight = gravity * scene.step;  // of 1 kg, in one step
    BOOST_TEST(std::abs(world().sum(carried) - weight * height * (height + 1) / 2) < 1e-6 * weight, equation);
  }
}

BOOST_AUTO_TEST_CASE(systems_that_are_not_symmetric_are_refused_to_methods_that_need_it) {
  const Frozen frozen = freeze(world(), column(3), Placement::slabs, Law::cone);
  solvers::NewtonOptions options;
  options.subsystem = "cg";
  BOOST_CHECK_THROW(solvers::NewtonSteps(frozen.problem, options), InputError);
}
