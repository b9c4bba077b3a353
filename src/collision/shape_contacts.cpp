#include "scree/collision/shape_contacts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>
#include <unordered_map>

#include <BulletCollision/CollisionShapes/btBoxShape.h>
#include <BulletCollision/CollisionShapes/btCapsuleShape.h>
#include <BulletCollision/CollisionShapes/btConvexHullShape.h>
#include <BulletCollision/CollisionShapes/btCylinderShape.h>
#include <BulletCollision/CollisionShapes/btSphereShape.h>
#include <BulletCollision/CollisionShapes/btTriangleShape.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>
#include <LinearMath/btConvexHullComputer.h>

#include "scree/parallel/error.hpp"

static_assert(sizeof(btScalar) == 8, "Scree needs Bullet in double precision: bullet-float64.pc");

namespace scree::collision {

using model::Capsule;
using model::Cuboid;
using model::Cylinder;
using model::Hull;
using model::Shape;
using model::Vec3;

namespace {

btVector3 to_bullet(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
Vec3 from_bullet(const btVector3& v) { return {v.x(), v.y(), v.z()}; }

btTransform to_bullet(const Placed& body) {
  const model::Mat3& t = body.turn;
  return btTransform(btMatrix3x3(t(0, 0), t(0, 1), t(0, 2), t(1, 0), t(1, 1), t(1, 2), t(2, 0), t(2, 1), t(2, 2)),
                     to_bullet(body.position));
}

/// A shape for Bullet's search of the nearest points: a core and a margin of constant width around it, together no
/// larger than the shape. While only margins overlap, nearest points and normals stay well defined.
struct Core {
  std::unique_ptr<btConvexShape> shape = nullptr;
  double cut_off = 0.0;  ///< how much of a corner of the body the rounded core lacks at most (m)
};

constexpr double margin_share = 0.05;  // of the smallest half width

Core core_of(const Cuboid& cuboid, double share) {
  const double margin = share * cuboid.half.minCoeff();
  auto shape = std::make_unique<btBoxShape>(to_bullet(cuboid.half));
  shape->setMargin(margin);
  return {std::move(shape), (std::sqrt(3.0) - 1.0) * margin};
}

Core core_of(const Capsule& capsule, double) {
  return {std::make_unique<btCapsuleShapeZ>(capsule.radius, 2.0 * capsule.half)};
}

Core core_of(const Cylinder& cylinder, double share) {
  const double margin = share * std::min(cylinder.radius, cylinder.half);
  auto shape = std::make_unique<btCylinderShapeZ>(btVector3(cylinder.radius, cylinder.radius, cylinder.half));
  shape->setMargin(margin);
  return {std::move(shape), (std::sqrt(2.0) - 1.0) * margin};
}

double inner_radius(const Hull& hull) {
  double least = std::numeric_limits<double>::infinity();
  for (const std::vector<int>& face : hull.faces) {
    const auto corner = [&](std::size_t k) -> const Vec3& { return hull.vertices[static_cast<std::size_t>(face[k])]; };
    Vec3 area = Vec3::Zero();
    for (std::size_t k = 2; k < face.size(); ++k) area += (corner(k - 1) - corner(0)).cross(corner(k) - corner(0));
    least = std::min(least, area.dot(corner(0)) / area.norm());
  }
  return least;
}

/// The hull made smaller, so that its faces keep their directions exactly.
Core core_of(const Hull& hull, double share) {
  const double margin = share * inner_radius(hull);
  Core core;
  std::vector<Vec3> corners;
  for (const Vec3& vertex : hull.vertices) {
    corners.emplace_back((1.0 - share) * vertex);
    core.cut_off = std::max(core.cut_off, share * vertex.norm() - margin);
  }
  auto shape = std::make_unique<btConvexHullShape>();
  for (const Vec3& corner : corners) shape->addPoint(to_bullet(corner), false);
  shape->recalcLocalAabb();
  shape->setMargin(margin);
  core.shape = std::move(shape);
  return core;
}

Core core_of(const model::Cluster&, double) { return {}; }  // its parts have their own

bool is_round(const Shape& shape) { return std::holds_alternative<Capsule>(shape.form); }

}  // namespace

/// Bullet's view of the shapes.
class ShapeContacts::Distance {
 public:
  /// Where two bodies are nearest, or overlap least; nothing if they are further apart than `reach`. Next to a round
  /// partner, whose radius is margin enough, a shape keeps its corners.
  [[nodiscard]] std::optional<Touch> between(const Placed& a, const Placed& b, double reach) {
    const btSphereShape ball_a(a.radius), ball_b(b.radius);
    const bool round = a.shape == nullptr || b.shape == nullptr || is_round(*a.shape) || is_round(*b.shape);
    double lacking = 0.0;
    const auto core = [&](const Placed& body, const btSphereShape& ball) -> const btConvexShape& {
      if (body.shape == nullptr) return ball;
      const Core& found = core_of_body(*body.shape, round);
      lacking += found.cut_off;
      return *found.shape;
    };
    const btConvexShape &core_a = core(a, ball_a), &core_b = core(b, ball_b);
    return between({core_a, to_bullet(a)}, {core_b, to_bullet(b)}, reach, lacking);
  }

