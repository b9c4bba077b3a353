// Points where bodies of several shapes touch, against what is known of them.
// ranks: 1
#include "scree/collision/shape_contacts.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <numbers>
#include <random>

#include "scree/parallel/error.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::collision;
using namespace scree::model;

namespace {

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = [] {
    std::vector<Shape> some{make_shape("cube", Cuboid{{0.5, 0.5, 0.5}}), make_shape("slab", Cuboid{{2.0, 1.0, 0.25}}),
                            make_shape("pill", Capsule{0.3, 0.6}), make_shape("can", Cylinder{0.4, 0.5})};
    std::vector<Vec3> corners;
    for (int k = 0; k < 8; ++k)
      corners.emplace_back((k & 1) != 0 ? 0.5 : -0.5, (k & 2) != 0 ? 0.5 : -0.5, (k & 4) != 0 ? 0.5 : -0.5);
    corners.emplace_back(0.1, 0.0, -0.1);  // inside: no vertex
    some.push_back(make_shape("cube as a hull", hull_of_points("cube as a hull", corners)));
    return some;
  }();
  return all;
}

enum { cube, slab, pill, can, hull_cube };

Placed at(int shape, const Vec3& position, const Quat& turn = Quat::Identity()) {
  const Shape& s = shapes()[static_cast<std::size_t>(shape)];
  return {&s, s.radius, position, (turn * s.given).toRotationMatrix()};
}
Placed ball(double radius, const Vec3& position) { return {nullptr, radius, position, Mat3::Identity()}; }

std::vector<Touch> touches(const Placed& a, const Placed& b, double reach = 0.1) {
  std::vector<Touch> found;
  ShapeContacts().find(a, b, reach, found);
  return found;
}

Quat about(const Vec3& axis, double angle) { return Quat(Eigen::AngleAxisd(angle, axis.normalized())); }

