#include "scree/model/region.hpp"

#include <cmath>
#include <numbers>

namespace scree::model {

Box bounds_of(const Region& region) {
  if (const auto* box = std::get_if<Box>(&region)) return *box;
  const auto& cylinder = std::get<CylinderRegion>(region);
  const Vec3 aside(cylinder.radius, cylinder.radius, 0.0);
  return {cylinder.bottom - aside, cylinder.bottom + aside + Vec3(0.0, 0.0, cylinder.height)};
}

double volume_of(const Region& region) {
  if (const auto* box = std::get_if<Box>(&region)) return (box->upper - box->lower).prod();
  const auto& cylinder = std::get<CylinderRegion>(region);
  return std::numbers::pi * cylinder.radius * cylinder.radius * cylinder.height;
}

bool holds(const Region& region, const Vec3& centre, double radius) {
  const Box bounds = bounds_of(region);
  if (!Box{bounds.lower.array() + radius, bounds.upper.array() - radius}.contains(centre)) return false;
  const auto* cylinder = std::get_if<CylinderRegion>(&region);
  return cylinder == nullptr || (centre - cylinder->bottom).head<2>().norm() <= cylinder->radius - radius;
}

Vec3 random_centre(const Region& region, double radius, Draws& draws) {
  const Box bounds = bounds_of(region);
  Vec3 share;
  for (double& part : share) part = draws.next();
  const Vec3 room = (bounds.upper - bounds.lower).array() - 2.0 * radius;
  Vec3 centre = bounds.lower + Vec3::Constant(radius) + share.cwiseProduct(room);
  if (const auto* cylinder = std::get_if<CylinderRegion>(&region)) {
    const double distance = (cylinder->radius - radius) * std::sqrt(share.x());
    const double angle = 2.0 * std::numbers::pi * share.y();
    centre.x() = cylinder->bottom.x() + distance * std::cos(angle);
    centre.y() = cylinder->bottom.y() + distance * std::sin(angle);
  }
  return centre;
}

}  // namespace scree::model