  /// The same for a body that is no sphere and a triangle. `is_deep` tells whether the triangle cuts the core of the
  /// body: then the way out is Bullet's guess.
  [[nodiscard]] std::optional<Touch> between(const Placed& body, const std::array<Vec3, 3>& triangle, double reach,
                                             bool& is_deep) {
    const Core& core = core_of_body(*body.shape, false);
    btTriangleShape flat(to_bullet(triangle[0]), to_bullet(triangle[1]), to_bullet(triangle[2]));
    flat.setMargin(0.0);
    const auto found = between({*core.shape, to_bullet(body)}, {flat, btTransform::getIdentity()}, reach, core.cut_off);
    is_deep = found && found->gap <= -0.999 * core.shape->getMargin();
    return found;
  }

 private:
  struct PlacedCore {
    const btConvexShape& shape;
    btTransform place;
  };
  struct Cores {
    Core rounded, sharp;
  };

  [[nodiscard]] const Core& core_of_body(const Shape& shape, bool sharp) {
    const auto [found, is_new] = cores_.try_emplace(&shape);
    if (is_new) {
      found->second.rounded = std::visit([](const auto& form) { return core_of(form, margin_share); }, shape.form);
      found->second.sharp = std::visit([](const auto& form) { return core_of(form, 0.0); }, shape.form);
    }
    return sharp ? found->second.sharp : found->second.rounded;
  }

  [[nodiscard]] std::optional<Touch> between(const PlacedCore& a, const PlacedCore& b, double reach, double lacking) {
    btGjkPairDetector detector(&a.shape, &b.shape, &simplex_, &depth_);
    btGjkPairDetector::ClosestPointInput input;
    input.m_transformA = a.place;
    input.m_transformB = b.place;
    const double farthest = reach + lacking + a.shape.getMargin() + b.shape.getMargin();
    input.m_maximumDistanceSquared = farthest * farthest;
    btPointCollector found;
    detector.getClosestPoints(input, found, nullptr);
    if (!found.m_hasResult || found.m_distance > reach + lacking) return std::nullopt;
    const Vec3 from_b = from_bullet(found.m_normalOnBInWorld);
    return Touch{from_bullet(found.m_pointInWorld) + 0.5 * found.m_distance * from_b, -from_b, found.m_distance};
  }

  std::unordered_map<const Shape*, Cores> cores_;
  btVoronoiSimplexSolver simplex_;
  btGjkEpaPenetrationDepthSolver depth_;
};

ShapeContacts::ShapeContacts() : distance_(std::make_unique<Distance>()) {}
ShapeContacts::~ShapeContacts() = default;
ShapeContacts::ShapeContacts(ShapeContacts&&) noexcept = default;
ShapeContacts& ShapeContacts::operator=(ShapeContacts&&) noexcept = default;

namespace {

/// The direction from one cuboid to the other along which they are farthest apart, or overlap least.
struct Separation {
  double gap = -std::numeric_limits<double>::infinity();  ///< along the direction (m)
  Vec3 normal = Vec3::UnitZ();

