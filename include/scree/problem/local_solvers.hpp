#pragma once

#include <string_view>
#include <vector>

#include "scree/problem/relaxation.hpp"

namespace scree::problem {

/// Solvers of one block's own problem, for sweeps (seed 000 section 3.1). All take singular blocks, and joints whatever
/// the law of the contacts is.
struct LocalSolverInfo {
  std::string_view name;
  std::string_view description;
  bool (*takes)(Law law);
  model::Vec3 (*solve)(const ConstraintSet& set, int block, const model::Mat3& N, const model::Vec3& q,
                       const model::Vec3& start);
};

/// `enumeration` (all faces of polyhedra), `pivoting`, `newton`, `dissipation`.
[[nodiscard]] const std::vector<LocalSolverInfo>& local_solvers();

/// Rows between bounds by principal pivoting with Murty's least-index rule: of the rows that violate their condition
/// the first changes between free and held at a bound.
[[nodiscard]] model::Vec3 solve_by_pivoting(const ConstraintSet& set, int block, const model::Mat3& N,
                                            const model::Vec3& q, const model::Vec3& start);

/// Generalized Newton on a non-smooth equation: for Coulomb's law that of Alart and Curnier, as in NSCD, else
/// x = P(x - rho w). Where it does not converge, solve_block.
[[nodiscard]] model::Vec3 solve_by_newton(const ConstraintSet& set, int block, const model::Mat3& N,
                                          const model::Vec3& q, const model::Vec3& start);

/// The normal impulse for given friction, then the friction of maximum dissipation on the disc of radius mu x_n
/// (Coulomb) or of fixed radius (cylinder): one step of relaxation, exact if N_nt = N_no = 0.
[[nodiscard]] model::Vec3 relax_by_dissipation(const ConstraintSet& set, int block, const model::Mat3& N,
                                               const model::Vec3& q, const model::Vec3& start);

/// argmin 1/2 x.A x + x.b over |x| <= r by Newton in the polar angle (seed 000 eq. 14-16).
[[nodiscard]] Eigen::Vector2d dissipate_on_disc(const Eigen::Matrix2d& A, const Eigen::Vector2d& b, double r);

/// The rows of a block relaxed one after another, each cut off at its bounds (seed 002 algorithms 2.1 and 2.2; seed 004
/// algorithm 4.1, with omega). By Coulomb's law the friction bounds follow x_n (seed 002 eq. 36), and the disc takes
/// both rows of friction at once. For frictionless, box and coulomb.
[[nodiscard]] model::Vec3 relax_rows(const ConstraintSet& set, int block, const model::Mat3& N, const model::Vec3& q,
                                     const model::Vec3& start, double omega);

}  // namespace scree::problem
