#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "scree/model/lanes.hpp"
#include "scree/problem/constraint_set.hpp"
#include "scree/problem/relaxation.hpp"

// One contact's own problem: min 1/2 x.N_kk x - p.x over its set, all other impulses fixed. Contacts of spheres have
// the diagonal block N_kk = diag(N_nn, N_tt, N_tt), which makes the exact solution a projection in that metric. Each
// law below says it for the contact k, or for as many contacts as a Real has lanes. p has the scale of N x,
// so that signs decide before anything is divided.

namespace scree::problem {

using namespace lanes;  // this header is for the sources of the layer only

/// N_kk of a contact of spheres (1/kg).
template <typename Real>
struct Diagonal {
  Real normal, tangential;
};

template <typename Real, typename Index>
inline Real coefficient(const Friction::View& friction, const Index& k) {
  return friction.is_uniform ? Real{} + *friction.values : load_one<Real>(friction.values, k);
}

/// x_n and the nearest point of a disc to p_T / N_tt.
struct LocalDisc {
  static constexpr double smallest = 1e-150;  ///< keeps divisions defined; far below any velocity (m/s)

  template <typename Real>
  static Three<Real> solve(const Real& radius, const Diagonal<Real>& own, const Real& normal, const Three<Real>& p) {
    const Real length = larger(root(p.t * p.t + p.o * p.o), Real{} + smallest);
    const Real limit = radius * own.tangential;
    const Real scale = smaller(length, limit) / (own.tangential * length);
    return {normal, scale * p.t, scale * p.o};
  }
};

struct LocalFrictionless {
  template <typename Real, typename Index>
  Three<Real> operator()(const Index&, const Diagonal<Real>& own, const Three<Real>& p) const {
    return {larger(Real{}, p.n / own.normal), Real{}, Real{}};
  }
};

struct LocalBox {
  const double* bound;

  template <typename Real, typename Index>
  Three<Real> operator()(const Index& k, const Diagonal<Real>& own, const Three<Real>& p) const {
    const Real most = load_one<Real>(bound, k), inverse = 1.0 / (own.normal * own.tangential);
    const Real tangential = inverse * own.normal;
    return {larger(Real{}, p.n * (inverse * own.tangential)), smaller(larger(tangential * p.t, -most), most),
            smaller(larger(tangential * p.o, -most), most)};
  }
};

struct LocalCone {
  Friction::View friction;

  /// The nearest point of the cone to c = N_kk^-1 p in the metric of N_kk is c itself, or lies in the plane of c on the
  /// mantle at x_n = (p_n + mu |p_T|) / (N_nn + mu^2 N_tt), or is the tip. The cases need no branch, which would cost
  /// more than all of them, for contacts stick, slide and part in no order that a processor could foresee. Nothing is
  /// divided by what waits for the root but p_T itself, which can be done while x_n is found.
  template <typename Real, typename Index>
  Three<Real> operator()(const Index& k, const Diagonal<Real>& own, const Three<Real>& p) const {
    const Real mu = coefficient<Real>(friction, k);
    const Real tangential = root(p.t * p.t + p.o * p.o), length = larger(tangential, Real{} + LocalDisc::smallest);
    const auto slides = mu * p.n * own.tangential < length * own.normal;
    const Real per_mantle = 1.0 / (own.normal + mu * mu * own.tangential);
    const Real sliding = larger(Real{}, (p.n + mu * tangential) * per_mantle);
    const Real normal = slides ? sliding : larger(Real{}, p.n / own.normal);
    const Real scale = slides ? sliding * (mu / length) : 1.0 / own.tangential;
    return {normal, scale * p.t, scale * p.o};
  }
};

struct LocalCylinder {
  const double* bound;

  template <typename Real, typename Index>
  Three<Real> operator()(const Index& k, const Diagonal<Real>& own, const Three<Real>& p) const {
    return LocalDisc::solve(load_one<Real>(bound, k), own, larger(Real{}, p.n / own.normal), p);
  }
};

/// Without coupling in the block a sliding contact that stays has w_n = 0 whatever its friction does: x_n comes first,
/// and then x_T on the disc of radius mu x_n.
struct LocalCoulomb {
  Friction::View friction;

