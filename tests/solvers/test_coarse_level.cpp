// ranks: 1 2 4
#include "../../src/solvers/coarse_level.hpp"

#include <vector>

#include "scree/parallel/error.hpp"
#include "support/frozen.hpp"
#include "support/sparse_forms.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using parallel::Vector;
using problem::ContactProblem;
using problem::Law;

namespace {

double dot(Vec a, Vec b) {
  double value = 0.0;
  parallel::petsc(VecDot(a, b, &value));
  return value;
}

/// Collective: x.N x.
double energy(const ContactProblem& problem, Vec x) {
  const Vector Nx = problem.make_vector();
  problem.N->apply(x, Nx);
  return dot(x, Nx);
}

/// 1 for the normal rows: those that frictionless contacts use.
Vector normal_rows(const ContactProblem& problem) {
  Vector free = problem.make_vector();
  const parallel::WriteArray mask(free);
  for (int k = 0; k < mask.size(); ++k) mask[k] = k % 3 == 0 ? 1.0 : 0.0;
  return free;
}

/// Impulses of some size in the rows that a coarse problem uses.
Vector some_impulses(const ContactProblem& problem, unsigned seed) {
  RandomMatrices random(seed + static_cast<unsigned>(world().rank()));
  Vector x = problem.make_vector();
  const Vector diagonal = problem.make_vector();
  problem.N->diagonal(diagonal);
  const parallel::WriteArray values(x);
  const parallel::ReadArray used(diagonal);
  for (int k = 0; k < values.size(); ++k) values[k] = used[k] > 0.0 ? random() : 0.0;
  return x;
}

double distance(Vec a, Vec b) {
  parallel::petsc(VecAXPY(a, -1.0, b));
  return dot(a, a);
}

}  // namespace

BOOST_AUTO_TEST_CASE(products_with_a_matrix_and_its_transpose_agree) {
  RandomMatrices random(1);
  const Frozen frozen = freeze(world(), bed(4, 3, 2, 1), Placement::scattered, Law::frictionless);
  const ContactProblem& problem = frozen.problem;
  const int own = 3 * problem.N->block_count();
  const std::int64_t first = world().sum_below(std::int64_t{own});
  const std::int64_t all = world().sum(std::int64_t{own});
  std::vector<solvers::SparseEntry> entries;
  for (int k = 0; k < own; ++k) entries.push_back({first + k, (7 * (first + k) + 1) % all, random(0.5, 1.0)});
  const parallel::Matrix A = solvers::matrix_of(world(), own, own, entries);
  BOOST_TEST(solvers::entries_of(A).size() == entries.size());
  const Vector x = some_impulses(problem, 2), y = some_impulses(problem, 3);
  const Vector Ax = problem.make_vector(), Aty = problem.make_vector();
  solvers::multiply(A, x, Ax);
  solvers::multiply_transposed(A, y, Aty);
  BOOST_TEST(dot(Ax, Ax) > 0.0);
  BOOST_TEST(std::abs(dot(y, Ax) - dot(x, Aty)) < 1e-12 * std::sqrt(dot(y, y) * dot(Ax, Ax)));
}

BOOST_AUTO_TEST_CASE(coarse_impulses_cost_the_energy_of_the_fine_ones_they_stand_for) {
  const Frozen frozen = freeze(world(), bed(5, 5, 4, 1), Placement::slabs, Law::frictionless);
  solvers::MultigridOptions options;
  options.coarsest = 10;
  const auto levels = solvers::coarsen_impulses(frozen.problem, normal_rows(frozen.problem), options);
  BOOST_REQUIRE_GE(levels.size(), 2U);
  const ContactProblem* finer = &frozen.problem;
  for (const solvers::CoarseLevel& level : levels) {
    const std::int64_t fine_blocks = world().sum(std::int64_t{finer->N->block_count()});
    BOOST_TEST(world().sum(std::int64_t{level.problem.N->block_count()}) < fine_blocks);
    const Vector coarse = some_impulses(level.problem, 5), back = level.problem.make_vector();
    const Vector fine = finer->make_vector();
    solvers::multiply(level.prolong, coarse, fine);
    const double expected = energy(*finer, fine);
    BOOST_TEST(expected > 0.0);
    BOOST_TEST(std::abs(energy(level.problem, coarse) - expected) < 1e-10 * expected);  // (23)
    solvers::multiply(level.inject, fine, back);
    BOOST_TEST(distance(back, coarse) < 1e-24 * dot(coarse, coarse));  // C rows are copied
    finer = &level.problem;
  }
}

BOOST_AUTO_TEST_CASE(bodies_held_together_give_way_less_to_the_same_impulses) {
  const Frozen frozen = freeze(world(), bed(5, 5, 4, 1), Placement::slabs, Law::frictionless);
  solvers::MultigridOptions options;
  options.coarsest = 10;
  const auto levels = solvers::coarsen_velocities(frozen.problem, normal_rows(frozen.problem), options);
  BOOST_REQUIRE_GE(levels.size(), 1U);
  const ContactProblem* finer = &frozen.problem;
  for (const solvers::CoarseLevel& level : levels) {
    const Vector coarse = some_impulses(level.problem, 6), fine = finer->make_vector();
    solvers::multiply(level.prolong, coarse, fine);
    const double loose = energy(*finer, fine), held = energy(level.problem, coarse);
    BOOST_TEST(held > 0.0);
    BOOST_TEST(held < loose);  // Bertrand's theorem
    finer = &level.problem;
  }
}

BOOST_AUTO_TEST_CASE(where_bodies_are_must_be_known_to_hold_them_together) {
  RandomMatrices random(9);
  problem::SparseProblem sparse = make_sparse(random.dense(20));
  sparse.problem.K.law = Law::frictionless;
  solvers::MultigridOptions options;
  options.coarsest = 1;
  BOOST_CHECK_THROW((void)solvers::coarsen_velocities(sparse.problem, normal_rows(sparse.problem), options),
                    InputError);
}
