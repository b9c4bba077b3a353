#include "scree/problem/local_solvers.hpp"

#include <algorithm>

#include "scree/problem/one_contact.hpp"

namespace scree::problem {

using model::Mat3;
using model::Vec3;

namespace {

bool has_rows(Law law) { return law == Law::frictionless || law == Law::box || law == Law::bilateral; }
bool is_polyhedral(Law law) {
  return has_rows(law) || law == Law::pyramid || law == Law::prism || law == Law::polyhedral;
}

}  // namespace

const std::vector<LocalSolverInfo>& local_solvers() {
  static const std::vector<LocalSolverInfo> all = {
      {"enumeration", "all faces of a polyhedron, in turn", is_polyhedral, solve_block},
      {"pivoting", "principal pivoting with Murty's least-index rule, for bounds", has_rows, solve_by_pivoting},
      {"newton", "generalized Newton (Alart and Curnier's for Coulomb's law)", [](Law) { return true; },
       solve_by_newton},
      {"dissipation", "normal impulse, then maximum dissipation on the disc by Newton in the polar angle",
       [](Law law) { return law == Law::cylinder || law == Law::coulomb || law == Law::bilateral; },
       relax_by_dissipation},
  };
  return all;
}

Vec3 relax_rows(const ConstraintSet& set, int block, const Mat3& N, const Vec3& q, const Vec3& start, double omega) {
  Vec3 x = start;
  const auto step = [&](int c, double own) { return own > 0.0 ? x[c] - omega / own * (q[c] + N.row(c).dot(x)) : x[c]; };
  if (set.obeys_coulomb(block)) {
    x[0] = std::max(0.0, step(0, N(0, 0)));
    // One step length for both rows: only then what the disc leaves alone is a solution.
    const double own = std::max(N(1, 1), N(2, 2));
    const Eigen::Vector2d friction(step(1, own), step(2, own));
    const double bound = set.friction[static_cast<std::size_t>(block)] * x[0], size = friction.norm();
    x.tail<2>() = size > bound ? Eigen::Vector2d(bound / size * friction) : friction;
    return x;
  }
  const RowBounds rows = set[block].rows();
  for (int c = 0; c < 3; ++c) x[c] = std::clamp(step(c, N(c, c)), rows.lower[c], rows.upper[c]);
  return x;
}

}  // namespace scree::problem