void check_all(const std::vector<Touch>& found, std::size_t count, const Vec3& normal, double gap, double height) {
  BOOST_TEST(found.size() == count);
  for (const Touch& touch : found) {
    BOOST_TEST((touch.normal - normal).norm() <= 1e-12);
    BOOST_TEST(std::abs(touch.gap - gap) <= 1e-12);
    BOOST_TEST(std::abs(touch.point.z() - height) <= 1e-12);
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_box_on_a_box_touches_in_four_points) {
  for (const double gap : {-0.01, -1e-9, 0.0, 1e-9, 0.05})
    for (const int upper : {cube, hull_cube}) {
      const auto found = touches(at(slab, Vec3::Zero()), at(upper, {0.3, 0.1, 0.75 + gap}));
      check_all(found, 4, Vec3::UnitZ(), gap, 0.25 + 0.5 * gap);
      for (const Touch& touch : found) {
        BOOST_TEST(std::abs(std::abs(touch.point.x() - 0.3) - 0.5) <= 1e-12);
        BOOST_TEST(std::abs(std::abs(touch.point.y() - 0.1) - 0.5) <= 1e-12);
      }
      check_all(touches(at(upper, {0.3, 0.1, 0.75 + gap}), at(slab, Vec3::Zero())), 4, -Vec3::UnitZ(), gap,
                0.25 + 0.5 * gap);
    }
}

BOOST_AUTO_TEST_CASE(equal_boxes_on_top_of_each_other_do_not_see_points_twice) {
  check_all(touches(at(cube, Vec3::Zero()), at(cube, {0.0, 0.0, 1.0})), 4, Vec3::UnitZ(), 0.0, 0.5);
  const Quat tiny = about(Vec3::UnitZ(), 1e-12);
  check_all(touches(at(cube, Vec3::Zero()), at(cube, {0.0, 0.0, 1.0}, tiny)), 4, Vec3::UnitZ(), 0.0, 0.5);
}

BOOST_AUTO_TEST_CASE(a_box_turned_by_an_eighth_touches_in_eight_points) {
  const Quat eighth = about(Vec3::UnitZ(), std::numbers::pi / 4.0);
  check_all(touches(at(cube, Vec3::Zero()), at(cube, {0.0, 0.0, 1.001}, eighth)), 8, Vec3::UnitZ(), 0.001, 0.5005);
}

BOOST_AUTO_TEST_CASE(a_box_that_is_tilted_touches_with_an_edge) {
  const double angle = 0.2, rise = 0.5 * std::cos(angle) + 0.5 * std::sin(angle);
  const auto found =
      touches(at(slab, Vec3::Zero()), at(cube, {0.0, 0.0, 0.25 + rise + 1e-3}, about(Vec3::UnitY(), angle)), 0.01);
  check_all(found, 2, Vec3::UnitZ(), 1e-3, 0.2505);
}

BOOST_AUTO_TEST_CASE(edges_that_cross_touch_in_one_point) {
  const double half_diagonal = std::sqrt(0.5);
  const auto found =
      touches(at(cube, Vec3::Zero(), about(Vec3::UnitX(), std::numbers::pi / 4.0)),
              at(cube, {0.1, 0.2, 2.0 * half_diagonal + 1e-3}, about(Vec3::UnitY(), std::numbers::pi / 4.0)), 0.01);
  BOOST_TEST_REQUIRE(!found.empty());
  const auto deepest = std::ranges::min_element(found, {}, &Touch::gap);
  BOOST_TEST((deepest->normal - Vec3::UnitZ()).norm() <= 1e-6);
  BOOST_TEST(std::abs(deepest->gap - 1e-3) <= 1e-9);
  BOOST_TEST((deepest->point - Vec3(0.1, 0.0, half_diagonal + 5e-4)).norm() <= 1e-6);
}

BOOST_AUTO_TEST_CASE(spheres_touch_in_one_point) {
  for (const int shape : {cube, hull_cube}) {
    const auto face = touches(at(shape, Vec3::Zero()), ball(0.2, {0.1, -0.2, 0.71}));
    BOOST_TEST_REQUIRE(face.size() == 1);
    BOOST_TEST((face[0].normal - Vec3::UnitZ()).norm() <= 1e-9);
    BOOST_TEST(std::abs(face[0].gap - 0.01) <= 1e-9);
    BOOST_TEST((face[0].point - Vec3(0.1, -0.2, 0.505)).norm() <= 1e-9);
    const auto corner = touches(ball(0.2, Vec3::Constant(0.6)), at(shape, Vec3::Zero()));
    BOOST_TEST_REQUIRE(corner.size() == 1);
    BOOST_TEST((corner[0].normal + Vec3::Ones().normalized()).norm() <= 1e-6);
    BOOST_TEST(std::abs(corner[0].gap - (0.1 * std::sqrt(3.0) - 0.2)) <= 1e-9);
  }
  const auto inside = touches(at(cube, Vec3::Zero()), ball(0.1, {0.0, 0.45, 0.1}));
  BOOST_TEST_REQUIRE(inside.size() == 1);
  BOOST_TEST((inside[0].normal - Vec3::UnitY()).norm() <= 1e-12);
  BOOST_TEST(std::abs(inside[0].gap + 0.15) <= 1e-12);
  BOOST_TEST(touches(at(cube, Vec3::Zero()), ball(0.2, {0.0, 0.0, 1.0})).empty());
}

BOOST_AUTO_TEST_CASE(capsules_and_cylinders_lie_on_lines_and_stand_on_rims) {
  const Quat lying = about(Vec3::UnitY(), std::numbers::pi / 2.0);
  check_all(touches(at(slab, Vec3::Zero()), at(pill, {0.0, 0.0, 0.55}, lying)), 2, Vec3::UnitZ(), 0.0, 0.25);
  check_all(touches(at(slab, Vec3::Zero()), at(can, {0.0, 0.0, 0.65}, lying)), 2, Vec3::UnitZ(), 0.0, 0.25);
  check_all(touches(at(slab, Vec3::Zero()), at(can, {0.0, 0.0, 0.76})), 8, Vec3::UnitZ(), 0.01, 0.255);
  check_all(touches(at(pill, Vec3::Zero(), lying), at(pill, {0.5, 0.0, 0.61}, lying)), 2, Vec3::UnitZ(), 0.01, 0.305);
  const auto crossed =
      touches(at(pill, Vec3::Zero(), lying), at(pill, {0.1, 0.0, 0.61}, about(Vec3::UnitX(), std::numbers::pi / 2.0)));
  check_all(crossed, 1, Vec3::UnitZ(), 0.01, 0.305);
  const auto standing = touches(at(slab, Vec3::Zero()), at(pill, {0.0, 0.0, 1.15}));
  BOOST_TEST_REQUIRE(!standing.empty());
  BOOST_TEST(std::abs(standing[0].gap) <= 1e-9);
}

BOOST_AUTO_TEST_CASE(bodies_touch_walls_with_their_corners) {
  const Wall floor{"floor", Plane{Vec3::Zero(), Vec3::UnitZ()}, 0};
  const auto on_floor = [&](const Placed& body, double reach = 0.01) {
    std::vector<Touch> found;
    touch_wall(body, floor, reach, found);
    return found;
  };
  check_all(on_floor(at(cube, {0.0, 0.0, 0.501})), 4, -Vec3::UnitZ(), 1e-3, 5e-4);
  check_all(on_floor(at(hull_cube, {0.0, 0.0, 0.499})), 4, -Vec3::UnitZ(), -1e-3, -5e-4);
  check_all(on_floor(at(can, {0.0, 0.0, 0.5})), 8, -Vec3::UnitZ(), 0.0, 0.0);
  const Quat lying = about(Vec3::UnitY(), std::numbers::pi / 2.0);
  check_all(on_floor(at(can, {0.0, 0.0, 0.4}, lying)), 2, -Vec3::UnitZ(), 0.0, 0.0);
  check_all(on_floor(at(pill, {0.0, 0.0, 0.3}, lying)), 2, -Vec3::UnitZ(), 0.0, 0.0);
  check_all(on_floor(at(pill, {0.0, 0.0, 0.9})), 1, -Vec3::UnitZ(), 0.0, 0.0);

  const Wall drum{"drum", Tube{Vec3::Zero(), Vec3::UnitY(), 1.0}, 0};
  std::vector<Touch> in_drum;
  touch_wall(at(cube, {0.0, 0.0, -std::sqrt(0.75) + 0.5}), drum, 0.01, in_drum);
  BOOST_TEST(in_drum.size() == 4);
  for (const Touch& touch : in_drum) BOOST_TEST(std::abs(touch.gap) <= 1e-12);
}

BOOST_AUTO_TEST_CASE(points_are_where_both_bodies_are_near) {
  // Whatever the attitudes: each point, moved by half its gap along the normal, lies on or near both surfaces, and no
  // gap is less than that of the separating direction which the normal is.
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  ShapeContacts contacts;
  std::vector<Vec3> corners;
  int several = 0, trials = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const auto turn = [&] {
      return Quat(uniform(random), uniform(random), uniform(random), uniform(random)).normalized();
    };
    const Placed a = at(trial % 2 == 0 ? cube : hull_cube, Vec3::Zero(), turn());
    const Placed b = at(cube, 0.9 * Vec3(uniform(random), uniform(random), uniform(random)), turn());
    std::vector<Touch> found;
    contacts.find(a, b, 0.05, found);
    if (found.empty()) continue;
    ++trials;
    several += found.size() > 1 ? 1 : 0;
    for (const Touch& touch : found) {
      BOOST_TEST(std::abs(touch.normal.norm() - 1.0) <= 1e-9);
      BOOST_TEST(touch.normal.dot(b.position - a.position) > -0.5);
      const Vec3 on_a = a.shape->given * a.to_body(touch.point - 0.5 * touch.gap * touch.normal);
      const Vec3 on_b = b.to_body(touch.point + 0.5 * touch.gap * touch.normal);
      BOOST_TEST(on_a.cwiseAbs().maxCoeff() <= 0.5 + 1e-6);
      BOOST_TEST(on_b.cwiseAbs().maxCoeff() <= 0.5 + 1e-6);
    }
  }
  BOOST_TEST(trials > 1000);
  BOOST_TEST(several > trials / 2);
}

