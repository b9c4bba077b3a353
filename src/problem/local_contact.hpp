#pragma once

#include <algorithm>
#include <cmath>

#include "scree/problem/constraint_set.hpp"
#include "scree/problem/relaxation.hpp"

// One contact's own problem: min 1/2 x.N_kk x + ... over its set, all other impulses fixed. Contacts of spheres have
// the diagonal block N_kk = diag(N_nn, N_tt, N_tt), which makes the exact solution a projection in that metric.

namespace scree::problem {

struct LocalBox {
  const double* bound;

  void operator()(int k, double inverse_normal, double inverse_tangential, const double* w, double* x) const {
    x[0] = std::max(0.0, x[0] - inverse_normal * w[0]);
    x[1] = std::clamp(x[1] - inverse_tangential * w[1], -bound[k], bound[k]);
    x[2] = std::clamp(x[2] - inverse_tangential * w[2], -bound[k], bound[k]);
  }
};

struct LocalCone {
  static constexpr double smallest_tangential = 1e-150;  ///< keeps divisions defined; far below any impulse (N s)
  const double* friction;

  /// With c = x - N_kk^-1 w, the nearest point of the cone in the metric of N_kk is c itself, or lies in the plane of c
  /// on the mantle at x_n = (N_nn c_n + mu N_tt |c_T|) / (N_nn + mu^2 N_tt), or is the tip. That x_n is a mean of c_n
  /// and |c_T| / mu, so it exceeds c_n exactly when c is outside: the cases need no branch, which would cost more than
  /// both, for contacts stick, slide and part in no order that a processor could foresee.
  void operator()(int k, double inverse_normal, double inverse_tangential, const double* w, double* x) const {
    const double mu = friction[k];
    const double normal = x[0] - inverse_normal * w[0];
    const double t = x[1] - inverse_tangential * w[1];
    const double o = x[2] - inverse_tangential * w[2];
    const double tangential = std::sqrt(t * t + o * o);
    const double on_mantle = (inverse_tangential * normal + mu * inverse_normal * tangential) /
                             (inverse_tangential + mu * mu * inverse_normal);
    x[0] = std::max(0.0, std::max(normal, on_mantle));
    const double scale = std::min(1.0, mu * x[0] / std::max(tangential, smallest_tangential));
    x[1] = scale * t;
    x[2] = scale * o;
  }
};

struct LocalCylinder {
  const double* bound;

  void operator()(int k, double inverse_normal, double inverse_tangential, const double* w, double* x) const {
    x[0] = std::max(0.0, x[0] - inverse_normal * w[0]);
    cut_off(bound[k], x[1] - inverse_tangential * w[1], x[2] - inverse_tangential * w[2], x);
  }

  /// (x_t, x_o) <- the nearest point of the disc.
  static void cut_off(double radius, double t, double o, double* x) {
    const double tangential = std::max(std::sqrt(t * t + o * o), LocalCone::smallest_tangential);
    const double scale = std::min(1.0, radius / tangential);
    x[1] = scale * t;
    x[2] = scale * o;
  }
};

/// Without coupling in the block a sliding contact that stays has w_n = 0 whatever its friction does: x_n comes first,
/// and then x_T on the disc of radius mu x_n.
struct LocalCoulomb {
  const double* friction;

  void operator()(int k, double inverse_normal, double inverse_tangential, const double* w, double* x) const {
    x[0] = std::max(0.0, x[0] - inverse_normal * w[0]);
    LocalCylinder::cut_off(friction[k] * x[0], x[1] - inverse_tangential * w[1], x[2] - inverse_tangential * w[2], x);
  }
};

/// Any convex law, at the price of finding the contact's set.
struct LocalConvex {
  const ConstraintSet& set;

  void operator()(int k, double inverse_normal, double inverse_tangential, const double* w, double* x) const {
    const model::Vec3 c(x[0] - inverse_normal * w[0], x[1] - inverse_tangential * w[1],
                        x[2] - inverse_tangential * w[2]);
    Eigen::Map<model::Vec3>{x} = set[k].project_isotropic(c, inverse_tangential, inverse_normal);
  }
};

/// Laws that differ from contact to contact.
struct LocalMixed {
  const ConstraintSet& set;

  void operator()(int k, double inverse_normal, double inverse_tangential, const double* w, double* x) const {
    if (set.law_of(k) == Law::coulomb)
      LocalCoulomb{set.friction.data()}(k, inverse_normal, inverse_tangential, w, x);
    else
      LocalConvex{set}(k, inverse_normal, inverse_tangential, w, x);
  }
};

/// Any law, as the caller of the sweep wants it.
struct LocalByBlock {
  const ConstraintSet& set;
  const LocalSolver& solve;

  void operator()(int k, double inverse_normal, double inverse_tangential, const double* w, double* x) const {
    const model::Vec3 own(1.0 / inverse_normal, 1.0 / inverse_tangential, 1.0 / inverse_tangential);
    Eigen::Map<model::Vec3> impulse(x);
    const model::Vec3 q = Eigen::Map<const model::Vec3>(w) - own.cwiseProduct(impulse);
    impulse = solve(set, k, own.asDiagonal(), q, impulse);
  }
};

}  // namespace scree::problem
