// Each solver of one block on the laws that it takes, judged by the conditions of the law alone; on blocks of bodies,
// stiff and singular ones.
// ranks: 1
#include "scree/problem/local_solvers.hpp"

#include <algorithm>
#include <numbers>

#include "scree/problem/one_contact.hpp"
#include "support/one_block.hpp"
#include "support/support.hpp"

using namespace scree::test;
using scree::problem::dissipate_on_disc;
using scree::problem::local_solvers;
using scree::problem::LocalSolverInfo;
using scree::problem::relax_by_dissipation;
using scree::problem::relax_rows;
using scree::problem::solve_block;
using Vec2 = Eigen::Vector2d;
using Mat2 = Eigen::Matrix2d;

namespace {

/// Those that solve a block's problem in one go: dissipation takes friction by itself and is a step only.
std::vector<LocalSolverInfo> exact_solvers() {
  std::vector<LocalSolverInfo> exact = local_solvers();
  std::erase_if(exact, [](const LocalSolverInfo& info) { return info.name == "dissipation"; });
  return exact;
}

/// All sets that a solver takes; the joints among them whatever it is.
std::vector<Named> sets_of(const LocalSolverInfo& solver) {
  std::vector<Named> sets = all_sets();
  for (Named& named : sets)
    if (named.set.is_joint(0)) named.set.law = Law::box;
  std::erase_if(sets, [&](const Named& named) { return !named.set.is_joint(0) && !solver.takes(named.set.law); });
  return sets;
}

template <typename Problem>
void check_exact(const char* kind, int samples, double tolerance, Problem&& problem) {
  for (const LocalSolverInfo& solver : exact_solvers())
    for (const auto& [name, set] : sets_of(solver)) {
      Random random(21);
      Worst worst;
      for (int k = 0; k < samples; ++k) {
        const auto [N, q] = problem(random, set);
        const Vec3 start = k % 3 == 0 || q.isZero(0.0) ? Vec3::Zero() : set[0].project(random.vector());
        judge_block(set, N, q, solver.solve(set, 0, N, q, start), worst);
      }
      BOOST_TEST(worst.outside <= 1e-14, solver.name << ", " << kind << ", " << name << ": outside " << worst.outside);
      BOOST_TEST(worst.descent <= tolerance, solver.name << ", " << kind << ", " << name << ": " << worst.descent);
    }
}

/// The least of f on a disc by a fine search over the rim, sharpened, and the point inside.
Vec2 search_disc(const Mat2& A, const Vec2& b, double r) {
  const auto f = [&](const Vec2& x) { return 0.5 * x.dot(A * x) + x.dot(b); };
  const auto rim = [r](double angle) { return Vec2(r * Vec2(std::cos(angle), std::sin(angle))); };
  Vec2 best = Vec2::Zero();
  const double size = A.norm();
  if (A.determinant() > 1e-10 * size * size) {
    const Vec2 inside = A.ldlt().solve(-b);
    if (inside.norm() <= r) return inside;
  }
  double at = 0.0, width = std::numbers::pi;
  for (int level = 0; level < 30; ++level, width *= 0.1) {
    double better = at;
    for (int k = -40; k <= 40; ++k)
      if (f(rim(at + width * k / 40)) < f(rim(better))) better = at + width * k / 40;
    at = better;
  }
  best = rim(at);
  return best;
}

}  // namespace

BOOST_AUTO_TEST_CASE(blocks_of_bodies_are_solved_to_rounding) {
  check_exact("bodies", 5000, 1e-13,
              [](Random& random, const ConstraintSet&) { return std::pair(random.of_bodies(), random.vector()); });
}

BOOST_AUTO_TEST_CASE(stiff_blocks_are_solved_nearly_to_rounding) {
  check_exact("condition 1e3", 3000, 1e-12,
              [](Random& random, const ConstraintSet&) { return std::pair(random.positive(3.0), random.vector()); });
}

BOOST_AUTO_TEST_CASE(singular_blocks_are_solved_where_there_is_a_solution) {
  for (const int rank : {1, 2})
    check_exact("singular", 2000, 1e-9, [rank](Random& random, const ConstraintSet& set) {
      const Mat3 N = random.singular(rank);
      return std::pair(N, Vec3(-N * set[0].project(random.vector())));  // a solution with w = 0
    });
}

