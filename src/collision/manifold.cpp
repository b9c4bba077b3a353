#include "scree/collision/manifold.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace scree::collision {

using model::Bodies;
using model::Capsule;
using model::Cuboid;
using model::Cylinder;
using model::Hull;
using model::Vec3;

Placed placed(const Bodies& bodies, int index) {
  const auto k = static_cast<std::size_t>(index);
  return {bodies.shape[k] == model::sphere ? nullptr : &bodies.shape_of(index), bodies.radius[k], bodies.position[k],
          bodies.attitude[k].toRotationMatrix()};
}

Placed placed(const model::Body& body, const std::vector<model::Shape>& shapes) {
  const bool is_sphere = body.shape == model::sphere;
  return {is_sphere ? nullptr : &shapes[static_cast<std::size_t>(body.shape)], body.radius, Vec3(body.position),
          model::Quat(body.attitude).toRotationMatrix()};
}

Placed placed(const model::Part& part, const model::Pose& where) {
  const model::Pose pose = where.outwards(part.pose);
  return {part.shape.get(), part.radius, pose.position, pose.turn};
}

namespace {

constexpr int rim_points = 8;

/// Points of the rim of a cylinder's end at height z, the first in the direction that the end is tilted to. Where the
/// tilt is too slight to tell, the first lies on the x axis, so that points stay where they are.
void append_rim(const Cylinder& cylinder, double z, const Vec3& direction, std::vector<Vec3>& points) {
  constexpr double slight = 1e-3;
  const double tilt = std::hypot(direction.x(), direction.y());
  const double first = tilt > slight ? std::atan2(direction.y(), direction.x()) : 0.0;
  const double turn = (z > 0.0 ? 2.0 : -2.0) * std::numbers::pi / rim_points;  // counter-clockwise from outside
  for (int k = 0; k < rim_points; ++k)
    points.emplace_back(cylinder.radius * std::cos(first + k * turn), cylinder.radius * std::sin(first + k * turn), z);
}

void facing(const Cuboid& cuboid, const Vec3& direction, std::vector<Vec3>& corners) {
  Eigen::Index axis = 0;
  direction.cwiseAbs().maxCoeff(&axis);
  const Eigen::Index next = (axis + 1) % 3, last = (axis + 2) % 3;
  const double side = direction[axis] < 0.0 ? -1.0 : 1.0;
  for (const auto& [u, v] : {std::pair(-1.0, -1.0), std::pair(1.0, -1.0), std::pair(1.0, 1.0), std::pair(-1.0, 1.0)}) {
    Vec3 corner;
    corner[axis] = side * cuboid.half[axis];
    corner[next] = side * u * cuboid.half[next];
    corner[last] = v * cuboid.half[last];
    corners.push_back(corner);
  }
}

void facing(const Capsule& capsule, const Vec3& direction, std::vector<Vec3>& corners) {
  for (const double z : {-capsule.half, capsule.half})
    corners.emplace_back(Vec3(0.0, 0.0, z) + capsule.radius * direction);
}

void facing(const Cylinder& cylinder, const Vec3& direction, std::vector<Vec3>& corners) {
  const double across = std::hypot(direction.x(), direction.y());
  if (std::abs(direction.z()) >= across) {
    append_rim(cylinder, std::copysign(cylinder.half, direction.z()), direction, corners);
    return;
  }
  const double scale = cylinder.radius / across;
  for (const double z : {-cylinder.half, cylinder.half})
    corners.emplace_back(scale * direction.x(), scale * direction.y(), z);
}

/// Twice the area of a polygon, along its normal.
Vec3 area_of(const std::vector<Vec3>& corners) {
  Vec3 area = Vec3::Zero();
  for (std::size_t k = 2; k < corners.size(); ++k) area += (corners[k - 1] - corners[0]).cross(corners[k] - corners[0]);
  return area;
}

void facing(const Hull& hull, const Vec3& direction, std::vector<Vec3>& corners) {
  const std::vector<int>* best = nullptr;
  double most = -std::numeric_limits<double>::infinity();
  for (const std::vector<int>& face : hull.faces) {
    const auto corner = [&](std::size_t k) -> const Vec3& { return hull.vertices[static_cast<std::size_t>(face[k])]; };
    Vec3 area = Vec3::Zero();
    for (std::size_t k = 2; k < face.size(); ++k) area += (corner(k - 1) - corner(0)).cross(corner(k) - corner(0));
    if (const double along = area.dot(direction) / area.norm(); along > most) most = along, best = &face;
  }
  for (const int vertex : *best) corners.push_back(hull.vertices[static_cast<std::size_t>(vertex)]);
}

void facing(const model::Cluster&, const Vec3&, std::vector<Vec3>&) {}  // has no face of its own: its parts have

/// Balls, most of them of no size, such that the one of them that is nearest to a wall is the body's nearest part.
/// `direction` points to the wall.
void append_ends(const Cuboid& cuboid, const Vec3&, std::vector<Vec3>& ends) {
  for (int k = 0; k < 8; ++k)
    ends.push_back(cuboid.half.cwiseProduct(
        Vec3((k & 1) != 0 ? 1.0 : -1.0, (k & 2) != 0 ? 1.0 : -1.0, (k & 4) != 0 ? 1.0 : -1.0)));
}
void append_ends(const Capsule& capsule, const Vec3&, std::vector<Vec3>& ends) {
  for (const double z : {-capsule.half, capsule.half}) ends.emplace_back(0.0, 0.0, z);
}
void append_ends(const Cylinder& cylinder, const Vec3& direction, std::vector<Vec3>& ends) {
  for (const double z : {-cylinder.half, cylinder.half}) append_rim(cylinder, z, direction, ends);
}
void append_ends(const Hull& hull, const Vec3&, std::vector<Vec3>& ends) {
  ends.insert(ends.end(), hull.vertices.begin(), hull.vertices.end());
}

void append_ends(const model::Cluster&, const Vec3&, std::vector<Vec3>&) {}

}  // namespace