  void consider(double other_gap, const Vec3& other_normal) {
    if (other_gap > gap) gap = other_gap, normal = other_normal;
  }
};

/// The test of separating axes: three faces of each and nine pairs of edges. Boxes are so common, and this so much
/// faster and closer to exact than a search of the nearest points, that they have a way of their own. Nothing if the
/// boxes are further apart than `reach`.
std::optional<Separation> separate(const Placed& a, const Cuboid& form_a, const Placed& b, const Cuboid& form_b,
                                   double reach) {
  const model::Mat3 R = a.turn.transpose() * b.turn, widths = R.cwiseAbs();
  const Vec3 from_a = a.turn.transpose() * (b.position - a.position), from_b = R.transpose() * from_a;
  const Vec3 gaps_a = from_a.cwiseAbs() - form_a.half - widths * form_b.half;
  const Vec3 gaps_b = from_b.cwiseAbs() - form_b.half - widths.transpose() * form_a.half;
  Separation best;
  for (int axis = 0; axis < 3; ++axis) {
    best.consider(gaps_a[axis], std::copysign(1.0, from_a[axis]) * a.turn.col(axis));
    best.consider(gaps_b[axis], std::copysign(1.0, from_b[axis]) * b.turn.col(axis));
  }
  if (best.gap > reach) return std::nullopt;

  constexpr double nearly_parallel = 1e-12;  // sin^2
  const double noise = 1e-3 * std::min(form_a.half.minCoeff(), form_b.half.minCoeff());
  Separation edges;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const Vec3 axis = Vec3::Unit(i).cross(R.col(j));
      const double squared = axis.squaredNorm();
      if (squared < nearly_parallel) continue;
      const double length = std::sqrt(squared), along = from_a.dot(axis);
      const double half = form_a.half.dot(axis.cwiseAbs()) + form_b.half.dot((R.transpose() * axis).cwiseAbs());
      edges.consider((std::abs(along) - half) / length, std::copysign(1.0 / length, along) * (a.turn * axis));
    }
  if (edges.gap > best.gap + noise) best = edges;  // faces first: they do not flicker
  return best.gap > reach ? std::nullopt : std::optional(best);
}

const Cuboid* cuboid_of(const Placed& body) {
  return body.shape == nullptr ? nullptr : std::get_if<Cuboid>(&body.shape->form);
}

}  // namespace

void ShapeContacts::find(const Placed& a, const Placed& b, double reach, std::vector<Touch>& touches) {
  const double farthest = a.radius + b.radius + reach;
  if ((a.position - b.position).squaredNorm() > farthest * farthest) return;
  for_each_part(a, [&](const Placed& part) {
    for_each_part(b, [&](const Placed& other) { find_parts(part, other, reach, touches); });
  });
}

void ShapeContacts::find_parts(const Placed& a, const Placed& b, double reach, std::vector<Touch>& touches) {
  const Vec3 apart = b.position - a.position;
  const double farthest = a.radius + b.radius + reach;
  if (apart.squaredNorm() > farthest * farthest) return;
  if (a.shape == nullptr && b.shape == nullptr) {
    const double distance = apart.norm(), gap = distance - a.radius - b.radius;
    const Vec3 normal = distance > 0.0 ? Vec3(apart / distance) : Vec3(Vec3::UnitZ());
    touches.push_back({a.position + (a.radius + 0.5 * gap) * normal, normal, gap});
  } else if (b.shape == nullptr) {
    if (const Touch touch = touch_sphere(a, b.position, b.radius); touch.gap <= reach) touches.push_back(touch);
  } else if (a.shape == nullptr) {
    const Touch touch = touch_sphere(b, a.position, a.radius);
    if (touch.gap <= reach) touches.push_back({touch.point, -touch.normal, touch.gap});
  } else {
    find_convex(a, b, reach, touches);
  }
}

namespace {

/// The face that looks most at the other body need not be where a pointed hull comes nearest: then that point counts,
/// too. Touches from number `before` on are those of the faces, if any.
void add_if_nearest(const Touch& nearest, double reach, double rounding, std::size_t before,
                    std::vector<Touch>& touches) {
  const auto is_nearer = [&](const Touch& touch) { return nearest.gap < touch.gap - rounding; };
  const bool is_deepest = std::all_of(touches.begin() + static_cast<std::ptrdiff_t>(before), touches.end(), is_nearer);
  if (nearest.gap <= reach && is_deepest) touches.push_back(nearest);
}

constexpr double rounding_of_gaps = 1e-6;  // radii

}  // namespace

void ShapeContacts::find_convex(const Placed& a, const Placed& b, double reach, std::vector<Touch>& touches) {
  if (const Cuboid* first = cuboid_of(a), *second = cuboid_of(b); first != nullptr && second != nullptr) {
    if (const auto found = separate(a, *first, b, *second, reach))
      (void)clipper_.clip(a, b, found->normal, reach, touches);  // boxes that pass beside each other do not touch
    return;
  }
  const std::optional<Touch> nearest = distance_->between(a, b, reach);
  if (!nearest) return;
  const std::size_t before = touches.size();
  (void)clipper_.clip(a, b, nearest->normal, reach, touches);
  add_if_nearest(*nearest, reach, rounding_of_gaps * std::min(a.radius, b.radius), before, touches);
}

namespace {

std::array<Vec3, 3> in_world(const model::MeshSurface& surface, int triangle) {
  std::array<Vec3, 3> corners = surface.mesh->corners_of(triangle);
  for (Vec3& corner : corners) corner = surface.pose.outwards(corner);
  return corners;
}

Vec3 direction_of(const std::array<Vec3, 3>& corners) {
  return (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalized();
}

/// The corners that span the part of a triangle on which a point lies that is known up to rounding.
unsigned part_around(const std::array<Vec3, 3>& corners, const Vec3& point) {
  constexpr double beside = 1e-5;  // of the height of the triangle
  const Vec3 normal = direction_of(corners);
  unsigned part = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3 &from = corners[(k + 1) % 3], &to = corners[(k + 2) % 3];
    const Vec3 inward = normal.cross(to - from);
    if (inward.dot(point - from) > beside * inward.dot(corners[k] - from)) part |= 1U << k;
  }
  return part;
}

/// Of the touches from number `first` on, those in one plane of the mesh belong together, whatever triangles they come
/// from: of each plane the corners remain, and only as many as a pair of faces has. Then triangles within a plane, and
/// how they wander below a body that slides, make no difference.
void merge(std::vector<Touch>& touches, std::size_t first, double radius) {
  constexpr double same_place = 1e-5, same_direction = 1e-6;  // radii; 1 - cos
  std::vector<Touch> found(touches.begin() + static_cast<std::ptrdiff_t>(first), touches.end());
  touches.resize(first);
  const auto on_mesh = [](const Touch& touch) -> Vec3 { return touch.point + 0.5 * touch.gap * touch.normal; };
  while (!found.empty()) {
    const std::size_t begin = touches.size();
    const Touch leading = found.front();
    std::erase_if(found, [&](const Touch& touch) {
      if (1.0 - touch.normal.dot(leading.normal) > same_direction) return false;
      const double above = leading.normal.dot(on_mesh(touch) - on_mesh(leading));
      if (std::abs(above) > same_place * radius) return false;
      const bool is_known =
          std::any_of(touches.begin() + static_cast<std::ptrdiff_t>(begin), touches.end(),
                      [&](const Touch& other) { return (other.point - touch.point).norm() <= same_place * radius; });
      if (!is_known) touches.push_back(touch);
      return true;
    });
    keep_corners(touches, begin, same_place * radius);
    keep_spread_out(touches, begin, Clipper::most_points);
  }
}

}  // namespace

void ShapeContacts::find(const Placed& body, const model::MeshSurface& surface, double reach,
                         std::vector<Touch>& touches) {
  for_each_part(body, [&](const Placed& part) { find_part_on_mesh(part, surface, reach, touches); });
}

void ShapeContacts::find(const Placed& body, const model::Wall& wall, double reach, std::vector<Touch>& touches) {
  if (const auto* surface = std::get_if<model::MeshSurface>(&wall.surface)) {
    find(body, *surface, reach, touches);
  } else if (const auto* part = std::get_if<model::Part>(&wall.surface)) {
    find(body, placed(*part), reach, touches);
  } else {
    touch_wall(body, wall, reach, touches);
  }
}

void ShapeContacts::find_part_on_mesh(const Placed& body, const model::MeshSurface& surface, double reach,
                                      std::vector<Touch>& touches) {
  near_.clear();
  surface.mesh->visit_near(surface.pose.inwards(body.position), body.radius + reach, [&](int triangle) {
    if (auto found = nearest_on(body, in_world(surface, triangle), reach)) {
      found->triangle = triangle;
      near_.push_back(*found);
    }
  });
  // What rounding cannot tell apart counts as a face first, then as an edge.
  std::ranges::sort(near_, {}, [](const Near& near) {
    return std::tuple(-std::popcount(near.corners), near.touch.gap, near.triangle);
  });
  for (Near& near : near_) near.is_nearest = is_nearest_around(near, body, *surface.mesh);
  const std::size_t first = touches.size();
  for (const Near& near : near_)
    if (near.is_nearest) add_points(body, in_world(surface, near.triangle), near, reach, touches);
  if (body.shape != nullptr) add_points_beside(body, surface, reach, touches);
  if (touches.size() > first + 1) merge(touches, first, body.radius);
}

namespace {

/// Up to which two distances from a body are one (m): spheres are exact to rounding, Bullet's distances are not.
double rounding_of_distances(const Placed& body) { return (body.shape == nullptr ? 1e-12 : 1e-7) * body.radius; }

}  // namespace

/// A corner or an edge is nearer than all around it if no triangle that it belongs to comes nearer elsewhere.
bool ShapeContacts::is_nearest_around(const Near& near, const Placed& body, const model::TriangleMesh& mesh) const {
  const double rounding = rounding_of_distances(body);
  const auto& vertices = mesh.triangles()[static_cast<std::size_t>(near.triangle)];
  return std::ranges::none_of(near_, [&](const Near& other) {
    if (other.touch.gap >= near.touch.gap - rounding) return false;
    const auto& others = mesh.triangles()[static_cast<std::size_t>(other.triangle)];
    for (std::size_t k = 0; k < 3; ++k)
      if ((near.corners & 1U << k) != 0 && std::ranges::find(others, vertices[k]) == others.end()) return false;
    return true;
  });
}

/// A face above a plane touches all of it, not only the triangle where it happens to be nearest.
void ShapeContacts::add_points_beside(const Placed& body, const model::MeshSurface& surface, double reach,
                                      std::vector<Touch>& touches) {
  const double rounding = rounding_of_distances(body);
  for (const Near& near : near_) {
    if (near.is_nearest) continue;
    const auto corners = in_world(surface, near.triangle);
    const auto found = std::ranges::find_if(near_, [&](const Near& nearest) {
      if (!nearest.is_nearest) return false;
      const Vec3 on_plane = in_world(surface, nearest.triangle)[0];
      return std::ranges::all_of(corners, [&](const Vec3& corner) {
        return std::abs(nearest.touch.normal.dot(corner - on_plane)) <= rounding;
      });
    });
    if (found != near_.end()) (void)clipper_.clip(body, corners, found->touch.normal, reach, touches);
  }
}

std::optional<ShapeContacts::Near> ShapeContacts::nearest_on(const Placed& body, const std::array<Vec3, 3>& corners,
                                                             double reach) {
  constexpr double same_direction = 1e-5;  // 1 - cos
  const Vec3 face = direction_of(corners);
  if (body.shape == nullptr) {
    const auto [point, part] = model::nearest_on_triangle(corners, body.position);
    const double distance = (point - body.position).norm(), gap = distance - body.radius;
    if (gap > reach) return std::nullopt;
    const Vec3 normal = distance > 0.0 ? Vec3((point - body.position) / distance) : Vec3(-face);
    return Near{0, {body.position + (body.radius + 0.5 * gap) * normal, normal, gap}, part, false, false};
  }
  bool is_deep = false;
  auto touch = distance_->between(body, corners, reach, is_deep);
  if (!touch) return std::nullopt;
  const unsigned part = is_deep ? 7U : part_around(corners, touch->point + 0.5 * touch->gap * touch->normal);
  // Out of a face is where the middle of the body is.
  if (is_deep) touch->normal = face.dot(body.position - corners[0]) < 0.0 ? face : Vec3(-face);
  if (part == 7U || 1.0 - std::abs(touch->normal.dot(face)) < same_direction)
    touch->normal = touch->normal.dot(face) < 0.0 ? Vec3(-face) : face;
  return Near{0, *touch, part, is_deep, false};
}

void ShapeContacts::add_points(const Placed& body, const std::array<Vec3, 3>& corners, const Near& near, double reach,
                               std::vector<Touch>& touches) {
  const std::size_t before = touches.size();
  if (body.shape != nullptr) {
    (void)clipper_.clip(body, corners, near.touch.normal, reach, touches);
    if (near.is_deep) return;
  }
  add_if_nearest(near.touch, reach, rounding_of_gaps * body.radius, before, touches);
}

Hull hull_of_points(const std::string& name, const std::vector<Vec3>& points) {
  if (points.size() < 4)
    throw InputError(fmt::format("shape '{}': a hull needs at least 4 points, has {}", name, points.size()));
  btConvexHullComputer computed;
  computed.compute(points.data()->data(), sizeof(Vec3), static_cast<int>(points.size()), 0.0, 0.0);
  Hull hull;  // with the points as they were given: Bullet rounds its vertices to a lattice
  for (int k = 0; k < computed.vertices.size(); ++k)
    hull.vertices.push_back(points[static_cast<std::size_t>(computed.original_vertex_index[k])]);
  for (int k = 0; k < computed.faces.size(); ++k) {
    std::vector<int>& face = hull.faces.emplace_back();
    const btConvexHullComputer::Edge* const first = &computed.edges[computed.faces[k]];
    const btConvexHullComputer::Edge* edge = first;
    do {
      face.push_back(edge->getSourceVertex());
      edge = edge->getNextEdgeOfFace();
    } while (edge != first);
  }
  if (hull.vertices.size() < 4 || hull.faces.size() < 4)
    throw InputError(fmt::format("shape '{}': the points of the hull lie in a plane: add points outside it", name));
  return hull;
}

}  // namespace scree::collision