BOOST_AUTO_TEST_CASE(the_rate_of_box_pairs) {
  // A stack of boxes in a wall: run with --log_level=message to see the figure of docs/performance.md.
  ShapeContacts contacts;
  std::vector<Touch> found;
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(-0.02, 0.02);
  constexpr int pairs = 20000;
  std::vector<Placed> placed;
  for (int k = 0; k < 2 * pairs; ++k)
    placed.push_back(at(cube, Vec3(uniform(random), uniform(random), (k % 2 == 0 ? 0.0 : 1.0) + 0.1 * uniform(random)),
                        about({uniform(random), uniform(random), 1.0}, 20.0 * uniform(random))));
  const std::clock_t start = std::clock();
  for (int k = 0; k < pairs; ++k) contacts.find(placed[2 * k], placed[2 * k + 1], 0.05, found);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;  // of the processor
  BOOST_TEST(found.size() > 4 * pairs);
  BOOST_TEST_MESSAGE(pairs / seconds << " touching box pairs a second, " << static_cast<double>(found.size()) / pairs
                                     << " points each");
}

BOOST_AUTO_TEST_CASE(points_in_a_plane_make_no_hull) {
  BOOST_CHECK_THROW((void)hull_of_points("flat", {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0.3, 0.4, 0}}),
                    InputError);
  BOOST_CHECK_THROW((void)hull_of_points("few", {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}), InputError);
}

