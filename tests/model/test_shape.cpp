// Volume and inertia of shapes against closed forms and against sums over points.
// ranks: 1
#include "scree/model/shape.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <random>

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