void find_facing(const Placed& body, const Vec3& direction, std::vector<Vec3>& corners) {
  corners.clear();
  const Vec3 local = body.turn.transpose() * direction;
  std::visit([&](const auto& form) { facing(form, local, corners); }, body.shape->form);
  for (Vec3& corner : corners) corner = body.to_world(corner);
}

Touch touch_sphere(const Placed& body, const Vec3& centre, double radius) {
  const model::Outside found = model::outside(body.shape->form, body.to_body(centre));
  const Vec3 normal = body.turn * found.normal;
  return {centre - 0.5 * (found.distance + radius) * normal, normal, found.distance - radius};
}

namespace {

void touch_with_part(const Placed& body, const model::Wall& wall, double reach, std::vector<Touch>& touches) {
  const auto add = [&](const Vec3& centre, double radius) {
    const model::WallGap wall_gap = gap_to_wall(wall, centre, radius);
    if (wall_gap.gap <= reach)
      touches.push_back({centre + (radius + 0.5 * wall_gap.gap) * wall_gap.normal, wall_gap.normal, wall_gap.gap});
  };
  if (body.shape == nullptr) return add(body.position, body.radius);
  const Vec3 direction = body.turn.transpose() * gap_to_wall(wall, body.position, 0.0).normal;
  std::vector<Vec3> ends;
  std::visit([&](const auto& form) { append_ends(form, direction, ends); }, body.shape->form);
  const auto* capsule = std::get_if<Capsule>(&body.shape->form);
  for (const Vec3& end : ends) add(body.to_world(end), capsule != nullptr ? capsule->radius : 0.0);
}

}  // namespace

void touch_wall(const Placed& body, const model::Wall& wall, double reach, std::vector<Touch>& touches) {
  for_each_part(body, [&](const Placed& part) { touch_with_part(part, wall, reach, touches); });
}

void keep_spread_out(std::vector<Touch>& touches, std::size_t first, std::size_t count) {
  const auto begin = touches.begin() + static_cast<std::ptrdiff_t>(first);
  if (touches.size() - first <= count) return;
  std::iter_swap(begin, std::ranges::min_element(begin, touches.end(), {}, &Touch::gap));
  for (std::ptrdiff_t kept = 1; kept < static_cast<std::ptrdiff_t>(count); ++kept) {
    const auto distance = [&](const Touch& touch) {
      double least = std::numeric_limits<double>::infinity();
      for (auto t = begin; t != begin + kept; ++t) least = std::min(least, (t->point - touch.point).squaredNorm());
      return least;
    };
    std::iter_swap(begin + kept, std::ranges::max_element(begin + kept, touches.end(), {}, distance));
  }
  touches.resize(first + count);
}