namespace {

/// A floor of squares cut into triangles, from -3 to 3, that rises behind x = 0 with this slope.
MeshSurface floor_mesh(double slope, int squares = 6) {
  std::vector<Vec3> vertices;
  std::vector<TriangleMesh::Triangle> triangles;
  const double edge = 6.0 / squares;
  for (int y = 0; y <= squares; ++y)
    for (int x = 0; x <= squares; ++x) {
      const double at = -3.0 + edge * x;
      vertices.emplace_back(at, -3.0 + edge * y, std::max(0.0, at) * slope);
    }
  for (int y = 0; y < squares; ++y)
    for (int x = 0; x < squares; ++x) {
      const int first = y * (squares + 1) + x, above = first + squares + 1;
      triangles.push_back({first, first + 1, above});
      triangles.push_back({first + 1, above + 1, above});
    }
  return {std::make_shared<const TriangleMesh>(vertices, triangles)};
}

std::vector<Touch> on_mesh(const Placed& body, const MeshSurface& mesh, double reach) {
  std::vector<Touch> found;
  ShapeContacts().find(body, mesh, reach, found);
  return found;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_sphere_feels_nothing_of_the_edges_in_a_flat_mesh) {
  const MeshSurface flat = floor_mesh(0.0);
  // In faces, on edges, on corners, and next to them by what rounding leaves.
  for (const double x : {0.3, 0.5, 1.0, 1.0 + 1e-16, 1.0 - 1e-9, 0.999999})
    for (const double y : {0.2, 0.5, 0.0, 1e-15, -1e-10, 1e-7, 0.7 + 1e-17})
      for (const double gap : {-0.1, -1e-9, 0.0, 0.05})
        check_all(on_mesh(ball(0.9, {x, y, 0.9 + gap}), flat, 0.1), 1, -Vec3::UnitZ(), gap, 0.5 * gap);
  check_all(on_mesh(ball(0.9, {0.3, 0.2, -0.95}), flat, 0.1), 1, Vec3::UnitZ(), 0.05, -0.025);  // from below
  BOOST_TEST(on_mesh(ball(0.9, {0.3, 0.2, 1.1}), flat, 0.1).empty());
}

BOOST_AUTO_TEST_CASE(a_sphere_touches_both_sides_of_a_valley_and_the_edge_of_a_ridge) {
  const double angle = 0.6, r = 0.7;
  const MeshSurface valley = floor_mesh(std::tan(angle)), ridge = floor_mesh(-std::tan(angle));
  // Touches both faces, r tan(angle / 2) beside the edge.
  const auto both = on_mesh(ball(r, {-r * std::tan(0.5 * angle), 0.1, r}), valley, 1e-3);
  BOOST_TEST_REQUIRE(both.size() == 2);
  for (const Touch& touch : both) BOOST_TEST(std::abs(touch.gap) <= 1e-12);
  BOOST_TEST(std::abs(both[0].normal.dot(both[1].normal) - std::cos(angle)) <= 1e-12);
  // Above the ridge, between the normals of its faces: the edge alone.
  const Vec3 direction(std::sin(0.4 * angle), 0.0, std::cos(0.4 * angle));
  const auto edge = on_mesh(ball(r, Vec3(0.0, 0.3, 0.0) + (r + 0.01) * direction), ridge, 0.1);
  BOOST_TEST_REQUIRE(edge.size() == 1);
  BOOST_TEST((edge[0].normal + direction).norm() <= 1e-12);
  BOOST_TEST(std::abs(edge[0].gap - 0.01) <= 1e-12);
}

BOOST_AUTO_TEST_CASE(bodies_lie_on_a_flat_mesh_as_on_a_plane) {
  const MeshSurface flat = floor_mesh(0.0, 7);  // with edges under the bodies
  const Quat lying = about(Vec3::UnitY(), std::numbers::pi / 2.0);
  for (const double gap : {-0.01, -1e-9, 0.0, 1e-3})
    for (const Vec3& at_place : {Vec3(0.0, 0.0, gap), Vec3(0.31, -0.17, gap), Vec3(3.0 / 7.0, 0.2, gap)})
      for (const int shape : {cube, slab, hull_cube, can, pill}) {
        const bool lies = shape == can || shape == pill;
        const double height = shape == slab ? 0.25 : shape == can ? 0.4 : shape == pill ? 0.3 : 0.5;
        const auto found =
            on_mesh(at(shape, at_place + height * Vec3::UnitZ(), lies ? lying : Quat::Identity()), flat, 0.01);
        BOOST_TEST_CONTEXT("shape " << shape << ", gap " << gap << ", x " << at_place.x()) {
          double low = HUGE_VAL, high = -HUGE_VAL;
          for (const Touch& touch : found) {
            BOOST_TEST((touch.normal + Vec3::UnitZ()).norm() <= 1e-9);
            BOOST_TEST(std::abs(touch.gap - gap) <= 1e-9);
            low = std::min(low, touch.point.x() - at_place.x()), high = std::max(high, touch.point.x() - at_place.x());
          }
          const double reach = shape == slab ? 2.0 : shape == pill ? 0.6 : 0.5;
          BOOST_TEST(found.size() == (lies ? 2U : 4U));
          BOOST_TEST(std::abs(low + reach) <= 1e-6);
          BOOST_TEST(std::abs(high - reach) <= 1e-6);
        }
      }
}

BOOST_AUTO_TEST_CASE(a_tilted_box_has_the_corners_above_a_flat_mesh_that_it_has_above_a_plane) {
  const MeshSurface flat = floor_mesh(0.0, 11);
  const model::Wall plane{"floor", model::Plane{Vec3::Zero(), Vec3::UnitZ()}, 0};
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const auto by_place = [](const Touch& a, const Touch& b) {
    return std::pair(std::lround(1e6 * a.point.x()), a.point.y()) <
           std::pair(std::lround(1e6 * b.point.x()), b.point.y());
  };
  for (int trial = 0; trial < 200; ++trial) {
    const double tilt = std::pow(10.0, -2.0 - 2.5 * std::abs(uniform(random)));
    const Quat turn = about(Vec3(uniform(random), uniform(random), 0.0), tilt) * about(Vec3::UnitZ(), uniform(random));
    const Placed box = at(trial % 2 == 0 ? cube : hull_cube, {uniform(random), uniform(random), 0.51}, turn);
    std::vector<Touch> expected, found = on_mesh(box, flat, 0.05);
    touch_wall(box, plane, 0.05, expected);
    BOOST_TEST_REQUIRE(found.size() == 4, "trial " << trial << ", tilt " << tilt);
    BOOST_TEST_REQUIRE(expected.size() == 4);
    std::ranges::sort(found, by_place);
    std::ranges::sort(expected, by_place);
    for (std::size_t k = 0; k < 4; ++k) {
      BOOST_TEST((found[k].point - expected[k].point).norm() <= 1e-7);
      BOOST_TEST(std::abs(found[k].gap - expected[k].gap) <= 1e-7);
    }
  }
}

BOOST_AUTO_TEST_CASE(of_points_on_a_line_or_in_a_square_the_ends_and_corners_remain) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> noise(-1e-9, 1e-9), share(0.0, 1.0);
  for (int trial = 0; trial < 100; ++trial) {
    const bool is_square = trial % 2 == 0;
    std::vector<Touch> touches{{{7.0, 0.0, 0.0}, Vec3::UnitZ(), 0.0}};
    const std::vector<Vec3> corners = is_square ? std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}
                                                : std::vector<Vec3>{{0, 0, 0}, {1, 1, 0}};
    const auto add = [&](const Vec3& point) { touches.push_back({point, Vec3::UnitZ(), 0.01 * point.x()}); };
    for (const Vec3& corner : corners) add(corner + Vec3(noise(random), noise(random), 0.0));
    for (int k = 0; k < 10; ++k) {
      const std::size_t side = static_cast<std::size_t>(k) % corners.size();
      const double at_share = 0.1 + 0.8 * share(random);
      add((1.0 - at_share) * corners[side] + at_share * corners[(side + 1) % corners.size()] +
          Vec3(noise(random), noise(random), 0.0));
    }
    std::shuffle(touches.begin() + 1, touches.end(), random);
    keep_corners(touches, 1, 1e-6);
    BOOST_TEST(touches.size() == 1 + corners.size(), "trial " << trial);
    for (const Vec3& corner : corners)
      BOOST_TEST(std::ranges::any_of(touches, [&](const Touch& t) { return (t.point - corner).norm() <= 1e-8; }));
  }
}

