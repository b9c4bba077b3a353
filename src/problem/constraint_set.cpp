#include "scree/problem/constraint_set.hpp"

#include <algorithm>
#include <cmath>

#include "local_contact.hpp"
#include "scree/parallel/petsc.hpp"
#include "scree/problem/one_contact.hpp"

namespace scree::problem {

using model::Vec3;
using parallel::ReadArray;
using parallel::WriteArray;

LawSet ConstraintSet::all_laws() const {
  LawSet all = exceptions;
  all.insert(law);
  return all;
}

AdmissibleSet ConstraintSet::operator[](int block) const {
  const auto k = static_cast<std::size_t>(block);
  if (is_joint(block)) return AdmissibleSet::intervals(joints[k - friction.size()]);
  switch (law_of(block)) {
    case Law::frictionless:
      return AdmissibleSet::box(0.0);
    case Law::box:
      return AdmissibleSet::box(bound[k]);
    case Law::pyramid:
      return AdmissibleSet::pyramid(friction[k]);
    case Law::prism:
      return AdmissibleSet::prism(bound[k], facets);
    case Law::polyhedral:
      return AdmissibleSet::polyhedral_cone(friction[k], facets);
    case Law::cylinder:
      return AdmissibleSet::cylinder(bound[k]);
    case Law::bilateral:
      return AdmissibleSet::intervals({{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, HUGE_VAL, HUGE_VAL}});
    case Law::cone:
    case Law::coulomb:
      break;
  }
  return AdmissibleSet::cone(friction[k]);
}

namespace {

/// How far impulses of contacts from k on lie outside of their cones, or so near to the mantle that rounding decides;
/// no more than 0 for the others, which most of a warm start are: nothing moves them.
template <typename Real>
Real excess(const Friction::View& friction, int k, const double* x) {
  const Three<Real> impulse = load_three<Real>(x, k);
  const Real radius = coefficient<Real>(friction, k) * impulse.n;
  const Real tangential = impulse.t * impulse.t + impulse.o * impulse.o;
  return larger(tangential - (1.0 - 1e-12) * (radius * radius), -impulse.n);
}

}  // namespace

void ConstraintSet::project(Vec x) const {
  const WriteArray values(x);
  const auto project_block = [&](int k) {
    Eigen::Map<Vec3> block(values.data() + 3 * k);
    block = (*this)[k].project(block);
  };
  const bool has_cones = exceptions.empty() && (law == Law::cone || law == Law::coulomb);
  const int blocks = values.size() / 3, cones = has_cones ? std::min(contact_count(), blocks) : 0;
  for_each_lane(cones, [&]<typename Real>(int k) {
    double outside[lanes_of<Real>];
    store(excess<Real>(friction.view(), k, values.data()), outside);
    for (int l = 0; l < lanes_of<Real>; ++l)
      if (outside[l] > 0.0) project_block(k + l);
  });
  for (int k = cones; k < blocks; ++k) project_block(k);
}

void ConstraintSet::project(Vec x, Vec metric) const {
  const WriteArray values(x);
  const ReadArray scales(metric);
  for (int k = 0; k < values.size() / 3; ++k) {
    Eigen::Map<Vec3> block(values.data() + 3 * k);
    block = project_in_metric((*this)[k], block, Vec3(scales.data() + 3 * k));
  }
}

void ConstraintSet::project_gradient(Vec x, Vec g, Vec y) const {
  const ReadArray at(x), gradient(g);
  const WriteArray out(y);
  for (int k = 0; k < at.size() / 3; ++k) {
    const Eigen::Map<const Vec3> point(at.data() + 3 * k);
    const Vec3 d = -Eigen::Map<const Vec3>(gradient.data() + 3 * k);
    Eigen::Map<Vec3>(out.data() + 3 * k) = -(*this)[k].project_on_tangent_cone(point, d);
  }
}

void ConstraintSet::mark_free(Vec x, Vec free) const {
  const ReadArray at(x);
  const WriteArray mask(free);
  for (int k = 0; k < at.size() / 3; ++k) {
    const AdmissibleSet set = (*this)[k];
    ActiveFace face = set.active_face(Vec3(at.data() + 3 * k));
    if (set.shape() != AdmissibleSet::Shape::rows) face[2] = face[1];
    for (int c = 0; c < 3; ++c) mask[3 * k + c] = face[static_cast<std::size_t>(c)] == 0 ? 1.0 : 0.0;
  }
}

double ConstraintSet::reach(Vec x, Vec g) const {
  const ReadArray at(x), gradient(g);
  double t = HUGE_VAL;
  for (int k = 0; k < at.size() / 3; ++k)
    t = std::min(t, (*this)[k].reach(Vec3(at.data() + 3 * k), -Vec3(gradient.data() + 3 * k)));
  return t;
}

Vec3 ConstraintSet::shifted(int block, const Vec3& w) const {
  if (!obeys_coulomb(block)) return w;
  return {w.x() + friction[static_cast<std::size_t>(block)] * std::hypot(w.y(), w.z()), w.y(), w.z()};
}

}  // namespace scree::problem
