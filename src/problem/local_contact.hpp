#pragma once

#include <algorithm>
#include <cmath>

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
  const double* friction;

  /// With c = x - N_kk^-1 w, the nearest point of the cone in the metric of N_kk lies on c itself, at the tip, or on
  /// the mantle in the plane of c: x_n = (N_nn c_n + mu N_tt |c_T|) / (N_nn + mu^2 N_tt).
  void operator()(int k, double inverse_normal, double inverse_tangential, const double* w, double* x) const {
    const double mu = friction[k];
    const double normal = x[0] - inverse_normal * w[0];
    const double t = x[1] - inverse_tangential * w[1];
    const double o = x[2] - inverse_tangential * w[2];
    const double tangential = std::sqrt(t * t + o * o);
    if (tangential <= mu * normal) {
      x[0] = normal, x[1] = t, x[2] = o;
      return;
    }
    const double on_mantle = inverse_tangential * normal + mu * inverse_normal * tangential;
    x[0] = std::max(0.0, on_mantle / (inverse_tangential + mu * mu * inverse_normal));
    const double scale = tangential > 0.0 ? mu * x[0] / tangential : 0.0;
    x[1] = scale * t;
    x[2] = scale * o;
  }
};

}  // namespace scree::problem