namespace {

/// A touch, seen along the normal.
struct SeenTouch {
  double u, v;
  Touch touch;
};

double turn_at(const SeenTouch& from, const SeenTouch& at, const SeenTouch& to) {
  return (at.u - from.u) * (to.v - from.v) - (at.v - from.v) * (to.u - from.u);
}

/// The corners of the convex hull counter-clockwise, by Andrew's monotone chain: its lower, then its upper half.
std::vector<SeenTouch> hull_of(std::vector<SeenTouch>& seen) {
  std::ranges::sort(seen, {}, [](const SeenTouch& s) { return std::pair(s.u, s.v); });
  std::vector<SeenTouch> hull;
  for (int half = 0; half < 2; ++half) {
    const std::size_t begin = hull.size();
    for (const SeenTouch& next : seen) {
      while (hull.size() >= begin + 2 && turn_at(hull[hull.size() - 2], hull.back(), next) <= 0.0) hull.pop_back();
      hull.push_back(next);
    }
    hull.pop_back();  // begins the other half
    std::ranges::reverse(seen);
  }
  return hull;
}

}  // namespace

void keep_corners(std::vector<Touch>& touches, std::size_t first, double slack) {
  if (touches.size() - first <= 2) return;
  const Vec3 across = touches[first].normal.unitOrthogonal(), along = touches[first].normal.cross(across);
  std::vector<SeenTouch> seen;
  for (std::size_t k = first; k < touches.size(); ++k)
    seen.push_back({across.dot(touches[k].point), along.dot(touches[k].point), touches[k]});
  std::vector<SeenTouch> hull = hull_of(seen);
  for (std::size_t k = 0; k < hull.size() && hull.size() > 2;) {
    const SeenTouch &from = hull[(k + hull.size() - 1) % hull.size()], &at = hull[k], &to = hull[(k + 1) % hull.size()];
    const bool is_between = (at.u - from.u) * (to.u - at.u) + (at.v - from.v) * (to.v - at.v) > 0.0;
    if (is_between && turn_at(from, at, to) <= slack * std::hypot(to.u - from.u, to.v - from.v)) {
      hull.erase(hull.begin() + static_cast<std::ptrdiff_t>(k));
    } else {
      ++k;
    }
  }
  const Touch deepest = std::ranges::min_element(seen, {}, [](const SeenTouch& s) { return s.touch.gap; })->touch;
  touches.resize(first);
  for (const SeenTouch& corner : hull) touches.push_back(corner.touch);
  const auto is_as_deep = [&](const SeenTouch& corner) { return corner.touch.gap <= deepest.gap + slack; };
  if (std::ranges::none_of(hull, is_as_deep)) touches.push_back(deepest);
}

bool Clipper::clip(const Placed& a, const Placed& b, const Vec3& normal, double reach, std::vector<Touch>& touches) {
  find_facing(a, normal, sides_[0].corners);
  find_facing(b, -normal, sides_[1].corners);
  return clip_sides(normal, reach, touches);
}

bool Clipper::clip(const Placed& a, const std::array<Vec3, 3>& triangle, const Vec3& normal, double reach,
                   std::vector<Touch>& touches) {
  find_facing(a, normal, sides_[0].corners);
  sides_[1].corners.assign(triangle.begin(), triangle.end());
  if (area_of(sides_[1].corners).dot(normal) > 0.0) std::swap(sides_[1].corners[1], sides_[1].corners[2]);
  return clip_sides(normal, reach, touches);
}

bool Clipper::clip_sides(Vec3 normal, double reach, std::vector<Touch>& touches) {
  constexpr double same_direction = 1e-9;  // 1 - cos: an angle that rounding explains
  constexpr double seen_from_edge = 1e-2;  // cos
  sides_[0].sign = 1.0;
  sides_[1].sign = -1.0;
  for (Side& side : sides_)
    if (side.is_face()) side.outward = area_of(side.corners).normalized();
  const auto alignment = [&](const Side& side) {
    return side.is_face() ? side.sign * normal.dot(side.outward) : -std::numeric_limits<double>::infinity();
  };
  const bool second = alignment(sides_[1]) > alignment(sides_[0]);
  const Side &reference = sides_[second ? 1 : 0], &other = sides_[second ? 0 : 1];
  if (!reference.is_face()) return clip_lines(normal, touches);
  if (alignment(reference) < seen_from_edge) return false;
  if (1.0 - alignment(reference) < same_direction) normal = reference.sign * reference.outward;
  polygon_ = other.corners;
  cut_by(reference, normal);
  const std::size_t before = touches.size();
  add_touches(reference, normal, reach, touches);
  return touches.size() > before;
}

