#include "scree/io/fill.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace scree::io {

namespace {

// A region that is a whole number of spacings wide must not lose its last row to rounding.
constexpr double slack = 1e-9;

struct Interval {
  double low, high;
};

Interval range_in_y(const Region& region, double margin) {
  if (const auto* box = std::get_if<model::Box>(&region)) return {box->lower.y() + margin, box->upper.y() - margin};
  const auto& cylinder = std::get<CylinderRegion>(region);
  const double reach = cylinder.radius - margin;
  return {cylinder.bottom.y() - reach, cylinder.bottom.y() + reach};
}

Interval range_in_x(const Region& region, double margin, double y) {
  if (const auto* box = std::get_if<model::Box>(&region)) return {box->lower.x() + margin, box->upper.x() - margin};
  const auto& cylinder = std::get<CylinderRegion>(region);
  const double reach = cylinder.radius - margin;
  const double aside = y - cylinder.bottom.y();
  const double half = std::sqrt(std::max(0.0, reach * reach - aside * aside));
  return {cylinder.bottom.x() - half, cylinder.bottom.x() + half};
}

Interval range_in_z(const Region& region, double margin) {
  if (const auto* box = std::get_if<model::Box>(&region)) return {box->lower.z() + margin, box->upper.z() - margin};
  const auto& cylinder = std::get<CylinderRegion>(region);
  return {cylinder.bottom.z() + margin, cylinder.bottom.z() + cylinder.height - margin};
}

// Points a + k d that lie in an interval: the first k and their number.
struct Steps {
  std::int64_t first, count;
};
Steps steps_within(const Interval& range, double a, double d) {
  const double first = std::ceil((range.low - a) / d - slack);
  const double last = std::floor((range.high - a) / d + slack);
  return {static_cast<std::int64_t>(first), std::max<std::int64_t>(0, static_cast<std::int64_t>(last - first) + 1)};
}

model::Vec3 point_in_unit_ball(model::Draws& draws) {
  const double z = 2.0 * draws.next() - 1.0;
  const double angle = 2.0 * std::numbers::pi * draws.next();
  const double distance = std::cbrt(draws.next());
  const double aside = std::sqrt(1.0 - z * z);
  return distance * model::Vec3(aside * std::cos(angle), aside * std::sin(angle), z);
}

}  // namespace

FillSites::FillSites(const Fill& fill) : count_(fill.count), spacing_(2.0 * fill.radius_max * fill.spacing) {
  const double margin = fill.radius_max * (1.0 + fill.jitter);
  kinds_.push_back(make_layer(fill, margin, 0.0, 0.0));
  rise_ = spacing_;
  if (fill.lattice == Fill::Lattice::hexagonal) {
    // Every second layer lies in the hollows of the one below.
    kinds_.push_back(make_layer(fill, margin, 0.5 * spacing_, spacing_ * std::numbers::sqrt3 / 6.0));
    rise_ = spacing_ * std::sqrt(2.0 / 3.0);
  }
  const Interval height = range_in_z(fill.region, margin);
  bottom_ = height.low;
  layers_ = steps_within(height, bottom_, rise_).count;
}

FillSites::Layer FillSites::make_layer(const Fill& fill, double margin, double offset_x, double offset_y) const {
  Layer layer;
  const bool hexagonal = fill.lattice == Fill::Lattice::hexagonal;
  const double row_distance = hexagonal ? spacing_ * std::numbers::sqrt3 / 2.0 : spacing_;
  const Interval height = range_in_y(fill.region, margin);
  if (height.low > height.high + slack * spacing_) return layer;
  // Boxes are filled from their corner, cylinders around their axis.
  double anchor_x = offset_x, anchor_y = offset_y;
  if (const auto* cylinder = std::get_if<CylinderRegion>(&fill.region)) {
    anchor_x += cylinder->bottom.x();
    anchor_y += cylinder->bottom.y();
  } else {
    anchor_x += range_in_x(fill.region, margin, 0.0).low;
    anchor_y += height.low;
  }
  const Steps rows = steps_within(height, anchor_y, row_distance);
  for (std::int64_t q = rows.first; q < rows.first + rows.count; ++q) {
    const double y = anchor_y + static_cast<double>(q) * row_distance;
    const double start = anchor_x + (hexagonal && q % 2 != 0 ? 0.5 * spacing_ : 0.0);
    const Steps sites = steps_within(range_in_x(fill.region, margin, y), start, spacing_);
    if (sites.count == 0) continue;
    layer.rows.push_back({start + static_cast<double>(sites.first) * spacing_, y, layer.sites});
    layer.sites += sites.count;
  }
  return layer;
}

std::int64_t FillSites::capacity() const {
  std::int64_t sites = 0;
  const auto kinds = static_cast<std::int64_t>(kinds_.size());
  for (std::int64_t k = 0; k < kinds; ++k) sites += (layers_ + kinds - 1 - k) / kinds * kinds_[k].sites;
  return sites;
}

model::Vec3 FillSites::operator[](std::int64_t site) const {
  std::int64_t period = 0;
  for (const Layer& layer : kinds_) period += layer.sites;
  std::int64_t layer = site / period * static_cast<std::int64_t>(kinds_.size());
  std::int64_t first = site / period * period;  // of this layer
  for (const Layer& kind : kinds_) {
    if (site < first + kind.sites) break;
    first += kind.sites;
    ++layer;
  }
  const Layer& kind = kinds_[static_cast<std::size_t>(layer) % kinds_.size()];
  std::int64_t place = site - first;
  const std::int64_t used = std::min(kind.sites, count_ - first);
  if (used < kind.sites) {
    place = static_cast<std::int64_t>(static_cast<double>(place) * static_cast<double>(kind.sites) /
                                      static_cast<double>(used));
  }
  const auto after = std::upper_bound(kind.rows.begin(), kind.rows.end(), place,
                                      [](std::int64_t value, const Row& row) { return value < row.before; });
  const Row& row = *(after - 1);
  return {row.x + static_cast<double>(place - row.before) * spacing_, row.y,
          bottom_ + static_cast<double>(layer) * rise_};
}

model::Body make_fill_body(const Fill& fill, const model::Vec3& site, const FillContext& context, int fill_number,
                           std::int64_t index, std::int64_t id) {
  model::Draws draws{context.seed, static_cast<std::uint64_t>(fill_number), static_cast<std::uint64_t>(index)};
  const double radius = model::random_radius(fill, draws);
  const model::Vec3 shift = fill.jitter * fill.radius_max * point_in_unit_ball(draws);
  return model::make_body(fill, context.shapes, id, site + shift, radius, draws);
}

}  // namespace scree::io
