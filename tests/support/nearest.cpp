#include "support/nearest.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace scree::test {

namespace {

/// Of all candidates the nearest.
template <typename Point>
struct Nearest {
  Point target;
  Point best;
  double distance = HUGE_VAL;
  void offer(const Point& candidate) {
    const double d = (candidate - target).norm();
    if (d < distance) distance = d, best = candidate;
  }
};

/// Radius of the section of contact k; mu where it grows.
double section_size(const problem::ConstraintSet& set, int k) {
  if (set.law_of(k) == problem::Law::frictionless) return 0.0;
  return is_cone_shaped(set.law_of(k)) ? set.friction[static_cast<std::size_t>(k)]
                                       : set.bound[static_cast<std::size_t>(k)];
}

/// The nearest point of the cone of these rays: on the tip, a ray, or between two neighbouring rays; or x is inside.
model::Vec3 nearest_in_rays(const model::Vec3& x, const std::vector<model::Vec3>& rays) {
  Nearest<model::Vec3> nearest{x, model::Vec3::Zero()};
  nearest.offer(model::Vec3::Zero());
  bool inside = true;
  for (std::size_t k = 0; k < rays.size(); ++k) {
    const model::Vec3 a = rays[k].normalized(), b = rays[(k + 1) % rays.size()].normalized();
    nearest.offer(std::max(0.0, a.dot(x)) * a);
    const model::Vec3 inward = a.cross(b);
    inside = inside && inward.dot(x) >= 0.0 && inward.norm() > 0.0;
    const double c = a.dot(b), rest = inward.squaredNorm();
    if (rest <= 1e-15) continue;  // rays of a cone without opening
    const double along_a = (a.dot(x) - c * b.dot(x)) / rest, along_b = (b.dot(x) - c * a.dot(x)) / rest;
    if (along_a >= 0.0 && along_b >= 0.0) nearest.offer(along_a * a + along_b * b);
  }
  if (inside) nearest.offer(x);
  return nearest.best;
}

Eigen::Vector2d nearest_in_corners(const Eigen::Vector2d& x, const std::vector<Eigen::Vector2d>& corners) {
  Nearest<Eigen::Vector2d> nearest{x, x};
  bool inside = true;
  for (std::size_t k = 0; k < corners.size(); ++k) {
    const Eigen::Vector2d a = corners[k], edge = corners[(k + 1) % corners.size()] - a;
    const double length = edge.squaredNorm();
    const double share = length > 0.0 ? std::clamp(edge.dot(x - a) / length, 0.0, 1.0) : 0.0;
    nearest.offer(a + share * edge);
    inside = inside && edge.x() * (x - a).y() - edge.y() * (x - a).x() >= 0.0 && length > 0.0;
  }
  if (inside) nearest.offer(x);
  return nearest.best;
}

}  // namespace

std::vector<problem::LawInfo> laws_of_beds() {
  std::vector<problem::LawInfo> list = problem::laws();
  std::erase_if(list, [](const auto& info) { return info.law == problem::Law::bilateral; });
  return list;
}

std::vector<Eigen::Vector2d> section_corners(const problem::ConstraintSet& set, int k) {
  const problem::Law law = set.law_of(k);
  std::vector<Eigen::Vector2d> corners;
  if (law == problem::Law::pyramid || law == problem::Law::box)
    corners = {{1.0, 1.0}, {-1.0, 1.0}, {-1.0, -1.0}, {1.0, -1.0}};
  if (law == problem::Law::prism || law == problem::Law::polyhedral)
    for (int c = 0; c < set.facets; ++c) {
      const double angle = 2.0 * std::numbers::pi * c / set.facets;
      corners.emplace_back(std::cos(angle), std::sin(angle));
    }
  return corners;
}

bool is_cone_shaped(problem::Law law) {
  return law == problem::Law::pyramid || law == problem::Law::polyhedral || law == problem::Law::cone ||
         law == problem::Law::coulomb;
}

bool is_bilateral(const problem::ConstraintSet& set, int k) {
  return k < set.contact_count() && set.law_of(k) == problem::Law::bilateral;
}

model::Vec3 nearest_in_cone(const model::Vec3& x, double mu) {
  const model::Vec3 tangential(0.0, x.y(), x.z());
  if (x.x() >= 0.0 && tangential.norm() <= mu * x.x()) return x;
  const double size = tangential.norm();
  model::Vec3 generator = model::Vec3::UnitX();
  if (size > 0.0) generator += mu / size * tangential;
  generator.normalize();
  return std::max(0.0, generator.dot(x)) * generator;
}

