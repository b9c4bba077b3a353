#include "scree/model/triangle_mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "scree/model/solid.hpp"

namespace scree::model {

namespace {

constexpr unsigned bit(int corner) { return 1U << static_cast<unsigned>(corner); }

}  // namespace

/// Goes through the regions of the plane that belong to corners, edges and the face (Ericson, Real-Time Collision
/// Detection, 5.1.5).
NearestOnTriangle nearest_on_triangle(const std::array<Vec3, 3>& corners, const Vec3& point) {
  const auto& [a, b, c] = corners;
  const Vec3 ab = b - a, ac = c - a, ap = point - a, bp = point - b, cp = point - c;
  const double d1 = ab.dot(ap), d2 = ac.dot(ap);
  if (d1 <= 0.0 && d2 <= 0.0) return {a, bit(0)};
  const double d3 = ab.dot(bp), d4 = ac.dot(bp);
  if (d3 >= 0.0 && d4 <= d3) return {b, bit(1)};
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) return {a + d1 / (d1 - d3) * ab, bit(0) | bit(1)};
  const double d5 = ab.dot(cp), d6 = ac.dot(cp);
  if (d6 >= 0.0 && d5 <= d6) return {c, bit(2)};
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) return {a + d2 / (d2 - d6) * ac, bit(0) | bit(2)};
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0.0 && d4 >= d3 && d5 >= d6) return {b + (d4 - d3) / ((d4 - d3) + (d5 - d6)) * (c - b), bit(1) | bit(2)};
  const double sum = va + vb + vc;
  return {a + vb / sum * ab + vc / sum * ac, bit(0) | bit(1) | bit(2)};
}

TriangleMesh::TriangleMesh(std::vector<Vec3> vertices, std::vector<Triangle> triangles)
    : vertices_(std::move(vertices)), triangles_(std::move(triangles)), order_(triangles_.size()) {
  std::iota(order_.begin(), order_.end(), 0);
  nodes_.reserve(order_.size());
  build(0, static_cast<int>(order_.size()));
}

std::array<Vec3, 3> TriangleMesh::corners_of(int triangle) const {
  const Triangle& t = triangles_[static_cast<std::size_t>(triangle)];
  const auto vertex = [&](int k) { return vertices_[static_cast<std::size_t>(t[static_cast<std::size_t>(k)])]; };
  return {vertex(0), vertex(1), vertex(2)};
}

/// Adds the node of a range of order_ and those below it: halves along the longest edge of its box.
void TriangleMesh::build(int first, int last) {
  constexpr int leaf = 4;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Box box{Vec3::Constant(infinity), Vec3::Constant(-infinity)};
  for (int k = first; k < last; ++k)
    for (const Vec3& corner : corners_of(order_[static_cast<std::size_t>(k)])) {
      box.lower = box.lower.cwiseMin(corner);
      box.upper = box.upper.cwiseMax(corner);
    }
  const std::size_t number = nodes_.size();
  const bool is_leaf = last - first <= leaf;
  nodes_.push_back({box, first, is_leaf ? last : first, 0});
  if (!is_leaf) {
    Eigen::Index axis = 0;
    (box.upper - box.lower).maxCoeff(&axis);
    const int middle = (first + last) / 2;
    const auto place = [&](int triangle) {
      const auto corners = corners_of(triangle);
      return corners[0][axis] + corners[1][axis] + corners[2][axis];
    };
    std::ranges::nth_element(order_.begin() + first, order_.begin() + middle, order_.begin() + last, {}, place);
    build(first, middle);
    build(middle, last);
  }
  nodes_[number].next = static_cast<int>(nodes_.size());
}

/// The nearest point within the limit, or any; no triangle if there is none.
TriangleMesh::Nearest TriangleMesh::find_nearest(const Vec3& point, double squared_limit, bool any) const {
  Nearest best{Vec3::Zero(), -1};
  double least = squared_limit;
  for (std::size_t k = 0; k < nodes_.size();) {
    const Node& node = nodes_[k];
    if (squared_distance(node.box, point) > least) {
      k = static_cast<std::size_t>(node.next);
      continue;
    }
    for (int t = node.first; t < node.last; ++t) {
      const int triangle = order_[static_cast<std::size_t>(t)];
      const Vec3 found = nearest_on_triangle(corners_of(triangle), point).point;
      if (const double distance = (found - point).squaredNorm(); distance <= least) {
        least = distance, best = {found, triangle};
        if (any) return best;
      }
    }
    ++k;
  }
  return best;
}

TriangleMesh::Nearest TriangleMesh::nearest(const Vec3& point) const {
  return find_nearest(point, std::numeric_limits<double>::infinity(), false);
}

bool TriangleMesh::is_within(const Vec3& point, double distance) const {
  return distance >= 0.0 && find_nearest(point, distance * distance, true).triangle >= 0;
}

MeshFlaw flaw_of_solid(const TriangleMesh& mesh) {
  std::map<std::pair<int, int>, int> edges;  // from vertex to vertex, and the triangle that it belongs to
  for (int t = 0; t < static_cast<int>(mesh.triangles().size()); ++t) {
    const auto& triangle = mesh.triangles()[static_cast<std::size_t>(t)];
    for (std::size_t k = 0; k < 3; ++k) {
      const auto [other, is_new] = edges.emplace(std::pair(triangle[k], triangle[(k + 1) % 3]), t);
      if (!is_new)
        return {t, fmt::format("runs along an edge in the same direction as triangle {}: turn one of them, or take "
                               "away surplus ones",
                               other->second + 1)};
    }
  }
  for (const auto& [edge, triangle] : edges)
    if (!edges.contains({edge.second, edge.first})) {
      const Vec3 &from = mesh.vertices()[static_cast<std::size_t>(edge.first)],
                 &to = mesh.vertices()[static_cast<std::size_t>(edge.second)];
      return {triangle, fmt::format("has an open edge from ({:.6g}, {:.6g}, {:.6g}) to ({:.6g}, {:.6g}, {:.6g}): the "
                                    "mesh of a solid must be closed",
                                    from.x(), from.y(), from.z(), to.x(), to.y(), to.z())};
    }
  if (solid_of(mesh).volume <= 0.0) return {0, "is turned inwards, as all are: reverse the order of the corners"};
  return {0, ""};
}

}  // namespace scree::model
