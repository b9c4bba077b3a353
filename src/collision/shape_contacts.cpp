#include "scree/collision/shape_contacts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <BulletCollision/CollisionShapes/btBoxShape.h>
#include <BulletCollision/CollisionShapes/btCapsuleShape.h>
#include <BulletCollision/CollisionShapes/btConvexHullShape.h>
#include <BulletCollision/CollisionShapes/btCylinderShape.h>
#include <BulletCollision/CollisionShapes/btSphereShape.h>
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

bool is_round(const Shape& shape) { return std::holds_alternative<Capsule>(shape.form); }

}  // namespace

/// Bullet's view of the shapes.
class ShapeContacts::Distance {
 public:
  explicit Distance(const std::vector<Shape>& shapes) : first_(shapes.data()) {
    for (const Shape& shape : shapes) {
      rounded_.push_back(std::visit([](const auto& form) { return core_of(form, margin_share); }, shape.form));
      sharp_.push_back(std::visit([](const auto& form) { return core_of(form, 0.0); }, shape.form));
    }
  }

  /// Where two bodies are nearest, or overlap least; nothing if they are further apart than `reach`. Next to a round
  /// partner, whose radius is margin enough, a shape keeps its corners.
  [[nodiscard]] std::optional<Touch> between(const Placed& a, const Placed& b, double reach) {
    const btSphereShape ball_a(a.radius), ball_b(b.radius);
    const bool round = a.shape == nullptr || b.shape == nullptr || is_round(*a.shape) || is_round(*b.shape);
    double lacking = 0.0;
    const auto core = [&](const Placed& body, const btSphereShape& ball) -> const btConvexShape& {
      if (body.shape == nullptr) return ball;
      const Core& found = (round ? sharp_ : rounded_)[static_cast<std::size_t>(body.shape - first_)];
      lacking += found.cut_off;
      return *found.shape;
    };
    const btConvexShape &core_a = core(a, ball_a), &core_b = core(b, ball_b);
    btGjkPairDetector detector(&core_a, &core_b, &simplex_, &depth_);
    btGjkPairDetector::ClosestPointInput input;
    input.m_transformA = to_bullet(a);
    input.m_transformB = to_bullet(b);
    const double farthest = reach + lacking + core_a.getMargin() + core_b.getMargin();
    input.m_maximumDistanceSquared = farthest * farthest;
    btPointCollector found;
    detector.getClosestPoints(input, found, nullptr);
    if (!found.m_hasResult || found.m_distance > reach + lacking) return std::nullopt;
    const Vec3 from_b = from_bullet(found.m_normalOnBInWorld);
    return Touch{from_bullet(found.m_pointInWorld) + 0.5 * found.m_distance * from_b, -from_b, found.m_distance};
  }

 private:
  const Shape* first_;
  std::vector<Core> rounded_, sharp_;
  btVoronoiSimplexSolver simplex_;
  btGjkEpaPenetrationDepthSolver depth_;
};

ShapeContacts::ShapeContacts(const std::vector<Shape>& shapes) : distance_(std::make_unique<Distance>(shapes)) {}
ShapeContacts::~ShapeContacts() = default;
ShapeContacts::ShapeContacts(ShapeContacts&&) noexcept = default;
ShapeContacts& ShapeContacts::operator=(ShapeContacts&&) noexcept = default;

namespace {

/// Half the width of a cuboid along a direction.
double half_width(const Placed& body, const Cuboid& cuboid, const Vec3& direction) {
  return cuboid.half.dot((body.turn.transpose() * direction).cwiseAbs());
}

/// Whether the faces of one of two cuboids tell at once that they are far apart, which most of those do that are.
bool are_far_apart(const Placed& a, const Placed& b, double reach) {
  const auto* cuboid_a = std::get_if<Cuboid>(&a.shape->form);
  const auto* cuboid_b = std::get_if<Cuboid>(&b.shape->form);
  if (cuboid_a == nullptr || cuboid_b == nullptr) return false;
  const Vec3 apart = b.position - a.position;
  const auto is_beside = [&](const Placed& body, const Cuboid& cuboid, const Placed& other, const Cuboid& other_form) {
    for (int axis = 0; axis < 3; ++axis) {
      const Vec3 direction = body.turn.col(axis);
      if (std::abs(direction.dot(apart)) > cuboid.half[axis] + half_width(other, other_form, direction) + reach)
        return true;
    }
    return false;
  };
  return is_beside(a, *cuboid_a, b, *cuboid_b) || is_beside(b, *cuboid_b, a, *cuboid_a);
}

bool is_hull(const Placed& body) { return std::holds_alternative<Hull>(body.shape->form); }

}  // namespace

void ShapeContacts::find(const Placed& a, const Placed& b, double reach, std::vector<Touch>& touches) {
  const double farthest = a.radius + b.radius + reach;
  if ((a.position - b.position).squaredNorm() > farthest * farthest) return;
  if (a.shape == nullptr && b.shape == nullptr) {
    const Vec3 apart = b.position - a.position;
    const double distance = apart.norm(), gap = distance - a.radius - b.radius;
    const Vec3 normal = distance > 0.0 ? Vec3(apart / distance) : Vec3(Vec3::UnitZ());
    touches.push_back({a.position + (a.radius + 0.5 * gap) * normal, normal, gap});
  } else if (b.shape == nullptr && !is_hull(a)) {
    if (const Touch touch = touch_sphere(a, b.position, b.radius); touch.gap <= reach) touches.push_back(touch);
  } else if (a.shape == nullptr && !is_hull(b)) {
    const Touch touch = touch_sphere(b, a.position, a.radius);
    if (touch.gap <= reach) touches.push_back({touch.point, -touch.normal, touch.gap});
  } else {
    find_convex(a, b, reach, touches);
  }
}

void ShapeContacts::find_convex(const Placed& a, const Placed& b, double reach, std::vector<Touch>& touches) {
  const bool has_sphere = a.shape == nullptr || b.shape == nullptr;
  if (!has_sphere && are_far_apart(a, b, reach)) return;
  const std::optional<Touch> nearest = distance_->between(a, b, reach);
  if (!nearest) return;
  const std::size_t before = touches.size();
  const bool clipped = !has_sphere && clipper_.clip(a, b, nearest->normal, reach, touches);
  // The face that looks most at the other body need not be where a pointed hull comes nearest.
  const double rounding = 1e-6 * std::min(a.radius, b.radius);
  const auto is_nearer = [&](const Touch& touch) { return nearest->gap < touch.gap - rounding; };
  const bool is_deepest = std::all_of(touches.begin() + static_cast<std::ptrdiff_t>(before), touches.end(), is_nearer);
  if (nearest->gap <= reach && (!clipped || is_deepest)) touches.push_back(*nearest);
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