model::Vec3 nearest_admissible(const problem::ConstraintSet& set, int k, const model::Vec3& x,
                               const model::Vec3& metric) {
  if (k >= static_cast<int>(set.friction.size())) {
    const auto& rows = set.joints[static_cast<std::size_t>(k) - set.friction.size()];
    return x.cwiseMax(model::Vec3(rows.lower)).cwiseMin(model::Vec3(rows.upper));
  }
  if (is_bilateral(set, k)) return x;
  const model::Vec3 root = metric.cwiseSqrt();
  const double size = section_size(set, k), normal = std::max(0.0, x.x());
  const auto corners = section_corners(set, k);
  if (is_cone_shaped(set.law_of(k))) {
    if (corners.empty()) {
      const model::Vec3 scaled = nearest_in_cone(x.cwiseProduct(root), size * root[1] / root[0]);
      return scaled.cwiseQuotient(root);
    }
    std::vector<model::Vec3> rays;
    for (const auto& corner : corners)
      rays.push_back(model::Vec3(1.0, size * corner.x(), size * corner.y()).cwiseProduct(root));
    return nearest_in_rays(x.cwiseProduct(root), rays).cwiseQuotient(root);
  }
  const Eigen::Vector2d tangential = x.tail<2>();
  Eigen::Vector2d kept = Eigen::Vector2d::Zero();
  if (set.law_of(k) == problem::Law::cylinder) {
    kept = tangential.norm() <= size ? tangential : Eigen::Vector2d(size * tangential.normalized());
  } else if (size > 0.0) {
    std::vector<Eigen::Vector2d> scaled;
    for (const auto& corner : corners) scaled.push_back(size * corner.cwiseProduct(root.tail<2>()));
    kept = nearest_in_corners(tangential.cwiseProduct(root.tail<2>()), scaled).cwiseQuotient(root.tail<2>());
  }
  return {normal, kept.x(), kept.y()};
}

double excess(const problem::ConstraintSet& set, int k, const model::Vec3& p) {
  if (k >= static_cast<int>(set.friction.size())) return (p - nearest_admissible(set, k, p)).norm();
  if (is_bilateral(set, k)) return 0.0;
  const double size = section_size(set, k), radius = is_cone_shaped(set.law_of(k)) ? size * p.x() : size;
  const auto corners = section_corners(set, k);
  double most = std::max(0.0, -p.x());
  if (corners.empty()) most = std::max(most, p.tail<2>().norm() - radius);
  for (std::size_t c = 0; c < corners.size(); ++c) {
    const Eigen::Vector2d edge = corners[(c + 1) % corners.size()] - corners[c];
    const Eigen::Vector2d outward = Eigen::Vector2d(edge.y(), -edge.x()).normalized();
    most = std::max(most, outward.dot(p.tail<2>()) - radius * outward.dot(corners[c]));
  }
  return most;
}

Optimality optimality(const problem::ConstraintSet& set, int k, const model::Vec3& p, const model::Vec3& g) {
  Optimality result{excess(set, k, p), 0.0};
  const double length = std::max(g.norm(), 1e-300);
  const auto gain = [&](double amount) { result.descent = std::max(result.descent, amount / length); };
  if (k >= static_cast<int>(set.friction.size())) {
    const auto& rows = set.joints[static_cast<std::size_t>(k) - set.friction.size()];
    for (int c = 0; c < 3; ++c)  // at most one unit of p's size away
      for (const double end : {rows.lower[c], rows.upper[c]})
        gain(g[c] * std::clamp(end - p[c], -p.norm() - 1.0, p.norm() + 1.0));
    return result;
  }
  if (is_bilateral(set, k)) {
    gain(g.cwiseAbs().maxCoeff() * (p.norm() + 1.0));
    return result;
  }
  const double size = section_size(set, k), reach = p.norm();
  const auto corners = section_corners(set, k);
  const auto farthest = [&]() {  // of g_T.y over the section of radius 1
    double most = corners.empty() ? g.tail<2>().norm() : -HUGE_VAL;
    for (const auto& corner : corners) most = std::max(most, corner.dot(g.tail<2>()));
    return most;
  };
  if (is_cone_shaped(set.law_of(k))) {
    gain(std::abs(g.dot(p)));                                                                    // y = 0, 2 p
    gain((g.x() + size * farthest()) / std::sqrt(1.0 + size * size) * std::max(reach, 1e-300));  // rays
  } else {
    gain(std::abs(g.x() * p.x()));
    gain(g.x() * reach);
    gain((size > 0.0 ? size * farthest() : 0.0) - g.tail<2>().dot(p.tail<2>()));
  }
  return result;
}

}  // namespace scree::test
