// ranks: 1
#include "scree/problem/linearised_law.hpp"

#include "support/frozen.hpp"
#include "support/nearest.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using model::Mat3;
using model::Vec3;
using problem::Law;

namespace {

problem::ConstraintSet set_of(Law law) {
  return {law, {0.4}, {0.3}, 8, {{{-0.5, 0.0, -HUGE_VAL}, {0.5, HUGE_VAL, HUGE_VAL}}}};
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_derivative_is_that_of_the_residual) {
  Dice dice(3);
  constexpr double h = 1e-6;
  for (const auto& law : problem::laws())
    for (int block = 0; block < 2; ++block) {
      const problem::ConstraintSet set = set_of(law.law);
      for (int trial = 0; trial < 200; ++trial) {
        const Vec3 x = dice.vector(), y = dice.vector();
        const auto here = linearise_law(set, block, x, y);
        Mat3 differences;  // of P(y) = x - F
        bool smooth = true;
        for (int c = 0; c < 3; ++c) {
          const Vec3 ahead = law_residual(set, block, x, y + h * Vec3::Unit(c));
          const Vec3 behind = law_residual(set, block, x, y - h * Vec3::Unit(c));
          smooth = smooth && (ahead + behind - 2.0 * here.F).norm() < 1e-10;  // no kink between
          differences.col(c) = (behind - ahead) / (2.0 * h);
        }
        BOOST_TEST_CONTEXT(law.name << ", block " << block << ", trial " << trial) {
          BOOST_TEST((here.F - law_residual(set, block, x, y)).norm() == 0.0);
          if (smooth) BOOST_TEST((here.C - differences).norm() <= 1e-6);
        }
      }
    }
}

BOOST_AUTO_TEST_CASE(coulombs_law_holds_exactly_where_the_residual_is_zero) {
  // Sliding with w_n = 0: x_T = -mu x_n w_T / |w_T|. The convex cone asks for w_n = mu |w_T| instead.
  const Vec3 x(2.0, -0.8, 0.0), w(0.0, 0.5, 0.0), lifting(0.2, 0.5, 0.0);
  for (const double rho : {0.1, 1.0, 10.0}) {
    BOOST_TEST(law_residual(set_of(Law::coulomb), 0, x, x - rho * w).norm() <= 1e-15);
    BOOST_TEST(law_residual(set_of(Law::cone), 0, x, x - rho * lifting).norm() <= 1e-15);
    BOOST_TEST(law_residual(set_of(Law::coulomb), 0, x, x - rho * lifting).norm() > 1e-3);
  }
}
