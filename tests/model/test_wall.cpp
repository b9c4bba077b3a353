// ranks: 1
#include "scree/model/wall.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <string>

#include "support/support.hpp"

using scree::model::Box;
using scree::model::container;
using scree::model::gap_to_wall;
using scree::model::Plane;
using scree::model::Tube;
using scree::model::Vec3;
using scree::model::Wall;
using scree::model::WallGap;

namespace {

// Lengths of order one, a handful of operations: a few units in the last place.
constexpr double rounding = 4e-15;

void check_near(const Vec3& value, const Vec3& expected) {
  BOOST_TEST((value - expected).norm() <= rounding, value.transpose() << " is not " << expected.transpose());
}

const Vec3 tilted = Vec3(1.0, -2.0, 3.0).normalized();

}  // namespace

BOOST_AUTO_TEST_CASE(a_sphere_above_on_and_in_a_plane) {
  const Wall floor{"floor", Plane{{0.0, 0.0, 1.0}, Vec3::UnitZ()}};
  BOOST_TEST(gap_to_wall(floor, {5.0, -7.0, 3.0}, 0.5).gap == 1.5);
  BOOST_TEST(gap_to_wall(floor, {5.0, -7.0, 1.5}, 0.5).gap == 0.0);
  BOOST_TEST(gap_to_wall(floor, {5.0, -7.0, 1.25}, 0.5).gap == -0.25);
  BOOST_TEST(gap_to_wall(floor, {5.0, -7.0, -1.0}, 0.5).gap == -2.5);  // behind it: still pushed back the same way
  for (const double height : {3.0, 1.25, -1.0})
    check_near(gap_to_wall(floor, {5.0, -7.0, height}, 0.5).normal, -Vec3::UnitZ());
}

BOOST_AUTO_TEST_CASE(a_tilted_plane_may_be_given_by_any_of_its_points) {
  const Vec3 along = tilted.unitOrthogonal();
  const Vec3 centre = Vec3(0.3, 0.2, 0.1) + 2.0 * tilted;
  for (const double shift : {0.0, -4.0, 9.0}) {
    const WallGap gap = gap_to_wall({"slope", Plane{Vec3(0.3, 0.2, 0.1) + shift * along, tilted}}, centre, 0.75);
    BOOST_TEST(std::abs(gap.gap - 1.25) <= rounding);
    check_near(gap.normal, -tilted);
  }
}

BOOST_AUTO_TEST_CASE(a_sphere_in_a_tube) {
  const Wall tube{"tube", Tube{{1.0, 2.0, 0.0}, Vec3::UnitZ(), 4.0}};
  for (const double height : {0.0, -3.0, 1000.0}) {
    const WallGap inside = gap_to_wall(tube, {4.0, 2.0, height}, 0.5);
    BOOST_TEST(inside.gap == 0.5);
    check_near(inside.normal, Vec3::UnitX());
    const WallGap through = gap_to_wall(tube, {1.0, -3.0, height}, 0.5);
    BOOST_TEST(through.gap == -1.5);
    check_near(through.normal, -Vec3::UnitY());
  }
}

BOOST_AUTO_TEST_CASE(a_tilted_tube) {
  const Vec3 radial = tilted.unitOrthogonal();
  const WallGap gap = gap_to_wall({"tube", Tube{{1.0, 1.0, 1.0}, tilted, 2.0}},
                                  Vec3(1.0, 1.0, 1.0) + 3.0 * tilted + 1.25 * radial, 0.25);
  BOOST_TEST(std::abs(gap.gap - 0.5) <= rounding);
  check_near(gap.normal, radial);
}

BOOST_AUTO_TEST_CASE(on_the_axis_of_a_tube_the_normal_is_some_direction_across) {
  for (const Vec3& axis : {Vec3(Vec3::UnitX()), Vec3(Vec3::UnitY()), Vec3(Vec3::UnitZ())}) {
    const WallGap gap = gap_to_wall({"tube", Tube{Vec3::Zero(), axis, 2.0}}, 5.0 * axis, 0.5);
    BOOST_TEST(gap.gap == 1.5);
    BOOST_TEST(std::abs(gap.normal.norm() - 1.0) <= rounding);
    BOOST_TEST(std::abs(gap.normal.dot(axis)) <= rounding);
  }
}

BOOST_AUTO_TEST_CASE(a_container_has_a_wall_on_each_side) {
  const Box inside{{-1.0, 0.0, 2.0}, {3.0, 5.0, 9.0}};
  const Vec3 centre(0.0, 1.0, 4.0);
  const double radius = 0.25;
  for (const bool open : {false, true}) {
    const auto walls = container("box", inside, 2, open);
    BOOST_TEST_REQUIRE(walls.size() == (open ? 5U : 6U));
    std::set<std::string> names;
    Vec3 lower = Vec3::Constant(-100.0), upper = Vec3::Constant(-100.0);  // gaps to the walls by the side they are on
    for (const Wall& wall : walls) {
      names.insert(wall.name);
      BOOST_TEST(wall.material == 2);
      const WallGap gap = gap_to_wall(wall, centre, radius);
      for (int axis = 0; axis < 3; ++axis) {
        if (gap.normal == -Vec3::Unit(axis)) lower[axis] = gap.gap;
        if (gap.normal == Vec3::Unit(axis)) upper[axis] = gap.gap;
      }
    }
    BOOST_TEST(names.size() == walls.size());
    BOOST_TEST((lower == Vec3(0.75, 0.75, 1.75)));
    BOOST_TEST((upper == Vec3(2.75, 3.75, open ? -100.0 : 4.75)));
  }
}

