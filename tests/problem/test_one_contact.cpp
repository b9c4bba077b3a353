// ranks: 1
#include "scree/problem/one_contact.hpp"

#include <Eigen/QR>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "support/nearest.hpp"
#include "support/support.hpp"

using scree::model::Mat3;
using scree::model::Vec3;
using scree::problem::block_residual;
using scree::problem::ConstraintSet;
using scree::problem::Law;
using scree::problem::laws;
using scree::problem::project_in_metric;
using scree::problem::RowBounds;
using scree::problem::solve_block;
using namespace scree::test;

namespace {

constexpr double infinity = HUGE_VAL;

class Random {
 public:
  explicit Random(unsigned seed) : random_(seed) {}
  double uniform(double from, double to) { return std::uniform_real_distribution<double>(from, to)(random_); }
  Vec3 vector() { return {normal_(random_), normal_(random_), normal_(random_)}; }
  Mat3 rotation() {
    Mat3 any;
    any << vector(), vector(), vector();
    return Eigen::HouseholderQR<Mat3>(any).householderQ();
  }
  /// Symmetric with eigenvalues 1 to 10^-decades.
  Mat3 positive(double decades) {
    const Mat3 Q = rotation();
    const Vec3 values(1.0, std::pow(10.0, -uniform(0.0, decades)), std::pow(10.0, -decades));
    return Q * values.asDiagonal() * Q.transpose();
  }
  /// The block of a contact of two bodies of any shape: N = sum (1/m + lever arms).
  Mat3 of_bodies() {
    Mat3 N = Mat3::Zero();
    for (int body = 0; body < 2; ++body) {
      const Vec3 arm = vector(), inverse_inertia = Vec3(uniform(0.1, 5.0), uniform(0.1, 5.0), uniform(0.1, 5.0));
      const Mat3 Q = rotation();
      Mat3 cross;
      cross << 0.0, -arm.z(), arm.y(), arm.z(), 0.0, -arm.x(), -arm.y(), arm.x(), 0.0;
      N += uniform(0.1, 2.0) * Mat3::Identity() +
           cross.transpose() * Q * inverse_inertia.asDiagonal() * Q.transpose() * cross;
    }
    return N;
  }

 private:
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
};

struct Worst {
  double outside = 0.0;  ///< of the set, relative to |x|
  double descent = 0.0;  ///< what a better point could gain, relative to the terms of the problem
};

/// Judges x by the conditions of the law alone.
void judge_block(const ConstraintSet& set, const Mat3& N, const Vec3& q, const Vec3& x, Worst& worst) {
  const Vec3 w = N * x + q;
  Vec3 g = -w;
  if (set.law == Law::coulomb && !set.friction.empty()) g.x() -= set.friction[0] * w.tail<2>().norm();
  const Optimality found = optimality(set, 0, x, g);
  const double bound = is_cone_shaped(set.law) || set.bound.empty() ? 0.0 : set.bound[0];
  const double size = x.norm() + bound;
  if (q.isZero(0.0) && x.isZero(0.0)) return;
  if (size == 0.0) {  // at the tip: g must not point into the cone at all
    worst.descent = std::max(worst.descent, nearest_admissible(set, 0, g).norm() / q.norm());
    return;
  }
  worst.outside = std::max(worst.outside, found.outside / size);
  worst.descent = std::max(worst.descent, found.descent * g.norm() / ((q.norm() + N.norm() * x.norm()) * size));
}

struct Named {
  std::string name;
  ConstraintSet set;
};

std::vector<Named> all_sets() {
  std::vector<Named> sets;
  for (const auto& info : laws())
    for (const double size : {0.0, 0.1, 0.8, 3.0}) {
      const std::string name = std::string(info.name) + " " + std::to_string(size);
      sets.push_back({name, {info.law, {size}, {size}, 8}});
    }
  const RowBounds rows[] = {{{-infinity, -infinity, -infinity}, {infinity, infinity, infinity}},
                            {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}},
                            {{-infinity, 0.0, -0.3}, {infinity, infinity, 0.3}},
                            {{-0.5, 0.0, -infinity}, {0.5, 0.0, 0.0}}};
  for (const RowBounds& bounds : rows) sets.push_back({"joint", {Law::coulomb, {}, {}, 8, {bounds}}});
  return sets;
}

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
        Mat3 N = Mat3::Zero();
        for (int r = 0; r < rank; ++r) {
          const Vec3 row = random.vector();
          N += row * row.transpose();
        }
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
