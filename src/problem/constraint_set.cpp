#include "scree/problem/constraint_set.hpp"

#include <algorithm>
#include <cmath>

#include "scree/parallel/petsc.hpp"

namespace scree::problem {

using model::Vec3;
using parallel::ReadArray;
using parallel::WriteArray;

const std::vector<LawInfo>& laws() {
  static const std::vector<LawInfo> all = {
      {Law::frictionless, "frictionless", "normal impulses only"},
      {Law::box, "box", "tangential impulses within bounds that are fixed during a solve"},
      {Law::cone, "cone", "circular friction cone, convex: a sliding contact lifts"},
  };
  return all;
}

std::string_view name_of(Law law) { return std::ranges::find(laws(), law, &LawInfo::law)->name; }

std::optional<Law> law_named(std::string_view name) {
  const auto found = std::ranges::find(laws(), name, &LawInfo::name);
  return found == laws().end() ? std::nullopt : std::optional(found->law);
}

Vec3 project_on_box(const Vec3& x, double bound) {
  return {std::max(0.0, x.x()), std::clamp(x.y(), -bound, bound), std::clamp(x.z(), -bound, bound)};
}

Vec3 project_on_cone(const Vec3& x, double mu) {
  const double tangential = std::hypot(x.y(), x.z());
  if (mu * tangential <= -x.x()) return Vec3::Zero();  // first: without friction 0 <= mu x_n holds below the tip too
  if (tangential <= mu * x.x()) return x;
  const double normal = (x.x() + mu * tangential) / (1.0 + mu * mu);
  const double scale = mu * normal / tangential;
  return {normal, scale * x.y(), scale * x.z()};
}

namespace {

Vec3 project_contact(const ConstraintSet& set, int contact, const Vec3& x) {
  const auto k = static_cast<std::size_t>(contact);
  switch (set.law) {
    case Law::frictionless:
      return {std::max(0.0, x.x()), 0.0, 0.0};
    case Law::box:
      return project_on_box(x, set.bound[k]);
    case Law::cone:
      return project_on_cone(x, set.friction[k]);
  }
  return x;
}

struct Interval {
  double lower, upper;
};

/// The bounds of component c (0: n, 1: t, 2: o) of a contact, for sets that are products of intervals.
Interval bounds_of(const ConstraintSet& set, int contact, int c) {
  if (c == 0) return {0.0, HUGE_VAL};
  if (set.law == Law::frictionless) return {0.0, 0.0};
  const double limit = set.bound[static_cast<std::size_t>(contact)];
  return {-limit, limit};
}

/// The component of a descent direction that does not leave the interval at x.
double keep_inside(double d, double x, Interval interval) {
  if (x <= interval.lower) d = std::max(d, 0.0);
  if (x >= interval.upper) d = std::min(d, 0.0);
  return d;
}

/// Projection of d onto the tangent cone of the friction cone at x.
Vec3 project_on_tangent_cone(const Vec3& d, const Vec3& x, double mu) {
  const double tangential = std::hypot(x.y(), x.z());
  if (x.x() <= 0.0) return project_on_cone(d, mu);  // at the tip the tangent cone is the cone itself
  if (mu == 0.0) return {d.x(), 0.0, 0.0};
  if (tangential < mu * x.x() * (1.0 - 1e-14)) return d;
  const Vec3 outward = Vec3(-mu, x.y() / tangential, x.z() / tangential) / std::sqrt(1.0 + mu * mu);
  return d - std::max(0.0, outward.dot(d)) * outward;
}

}  // namespace

void ConstraintSet::project(Vec x) const {
  const WriteArray values(x);
  for (int k = 0; k < values.size() / 3; ++k) {
    Eigen::Map<Vec3> block(values.data() + 3 * k);
    block = project_contact(*this, k, block);
  }
}

void ConstraintSet::project_gradient(Vec x, Vec g, Vec y) const {
  const ReadArray at(x), gradient(g);
  const WriteArray out(y);
  for (int k = 0; k < at.size() / 3; ++k) {
    const Eigen::Map<const Vec3> point(at.data() + 3 * k);
    const Vec3 d = -Eigen::Map<const Vec3>(gradient.data() + 3 * k);
    Vec3 kept;
    if (law == Law::cone) {
      kept = project_on_tangent_cone(d, point, friction[static_cast<std::size_t>(k)]);
    } else {
      for (int c = 0; c < 3; ++c) kept[c] = keep_inside(d[c], point[c], bounds_of(*this, k, c));
    }
    Eigen::Map<Vec3>(out.data() + 3 * k) = -kept;
  }
}

void ConstraintSet::mark_free(Vec x, Vec free) const {
  const ReadArray at(x);
  const WriteArray mask(free);
  for (int k = 0; k < at.size(); ++k) {
    const Interval interval = bounds_of(*this, k / 3, k % 3);
    mask[k] = at[k] > interval.lower && at[k] < interval.upper ? 1.0 : 0.0;
  }
}

}  // namespace scree::problem