/// Cuts off what of polygon_ lies beside the reference face, seen along the normal.
void Clipper::cut_by(const Side& reference, const Vec3& normal) {
  const bool closed = polygon_.size() >= 3;
  double size = 0.0;
  for (const Vec3& corner : reference.corners) size = std::max(size, (corner - reference.corners[0]).norm());
  const std::size_t count = reference.corners.size();
  for (std::size_t k = 0; k < count && !polygon_.empty(); ++k) {
    const Vec3& from = reference.corners[k];
    const Vec3 inward = reference.sign * normal.cross(reference.corners[(k + 1) % count] - from);
    if (const double length = inward.norm(); length > 0.0) cut_by_edge(from, inward / length, 1e-9 * size, closed);
  }
}

/// Cuts a polygon, or a line of two points, at a plane.
void Clipper::cut_by_edge(const Vec3& from, const Vec3& inward, double slack, bool closed) {
  cut_.clear();
  const std::size_t count = polygon_.size();
  for (std::size_t k = 0; k < count; ++k) {
    const Vec3& here = polygon_[k];
    const Vec3& next = polygon_[(k + 1) % count];
    const double at_here = inward.dot(here - from), at_next = inward.dot(next - from);
    const bool here_is_in = at_here >= -slack, next_is_in = at_next >= -slack;
    if (here_is_in) cut_.push_back(here);
    if (!closed && k + 1 == count) break;
    if (here_is_in != next_is_in) cut_.emplace_back(here + at_here / (at_here - at_next) * (next - here));
  }
  polygon_.swap(cut_);
}

void Clipper::add_touches(const Side& reference, const Vec3& normal, double reach, std::vector<Touch>& touches) {
  constexpr double same_place = 1e-6;
  const std::size_t first = touches.size();
  const double along = normal.dot(reference.outward);
  double size = 0.0;
  for (const Vec3& corner : reference.corners) size = std::max(size, (corner - reference.corners[0]).norm());
  const double nearest = same_place * size * same_place * size;
  for (const Vec3& corner : polygon_) {
    // From the reference along the normal to the other body, whichever of the two is the first.
    const double gap = reference.sign * reference.outward.dot(corner - reference.corners[0]) / along;
    if (gap > reach) continue;
    const Touch touch{corner - 0.5 * reference.sign * gap * normal, normal, gap};
    const bool known = std::any_of(touches.begin() + static_cast<std::ptrdiff_t>(first), touches.end(),
                                   [&](const Touch& t) { return (t.point - touch.point).squaredNorm() < nearest; });
    if (!known) touches.push_back(touch);
  }
  keep_spread_out(touches, first, most_points);  // more than that the law of mechanics does not need
}

/// Two parallel lines touch along a line; others in one point, which the caller knows.
bool Clipper::clip_lines(const Vec3& normal, std::vector<Touch>& touches) const {
  constexpr double nearly_parallel = 1e-2;
  const Vec3 &a = sides_[0].corners[0], &b = sides_[1].corners[0];
  Vec3 along_a = sides_[0].corners[1] - a, along_b = sides_[1].corners[1] - b;
  const double length = along_a.norm();
  const Vec3 direction = along_a / length;
  if (direction.cross(along_b).norm() > nearly_parallel * along_b.norm()) return false;
  double from = direction.dot(b - a), to = from + direction.dot(along_b);
  if (from > to) std::swap(from, to);
  from = std::max(from, 0.0), to = std::min(to, length);
  if (from >= to) return false;
  for (const double way : {from, to}) {
    const Vec3 on_a = a + way * direction;
    const double share = direction.dot(on_a - b) / direction.dot(along_b);
    const double gap = normal.dot(b + share * along_b - on_a);
    touches.push_back({on_a + 0.5 * gap * normal, normal, gap});
  }
  return true;
}

}  // namespace scree::collision
