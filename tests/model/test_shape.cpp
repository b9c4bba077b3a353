// Volume and inertia of shapes against closed forms and against sums over points.
// ranks: 1
#include "scree/model/shape.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <random>

#include "scree/model/triangle_mesh.hpp"
#include "scree/parallel/error.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::model;

namespace {

constexpr double pi = 3.14159265358979323846;

/// A box with corners away from the origin, as a hull.
Hull box_hull(const Vec3& centre, const Vec3& half, const Quat& turn) {
  Hull hull;
  for (int k = 0; k < 8; ++k)
    hull.vertices.push_back(centre + turn * half.cwiseProduct(Vec3((k & 1) != 0 ? 1.0 : -1.0, (k & 2) != 0 ? 1.0 : -1.0,
                                                                   (k & 4) != 0 ? 1.0 : -1.0)));
  hull.faces = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  return hull;
}

}  // namespace

BOOST_AUTO_TEST_CASE(cuboids_have_the_moments_of_the_textbook) {
  const Shape shape = make_shape("brick", Cuboid{{1.0, 2.0, 3.0}});
  BOOST_TEST(std::abs(shape.volume - 48.0) <= 1e-12);
  BOOST_TEST((shape.moments - 48.0 / 12.0 * Vec3(16.0 + 36.0, 4.0 + 36.0, 4.0 + 16.0)).norm() <= 1e-10);
  BOOST_TEST(std::abs(shape.radius - std::sqrt(14.0)) <= 1e-12);
}

BOOST_AUTO_TEST_CASE(capsules_and_cylinders_agree_with_sums_over_points) {
  const Capsule capsule{0.5, 0.7};
  const Cylinder cylinder{0.5, 0.7};
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(-1.2, 1.2);
  constexpr int samples = 400000;
  Vec3 of_capsule = Vec3::Zero(), of_cylinder = Vec3::Zero();
  double in_capsule = 0.0, in_cylinder = 0.0;
  for (int k = 0; k < samples; ++k) {
    const Vec3 p(uniform(random), uniform(random), uniform(random));
    const Vec3 squares = p.cwiseAbs2(), moments = Vec3::Constant(squares.sum()) - squares;
    const Vec3 from_axis = p - Vec3(0.0, 0.0, std::clamp(p.z(), -0.7, 0.7));
    if (from_axis.norm() <= 0.5) of_capsule += moments, in_capsule += 1.0;
    if (std::hypot(p.x(), p.y()) <= 0.5 && std::abs(p.z()) <= 0.7) of_cylinder += moments, in_cylinder += 1.0;
  }
  const double cell = std::pow(2.4, 3) / samples;
  const Shape a = make_shape("pill", capsule), b = make_shape("can", cylinder);
  BOOST_TEST(std::abs(in_capsule * cell / a.volume - 1.0) <= 0.02);
  BOOST_TEST(std::abs(in_cylinder * cell / b.volume - 1.0) <= 0.02);
  BOOST_TEST((cell * of_capsule - a.moments).norm() <= 0.02 * a.moments.norm());
  BOOST_TEST((cell * of_cylinder - b.moments).norm() <= 0.02 * b.moments.norm());
  BOOST_TEST(std::abs(b.volume - pi * 0.25 * 1.4) <= 1e-12);
}

BOOST_AUTO_TEST_CASE(a_hull_is_moved_to_its_centre_and_turned_to_its_axes) {
  const Quat turn(Eigen::AngleAxisd(0.7, Vec3(1.0, -2.0, 0.5).normalized()));
  const Shape hull = make_shape("rock", box_hull({3.0, -1.0, 2.0}, {1.0, 2.0, 3.0}, turn));
  const Shape box = make_shape("brick", Cuboid{{1.0, 2.0, 3.0}});
  BOOST_TEST(std::abs(hull.volume / box.volume - 1.0) <= 1e-12);
  Vec3 sorted = hull.moments, expected = box.moments;
  std::ranges::sort(sorted);
  std::ranges::sort(expected);
  BOOST_TEST((sorted - expected).norm() <= 1e-10 * expected.norm());
  BOOST_TEST(std::abs(hull.radius - box.radius) <= 1e-12);
  // Turned back, the vertices stand about their centre as they were given.
  for (const Vec3& vertex : std::get<Hull>(hull.form).vertices) {
    const Vec3 in_box = turn.conjugate() * (hull.given * vertex);
    BOOST_TEST((in_box.cwiseAbs() - Vec3(1.0, 2.0, 3.0)).norm() <= 1e-12);
  }
}

BOOST_AUTO_TEST_CASE(bodies_take_mass_and_attitude_from_their_shape) {
  const std::vector<Shape> shapes{make_shape("brick", Cuboid{{0.1, 0.2, 0.3}}),
                                  make_shape("rock", box_hull({0.5, 0.0, 0.0}, {0.1, 0.2, 0.3}, Quat::Identity()))};
  const Quat turn(Eigen::AngleAxisd(1.1, Vec3(0.0, 1.0, 1.0).normalized()));
  const auto world_inertia = [](const Body& body) -> Mat3 {
    const Mat3 R = Quat(body.attitude).toRotationMatrix();
    return R * Vec3(body.inertia).asDiagonal() * R.transpose();
  };
  const Body a = make_body(4, {1.0, 2.0, 3.0}, turn, shapes, 0, 2000.0, 1);
  const Body b = make_body(5, {1.0, 2.0, 3.0}, turn, shapes, 1, 2000.0, 1);
  BOOST_TEST(std::abs(a.mass - 2000.0 * 0.048) <= 1e-10);
  BOOST_TEST(a.shape == 0);
  BOOST_TEST(b.shape == 1);
  BOOST_TEST((world_inertia(a) - world_inertia(b)).norm() <= 1e-10 * world_inertia(a).norm());
}