BOOST_AUTO_TEST_CASE(large_friction_is_no_obstacle) {
  const auto newton = std::ranges::find(local_solvers(), "newton", &LocalSolverInfo::name);
  for (const double mu : {0.0, 10.0, 1e3})
    for (const Law law : {Law::cone, Law::coulomb, Law::polyhedral}) {
      Random random(22);
      const ConstraintSet set{law, {mu}, {}};
      Worst worst;
      for (int k = 0; k < 2000; ++k) {
        const Vec3 N(random.uniform(0.5, 5.0), 3.5, 3.5), q = random.vector();
        judge_block(set, N.asDiagonal(), q, newton->solve(set, 0, N.asDiagonal(), q, Vec3::Zero()), worst);
      }
      BOOST_TEST(worst.outside <= 1e-14, name_of(law) << ", mu " << mu << ": outside " << worst.outside);
      BOOST_TEST(worst.descent <= 1e-11, name_of(law) << ", mu " << mu << ": " << worst.descent);
    }
}

BOOST_AUTO_TEST_CASE(newton_in_the_polar_angle_finds_the_point_of_maximum_dissipation) {
  Random random(23);
  double worst = 0.0;
  for (int k = 0; k < 3000; ++k) {
    const Mat3 N = k % 4 == 0 ? random.singular(2) : k % 4 == 1 ? random.positive(4.0) : random.of_bodies();
    Mat2 A = N.bottomRightCorner<2, 2>();
    if (k % 20 == 0) A = random.uniform(0.1, 2.0) * Mat2::Identity();
    if (k % 20 == 4) A = Vec2(1.0, 2.0) * Vec2(1.0, 2.0).transpose();
    const Vec2 b = random.vector().head<2>();
    const double r = std::pow(10.0, random.uniform(-3.0, 1.0));
    const Vec2 x = dissipate_on_disc(A, b, r), reference = search_disc(A, b, r);
    const auto f = [&](const Vec2& y) { return 0.5 * y.dot(A * y) + y.dot(b); };
    BOOST_TEST(x.norm() <= r * (1.0 + 1e-14));
    worst = std::max(worst, (f(x) - f(reference)) / (A.norm() * r * r + b.norm() * r));
  }
  BOOST_TEST(worst <= 1e-14);
  BOOST_TEST(dissipate_on_disc(Mat2::Identity(), {3.0, 4.0}, 0.0).norm() == 0.0);
  BOOST_TEST(dissipate_on_disc(Mat2::Identity(), {0.0, 0.0}, 1.0).norm() == 0.0);
  BOOST_TEST((dissipate_on_disc(Mat2::Zero(), {3.0, 4.0}, 1.0) - Vec2(-0.6, -0.8)).norm() <= 1e-15);
}

BOOST_AUTO_TEST_CASE(steps_end_at_a_solution) {
  // Dissipation and the relaxation of rows, repeated on one block.
  Random random(24);
  for (const Law law : {Law::cylinder, Law::coulomb, Law::frictionless, Law::box})
    for (const double size : {0.0, 0.1, 0.4}) {
      const ConstraintSet set{law, {size}, {size}};
      const bool disc = law == Law::cylinder || law == Law::coulomb;
      Worst dissipated, relaxed;
      for (int k = 0; k < 300; ++k) {
        const Mat3 N = random.of_bodies();
        const Vec3 q = random.vector();
        Vec3 x = Vec3::Zero(), y = Vec3::Zero();
        for (int step = 0; step < 1500; ++step) {
          if (disc) x = relax_by_dissipation(set, 0, N, q, x);
          if (law != Law::cylinder) y = relax_rows(set, 0, N, q, y, 1.0);
        }
        if (disc) judge_block(set, N, q, x, dissipated);
        if (law != Law::cylinder) judge_block(set, N, q, y, relaxed);
      }
      BOOST_TEST(std::max(dissipated.outside, relaxed.outside) <= 1e-14, name_of(law) << " " << size);
      BOOST_TEST(dissipated.descent <= 1e-12, name_of(law) << " " << size << ": " << dissipated.descent);
      BOOST_TEST(relaxed.descent <= 1e-12, name_of(law) << " " << size << ": " << relaxed.descent);
    }
}

BOOST_AUTO_TEST_CASE(rows_are_relaxed_one_after_another) {
  const ConstraintSet set{Law::box, {0.3}, {10.0}};
  Mat3 N;
  N << 2.0, 1.0, 0.0, 1.0, 4.0, 0.5, 0.0, 0.5, 4.0;
  const Vec3 q(-2.0, 1.0, 8.0);
  // x_n = 1, then x_t = -(1 + 1) / 4, then x_o = -(8 - 0.25) / 4; omega takes its share of each.
  BOOST_TEST((relax_rows(set, 0, N, q, Vec3::Zero(), 1.0) - Vec3(1.0, -0.5, -1.9375)).norm() <= 1e-15);
  BOOST_TEST((relax_rows(set, 0, N, q, Vec3::Zero(), 0.5) - Vec3(0.5, -0.1875, -0.98828125)).norm() <= 1e-15);
  // A row without mass behind it stays.
  N.row(2).setZero();
  BOOST_TEST(relax_rows(set, 0, N, q, {0.0, 0.0, 3.0}, 1.0)[2] == 3.0);
}
