// ranks: 1
#include "scree/problem/one_contact.hpp"

#include "support/one_block.hpp"
#include "support/support.hpp"

using scree::problem::block_residual;
using scree::problem::project_in_metric;
using scree::problem::solve_block;
using namespace scree::test;

namespace {

template <typename Matrix>
void check_all(const char* kind, int samples, double tolerance, Matrix&& matrix) {
  Random random(11);
  for (const auto& [name, set] : all_sets()) {
    Worst worst;
    for (int k = 0; k < samples; ++k) {
      const Mat3 N = matrix(random);
      const Vec3 q = random.vector();
      const Vec3 start = k % 3 == 0 ? Vec3::Zero() : set[0].project(random.vector());
      judge_block(set, N, q, solve_block(set, 0, N, q, start), worst);
    }
    BOOST_TEST(worst.outside <= 1e-14, kind << ", " << name << ": outside by " << worst.outside);
    BOOST_TEST(worst.descent <= tolerance, kind << ", " << name << ": gain left " << worst.descent);
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(blocks_of_bodies_are_solved_to_rounding) {
  check_all("bodies", 20000, 1e-13, [](Random& random) { return random.of_bodies(); });
}

BOOST_AUTO_TEST_CASE(stiff_blocks_are_solved_nearly_to_rounding) {
  check_all("condition 1e3", 10000, 1e-13, [](Random& random) { return random.positive(3.0); });
  check_all("condition 1e8", 10000, 1e-9, [](Random& random) { return random.positive(8.0); });
}

BOOST_AUTO_TEST_CASE(blocks_that_are_not_quite_symmetric_are_solved_to_rounding) {
  check_all("unsymmetric", 10000, 1e-13, [](Random& random) {
    Mat3 N = random.of_bodies();
    N(0, 1) += 1e-3 * random.uniform(-1.0, 1.0);
    N(1, 2) += 1e-3 * random.uniform(-1.0, 1.0);
    return N;
  });
}

BOOST_AUTO_TEST_CASE(singular_blocks_are_solved_where_there_is_a_solution) {
  Random random(12);
  for (const auto& [name, set] : all_sets())
    for (const int rank : {1, 2}) {
      Worst worst;
      for (int k = 0; k < 5000; ++k) {
        const Mat3 N = random.singular(rank);
        const Vec3 inside = set[0].project(random.vector());
        const Vec3 q = -N * inside;  // so that `inside` is a solution, with w = 0
        judge_block(set, N, q, solve_block(set, 0, N, q, Vec3::Zero()), worst);
      }
      BOOST_TEST(worst.outside <= 1e-14, name << ", rank " << rank << ": outside by " << worst.outside);
      BOOST_TEST(worst.descent <= 1e-9, name << ", rank " << rank << ": gain left " << worst.descent);
    }
}

BOOST_AUTO_TEST_CASE(units_do_not_matter) {
  Random random(13);
  for (const auto& [name, set] : all_sets())
    for (const double scale : {1e-6, 1e6}) {
      ConstraintSet scaled = set;
      for (double& bound : scaled.bound) bound *= scale;
      for (RowBounds& rows : scaled.joints)
        for (int c = 0; c < 3; ++c) rows.lower[c] *= scale, rows.upper[c] *= scale;
      for (int k = 0; k < 300; ++k) {
        const Mat3 N = random.of_bodies();
        const Vec3 q = random.vector();
        const Vec3 plain = solve_block(set, 0, N, q, Vec3::Zero());
        const Vec3 other = solve_block(scaled, 0, N / scale, q, Vec3::Zero());
        BOOST_TEST((other - scale * plain).norm() <= 1e-11 * scale * (1.0 + plain.norm()), name);
      }
    }
}

BOOST_AUTO_TEST_CASE(rows_of_a_joint_may_have_different_units) {
  Random random(14);
  const ConstraintSet set{Law::cone, {}, {}, 8, {{{-infinity, 0.0, -0.3}, {infinity, infinity, 0.3}}}};
  for (int k = 0; k < 2000; ++k) {
    const Vec3 unit(1.0, 1e-4, 1e4);
    const Mat3 N = random.of_bodies();
    const Vec3 q = random.vector();
    ConstraintSet other = set;
    for (int c = 0; c < 3; ++c) other.joints[0].lower[c] /= unit[c], other.joints[0].upper[c] /= unit[c];
    const Vec3 x = solve_block(set, 0, N, q, Vec3::Zero());
    const Vec3 y = solve_block(other, 0, unit.asDiagonal() * N * unit.asDiagonal(), unit.cwiseProduct(q), Vec3::Zero());
    BOOST_TEST((unit.cwiseProduct(y) - x).norm() <= 1e-10 * (1.0 + x.norm()));
  }
}

BOOST_AUTO_TEST_CASE(diagonal_blocks_give_the_projection_in_their_metric) {
  Random random(15);
  for (const auto& [name, set] : all_sets()) {
    if (set.law == Law::coulomb) continue;
    for (int k = 0; k < 2000; ++k) {
      const double tangential = random.uniform(0.5, 5.0);
      const Vec3 metric(random.uniform(0.5, 5.0), tangential, tangential), x = random.vector();
      const Vec3 solved = solve_block(set, 0, metric.asDiagonal(), -metric.cwiseProduct(x), Vec3::Zero());
      BOOST_TEST((solved - project_in_metric(set[0], x, metric)).norm() <= 1e-13 * (1.0 + x.norm()), name);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_sliding_block_stays_by_coulomb_and_lifts_by_the_convex_law) {
  // N = 1: pressed with 1, pushed with 2, mu = 0.5.
  const Vec3 q(-1.0, 2.0, 0.0);
  const Vec3 coulomb = solve_block({Law::coulomb, {0.5}, {}}, 0, Mat3::Identity(), q, Vec3::Zero());
  BOOST_TEST(coulomb.isApprox(Vec3(1.0, -0.5, 0.0), 1e-14));  // w = (0, 1.5, 0)
  const Vec3 convex = solve_block({Law::cone, {0.5}, {}}, 0, Mat3::Identity(), q, Vec3::Zero());
  BOOST_TEST(convex.isApprox(Vec3(1.6, -0.8, 0.0), 1e-14));  // w = (0.6, 1.2, 0): w_n = mu |w_T|
}

BOOST_AUTO_TEST_CASE(the_residual_of_a_block_is_zero_only_at_its_solution) {
  const ConstraintSet set{Law::coulomb, {0.5}, {}};
  const Vec3 q(-1.0, 2.0, 0.0);
  BOOST_TEST(block_residual(set, 0, Mat3::Identity(), q, {1.0, -0.5, 0.0}) <= 1e-15);
  BOOST_TEST(block_residual(set, 0, Mat3::Identity(), q, {1.6, -0.8, 0.0}) > 0.1);
}