namespace {

/// Triangles at random, as a mesh and one by one.
scree::model::TriangleMesh random_mesh(int count, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(-2.0, 2.0);
  std::vector<Vec3> vertices;
  std::vector<scree::model::TriangleMesh::Triangle> triangles;
  for (int t = 0; t < count; ++t) {
    const Vec3 middle(uniform(random), uniform(random), uniform(random));
    for (int k = 0; k < 3; ++k)
      vertices.emplace_back(middle + 0.2 * Vec3(uniform(random), uniform(random), uniform(random)));
    triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
  }
  return {vertices, triangles};
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_nearest_point_of_a_mesh_is_that_of_all_its_triangles) {
  using scree::model::nearest_on_triangle;
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> uniform(-3.0, 3.0);
  for (const int count : {1, 3, 5, 300}) {
    const auto mesh = std::make_shared<const scree::model::TriangleMesh>(random_mesh(count, random));
    const Wall wall{"mesh", scree::model::MeshSurface{mesh}};
    for (int trial = 0; trial < 100; ++trial) {
      const Vec3 point(uniform(random), uniform(random), uniform(random));
      double least = HUGE_VAL;
      for (int t = 0; t < count; ++t) {
        const auto corners = mesh->corners_of(t);
        const Vec3 nearest = nearest_on_triangle(corners, point).point;
        const double distance = (nearest - point).norm();
        least = std::min(least, distance);
        // Nothing else on the triangle is nearer: towards each corner the distance grows.
        for (const Vec3& corner : corners)
          BOOST_TEST((nearest - point).dot(corner - nearest) >= -1e-9 * (1.0 + distance));
      }
      const WallGap gap = gap_to_wall(wall, point, 0.25);
      BOOST_TEST(std::abs(gap.gap - (least - 0.25)) <= 1e-12);
      BOOST_TEST(is_near(wall, point, 0.25, gap.gap + 1e-9));
      BOOST_TEST(!is_near(wall, point, 0.25, gap.gap - 1e-9));
      int met = 0;
      mesh->visit_near(point, least * (1.0 + 1e-12), [&](int t) {
        met += (nearest_on_triangle(mesh->corners_of(t), point).point - point).norm() <= least * (1.0 + 1e-9) ? 1 : 0;
      });
      BOOST_TEST(met >= 1);
    }
  }
}

BOOST_AUTO_TEST_CASE(bodies_as_walls_are_as_near_as_their_forms) {
  using namespace scree::model;
  const Quat turn(Eigen::AngleAxisd(0.5, Vec3::UnitZ()));
  const auto box = std::make_shared<const Shape>(make_shape("box", Cuboid{{1.0, 2.0, 3.0}}));
  Hull hull;
  for (int k = 0; k < 8; ++k)
    hull.vertices.emplace_back((k & 1) != 0 ? 1.0 : -1.0, (k & 2) != 0 ? 2.0 : -2.0, (k & 4) != 0 ? 3.0 : -3.0);
  hull.faces = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  const auto same = std::make_shared<const Shape>(make_shape("hull", hull));
  const Wall walls[] = {{"box", make_part(box, {5.0, 0.0, 0.0}, turn)},
                        {"hull", make_part(same, {5.0, 0.0, 0.0}, turn)}};
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> uniform(-4.0, 4.0);
  for (int trial = 0; trial < 500; ++trial) {
    const Vec3 centre = Vec3(5.0, 0.0, 0.0) + Vec3(uniform(random), uniform(random), uniform(random));
    const WallGap a = gap_to_wall(walls[0], centre, 0.1), b = gap_to_wall(walls[1], centre, 0.1);
    BOOST_TEST(std::abs(a.gap - b.gap) <= 1e-9);
    BOOST_TEST((a.normal - b.normal).norm() <= 1e-6);
  }
  const Wall ball{"ball", make_part(2.0, {0.0, 0.0, 1.0})};
  BOOST_TEST(std::abs(gap_to_wall(ball, {0.0, 0.0, 4.0}, 0.5).gap - 0.5) <= 1e-12);
}

BOOST_AUTO_TEST_CASE(walls_that_turn_carry_their_material_along) {
  using namespace scree::model;
  Wall wall{"ball", make_part(1.0, {3.0, 0.0, 0.0})};
  wall.motion = {.velocity = {0.1, 0.0, 0.0}, .spin = {0.0, 0.0, 2.0}, .pivot = {1.0, 0.0, 0.0}};
  const Wall now = at_time(wall, 0.3), after = at_time(wall, 0.4);
  const auto &from = std::get<Part>(now.surface).pose, &to = std::get<Part>(after.surface).pose;
  for (const Vec3& material : {Vec3(0.0, 0.0, 0.0), Vec3(1.0, 2.0, 3.0), Vec3(-5.0, 1.0, 0.0)}) {
    const Vec3 before = from.outwards(material), then = to.outwards(material);
    BOOST_TEST((shift_at(now, after, 0.5 * (before + then)) - (then - before)).norm() <= 1e-12);
  }
  // A sphere that turns about its own middle comes no nearer; one that turns about a pivot aside does.
  BOOST_TEST(std::abs(largest_approach(wall, {9.0, 0.0, 0.0}, 0.0) - (0.1 + 2.0 * 3.0)) <= 1e-12);
  wall.motion.pivot = {3.0, 0.0, 0.0};
  BOOST_TEST(std::abs(largest_approach(wall, {9.0, 0.0, 0.0}, 0.0) - 0.1) <= 1e-12);
}