  template <typename Real, typename Index>
  Three<Real> operator()(const Index& k, const Diagonal<Real>& own, const Three<Real>& p) const {
    const Real normal = larger(Real{}, p.n / own.normal);
    return LocalDisc::solve(coefficient<Real>(friction, k) * normal, own, normal, p);
  }
};

/// Any convex law, at the price of finding the contact's set.
struct LocalConvex {
  const ConstraintSet& set;

  Three<double> operator()(int k, const Diagonal<double>& own, const Three<double>& p) const {
    const model::Vec3 c(p.n / own.normal, p.t / own.tangential, p.o / own.tangential);
    const model::Vec3 x = set[k].project_isotropic(c, own.normal, own.tangential);
    return {x[0], x[1], x[2]};
  }
};

/// Laws that differ from contact to contact.
struct LocalMixed {
  const ConstraintSet& set;

  Three<double> operator()(int k, const Diagonal<double>& own, const Three<double>& p) const {
    if (set.law_of(k) == Law::coulomb) return LocalCoulomb{set.friction.view()}(k, own, p);
    return LocalConvex{set}(k, own, p);
  }
};

/// Calls `use` with what solves the own problems of all contacts, whatever their law.
template <typename Use>
void with_local(const ConstraintSet& set, Law law, Use&& use) {
  switch (law) {
    case Law::frictionless:
      return use(LocalFrictionless{});
    case Law::box:
      return use(LocalBox{set.bound.data()});
    case Law::cone:
      return use(LocalCone{set.friction.view()});
    case Law::cylinder:
      return use(LocalCylinder{set.bound.data()});
    case Law::coulomb:
      return use(LocalCoulomb{set.friction.view()});
    case Law::pyramid:
    case Law::prism:
    case Law::polyhedral:
    case Law::bilateral:
      return use(LocalConvex{set});
  }
}

/// Calls `use` with the projection on the sets of contacts: what solves a problem whose block is the identity.
template <typename Use>
void with_projection(const ConstraintSet& set, Use&& use) {
  if (!set.exceptions.empty()) return use(LocalConvex{set});
  with_local(set, set.law == Law::coulomb ? Law::cone : set.law, use);
}

/// What `local` makes of each lane.
template <typename Real, typename Local, typename Index>
inline Three<Real> solve_own(const Local& local, const Index& k, const Diagonal<Real>& own, const Three<Real>& p,
                             const Three<Real>& start) {
  if constexpr (std::is_invocable_v<Local, Index, Diagonal<Real>, Three<Real>>) {
    return local(k, own, p);
  } else if constexpr (lanes_of<Real> == 1) {
    return local(k, own, p, start);
  } else {
    Three<Real> x;
    for (int l = 0; l < lane_count; ++l) {
      const auto of_lane = [l](const Three<Real>& all) { return Three<double>{all.n[l], all.t[l], all.o[l]}; };
      const auto one =
          solve_own<double>(local, lane_of(k, l), {own.normal[l], own.tangential[l]}, of_lane(p), of_lane(start));
      x.n[l] = one.n, x.t[l] = one.t, x.o[l] = one.o;
    }
    return x;
  }
}
template <typename Real, typename Projection>
inline Three<Real> project(const Projection& projection, int k, const Three<Real>& x) {
  return solve_own<Real>(projection, k, {Real{} + 1.0, Real{} + 1.0}, x, x);
}

/// Any law, as the caller of the sweep wants it.
struct LocalByBlock {
  const ConstraintSet& set;
  const LocalSolver& solve;

  Three<double> operator()(int k, const Diagonal<double>& own, const Three<double>& p,
                           const Three<double>& start) const {
    const model::Mat3 block = model::Vec3(own.normal, own.tangential, own.tangential).asDiagonal();
    const model::Vec3 x = solve(set, k, block, -model::Vec3(p.n, p.t, p.o), model::Vec3(start.n, start.t, start.o));
    return {x[0], x[1], x[2]};
  }
};

}  // namespace scree::problem