BOOST_AUTO_TEST_CASE(a_box_that_slides_over_a_flat_mesh_is_only_pushed_up) {
  const MeshSurface flat = floor_mesh(0.0);
  std::mt19937_64 random(9);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int trial = 0; trial < 300; ++trial) {
    const Placed box = at(trial % 2 == 0 ? cube : hull_cube, {uniform(random), uniform(random), 0.5 - 1e-4},
                          about(Vec3::UnitZ(), uniform(random)));
    const auto found = on_mesh(box, flat, 0.05);
    BOOST_TEST(found.size() == 4);
    for (const Touch& touch : found) BOOST_TEST(std::abs(touch.normal.z() + 1.0) <= 1e-9, "trial " << trial);
  }
}

BOOST_AUTO_TEST_CASE(clusters_touch_with_each_of_their_parts) {
  const auto block = std::make_shared<const Shape>(shapes()[cube]);
  const Shape pair = make_shape(
      "pair", Cluster{{make_part(block, {0.0, 0.0, 0.0}, Quat::Identity()), make_part(0.5, {2.0, 0.0, 0.0})}});
  const Placed placed_pair{&pair, pair.radius, {1.0, 0.0, 0.5}, pair.given.toRotationMatrix()};
  std::vector<Touch> found;
  touch_wall(placed_pair, {"floor", Plane{Vec3::Zero(), Vec3::UnitZ()}, 0}, 1e-6, found);
  check_all(found, 5, -Vec3::UnitZ(), 0.0, 0.0);
  // Edges of the mesh run below the cube, which adds points to those of its corners.
  const auto on_floor = on_mesh(placed_pair, floor_mesh(0.0, 2), 1e-6);
  check_all(on_floor, std::clamp<std::size_t>(on_floor.size(), 5, 9), -Vec3::UnitZ(), 0.0, 0.0);
  const auto on_slab = touches(at(slab, {1.0, 0.0, -0.25}), placed_pair, 1e-6);
  check_all(on_slab, 5, Vec3::UnitZ(), 0.0, 0.0);
}
