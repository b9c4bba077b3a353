// ranks: 1
#include "scree/model/wall.hpp"

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
