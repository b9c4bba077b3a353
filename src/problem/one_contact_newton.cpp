#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "scree/problem/law_map.hpp"
#include "scree/problem/local_solvers.hpp"
#include "scree/problem/one_contact.hpp"

namespace scree::problem {

using model::Mat3;
using model::Vec3;

namespace {

/// Step lengths that bring impulses and velocities to one scale. Other sets than those of rows and Alart and Curnier's
/// need the same for all rows.
Vec3 step_lengths(bool by_row, bool coulomb, const Mat3& N) {
  const auto inverse = [](double own) { return own > 0.0 ? 1.0 / own : 1.0; };
  if (by_row) return N.diagonal().unaryExpr(inverse);
  if (!coulomb) return Vec3::Constant(inverse(N.diagonal().maxCoeff()));
  const double tangential = inverse(0.5 * (N(1, 1) + N(2, 2)));
  return {inverse(N(0, 0)), tangential, tangential};
}

}  // namespace

Vec3 solve_by_newton(const ConstraintSet& set, int block, const Mat3& N, const Vec3& q, const Vec3& start) {
  const bool coulomb = set.law == Law::coulomb && !set.is_joint(block);
  const AdmissibleSet own = set[block];
  const Vec3 rho = step_lengths(own.shape() == AdmissibleSet::Shape::rows, coulomb, N);
  struct Linearised {  // F(x) = x - P(y), y = x - rho w, with C = P'(y): F' = I - C (I - rho N)
    Vec3 F;
    Mat3 C;
  };
  const auto linearise = [&](const Vec3& x) -> Linearised {
    const LawMap map = law_map(set, block, x - rho.cwiseProduct(N * x + q));
    return {x - map.value, map.derivative};
  };

  constexpr int most_steps = 20, most_halvings = 4;
  constexpr double rounding = 16.0 * std::numeric_limits<double>::epsilon();
  Vec3 x = own.project(start);
  Linearised here = linearise(x);
  for (int step = 0; step < most_steps; ++step) {
    const bool solved = here.F.norm() <= rounding * (x.norm() + rho.cwiseProduct(q).norm());
    const Mat3 J = Mat3::Identity() - here.C * (Mat3::Identity() - rho.asDiagonal() * N);
    const Eigen::PartialPivLU<Mat3> factors(J);
    const bool regular = std::abs(factors.determinant()) > 1e-14;  // rows of J have the scale 1
    if (!regular) {
      if (solved) return own.project(x);
      break;
    }
    const Vec3 d = -factors.solve(here.F);
    double share = 1.0;
    Linearised next = linearise(x + d);
    if (solved && !(next.F.norm() < here.F.norm())) return own.project(x);
    for (int k = 0; k < most_halvings && !(next.F.norm() < here.F.norm()); ++k)
      next = linearise(x + (share *= 0.5) * d);
    x += share * d;  // the shortest, should none be better: a longer search would not leave a cycle either
    here = next;
  }
  return solve_block(set, block, N, q, start);
}

}  // namespace scree::problem