BOOST_AUTO_TEST_CASE(a_form_without_volume_is_refused) {
  BOOST_CHECK_THROW((void)make_shape("sheet", Cuboid{{1.0, 1.0, 0.0}}), InputError);
  BOOST_CHECK_THROW((void)make_shape("flat", box_hull(Vec3::Zero(), {1.0, 1.0, 0.0}, Quat::Identity())), InputError);
}

namespace {

/// The surface of a box in triangles.
TriangleMesh box_mesh(const Vec3& centre, const Vec3& half, const Quat& turn, bool inwards = false) {
  const Hull hull = box_hull(centre, half, turn);
  std::vector<TriangleMesh::Triangle> triangles;
  for (const std::vector<int>& f : hull.faces)
    for (std::size_t k = 2; k < f.size(); ++k)
      triangles.push_back(inwards ? TriangleMesh::Triangle{f[0], f[k], f[k - 1]}
                                  : TriangleMesh::Triangle{f[0], f[k - 1], f[k]});
  return {hull.vertices, triangles};
}

}  // namespace

BOOST_AUTO_TEST_CASE(clusters_have_the_mass_of_their_parts) {
  // A box of two halves, one of them turned about its own middle by half a turn, away from the origin.
  const Vec3 place(0.3, -2.0, 1.0);
  const Quat turn(Eigen::AngleAxisd(0.7, Vec3(1.0, 2.0, 3.0).normalized()));
  const auto half = std::make_shared<const Shape>(make_shape("half", Cuboid{{1.0, 2.0, 1.5}}));
  const Quat flipped = turn * Quat(Eigen::AngleAxisd(pi, Vec3::UnitX()));
  const Shape whole = make_shape("whole", Cluster{{make_part(half, place + turn * Vec3(0.0, 0.0, 1.5), turn),
                                                   make_part(half, place - turn * Vec3(0.0, 0.0, 1.5), flipped)}});
  const Shape brick = make_shape("brick", Cuboid{{1.0, 2.0, 3.0}});
  BOOST_TEST(std::abs(whole.volume - 48.0) <= 1e-10);
  std::vector<double> a(whole.moments.data(), whole.moments.data() + 3),
      b(brick.moments.data(), brick.moments.data() + 3);
  std::ranges::sort(a), std::ranges::sort(b);
  for (std::size_t k = 0; k < 3; ++k) BOOST_TEST(std::abs(a[k] - b[k]) <= 1e-9);
  // Two spheres: about the line through them 2/5 m r^2 each, across it by Steiner m d^2 more.
  const Shape dumbbell =
      make_shape("dumbbell", Cluster{{make_part(0.5, {1.0, 0.0, 0.0}), make_part(0.5, {3.0, 0.0, 0.0})}});
  const double ball = 4.0 / 3.0 * pi * 0.125;
  BOOST_TEST(std::abs(dumbbell.volume - 2.0 * ball) <= 1e-12);
  BOOST_TEST(std::abs(dumbbell.radius - 1.5) <= 1e-12);
  BOOST_TEST(std::abs(dumbbell.moments.minCoeff() - 2.0 * ball * 0.1) <= 1e-12);
  BOOST_TEST(std::abs(dumbbell.moments.maxCoeff() - 2.0 * ball * 1.1) <= 1e-12);
}

BOOST_AUTO_TEST_CASE(closed_meshes_have_the_moments_of_their_solid) {
  const Vec3 place(5.0, -1.0, 2.0), half(1.0, 2.0, 3.0);
  const Quat turn(Eigen::AngleAxisd(1.1, Vec3(3.0, 1.0, -1.0).normalized()));
  const TriangleMesh mesh = box_mesh(place, half, turn);
  BOOST_TEST(flaw_of_solid(mesh).what == "");
  const PrincipalAxes axes = principal_axes(solid_of(mesh));
  BOOST_TEST((axes.centre - place).norm() <= 1e-12);
  BOOST_TEST((axes.moments - Vec3(208.0, 160.0, 80.0)).norm() <= 1e-10);
  // A cluster that is to weigh what a mesh does lies where the mesh has its centre.
  const Shape shape =
      make_shape("hollow", Cluster{{make_part(1.0, place + turn * Vec3(0.0, 0.0, 0.5))}}, solid_of(mesh));
  BOOST_TEST(std::abs(shape.volume - 48.0) <= 1e-10);
  BOOST_TEST(std::abs(std::get<Cluster>(shape.form).parts[0].pose.position.norm() - 0.5) <= 1e-12);
}

BOOST_AUTO_TEST_CASE(what_is_no_solid_is_told) {
  const Quat none = Quat::Identity();
  BOOST_TEST(flaw_of_solid(box_mesh(Vec3::Zero(), Vec3::Ones(), none, true)).what.find("inwards") != std::string::npos);
  const TriangleMesh whole = box_mesh(Vec3::Zero(), Vec3::Ones(), none);
  auto triangles = whole.triangles();
  std::swap(triangles[3][0], triangles[3][1]);
  BOOST_TEST(flaw_of_solid({whole.vertices(), triangles}).what.find("same direction") != std::string::npos);
  triangles = whole.triangles();
  triangles.pop_back();
  BOOST_TEST(flaw_of_solid({whole.vertices(), triangles}).what.find("open edge") != std::string::npos);
}
