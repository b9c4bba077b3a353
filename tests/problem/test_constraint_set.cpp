// ranks: 1 2
#include "scree/problem/constraint_set.hpp"

#include <cmath>
#include <random>
#include <vector>

#include "scree/parallel/petsc.hpp"
#include "scree/problem/one_contact.hpp"
#include "support/nearest.hpp"
#include "support/support.hpp"

using scree::model::Vec3;
using scree::parallel::petsc;
using scree::parallel::ReadArray;
using scree::parallel::Vector;
using scree::parallel::WriteArray;
using scree::problem::ConstraintSet;
using scree::problem::Law;
using scree::problem::laws;
using scree::problem::RowBounds;
using namespace scree::test;

namespace {

/// The numbers of several contacts as a distributed vector. Rank 1 has none of its own.
Vector vector_of(const std::vector<Vec3>& contacts) {
  const std::size_t here = world().rank() == 1 ? 0 : contacts.size();
  Vector result(world(), static_cast<int>(here));
  const WriteArray out(result);
  for (std::size_t k = 0; k < here; ++k) Eigen::Map<Vec3>(out.data() + 3 * k) = contacts[k];
  return result;
}

/// K for contacts that all have the same friction coefficient and bound.
ConstraintSet set_of(Law law, std::size_t contacts, double friction, double bound) {
  return {law, std::vector<double>(contacts, friction), std::vector<double>(contacts, bound)};
}

/// Points of all directions, of magnitudes 1e-4 to 1e4.
std::vector<Vec3> random_points(unsigned seed, std::size_t count) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> decades(-4.0, 4.0);
  std::vector<Vec3> result(count);
  for (Vec3& x : result) x = std::pow(10.0, decades(random)) * Vec3(normal(random), normal(random), normal(random));
  return result;
}

/// K of contacts and two joints at the end, each block different.
ConstraintSet mixed_set(Law law, std::size_t blocks) {
  ConstraintSet set = set_of(law, blocks - 2, 0.0, 0.0);
  set.friction.clear();
  for (std::size_t k = 0; k < set.bound.size(); ++k) set.friction.push_back(1e-3 * k), set.bound[k] = 1e-2 * k;
  set.joints = {RowBounds{{-HUGE_VAL, 0.0, 0.0}, {HUGE_VAL, 0.0, HUGE_VAL}}, RowBounds{{-1, -2, -3}, {1, 2, 3}}};
  return set;
}

}  // namespace

BOOST_AUTO_TEST_CASE(vectors_are_projected_block_by_block) {
  const auto points = random_points(6, 1000);
  for (const auto& info : laws()) {
    const ConstraintSet set = mixed_set(info.law, points.size());
    const Vector x = vector_of(points), y = vector_of(points), metric = vector_of(random_points(7, points.size()));
    petsc(VecAbs(metric));
    set.project(x);
    set.project(y, metric);
    const ReadArray values(x), scaled(y), scales(metric);
    for (int k = 0; k < values.size() / 3; ++k) {
      const Vec3 nearest = set[k].project(points[k]);
      BOOST_TEST((Vec3(values.data() + 3 * k) == nearest), info.name << ", block " << k);
      BOOST_TEST((nearest - nearest_admissible(set, k, points[k])).norm() <= 1e-7 * points[k].norm(), info.name);
      const Vec3 in_metric = project_in_metric(set[k], points[k], Vec3(scales.data() + 3 * k));
      BOOST_TEST((Vec3(scaled.data() + 3 * k) == in_metric), info.name << ", block " << k);
    }
  }
}

BOOST_AUTO_TEST_CASE(impulses_in_their_cones_stay_as_they_are_and_those_on_the_mantle_come_out_as_single_blocks_do) {
  auto points = random_points(8, 1000);
  const ConstraintSet set = mixed_set(Law::cone, points.size());
  for (std::size_t k = 0; k < points.size(); ++k) {  // whole groups inside, whole groups nearly outside, both together
    Vec3& x = points[k];
    const double radius = set.friction[k] * std::abs(x[0]), share = k / 100 % 3 == 0 ? 0.5 : k % 2 == 0 ? 1.0 : 0.9;
    x = k % 7 == 0 ? Vec3(Vec3::Zero()) : Vec3(std::abs(x[0]), share * radius * 0.6, share * radius * 0.8);
  }
  const Vector x = vector_of(points);
  set.project(x);
  const ReadArray values(x);
  int moved = 0;
  for (int k = 0; k < values.size() / 3; ++k) {
    const Vec3& point = points[static_cast<std::size_t>(k)];
    const Vec3 projected(values.data() + 3 * k);
    BOOST_TEST((projected == set[k].project(point)), "block " << k);
    if (set.is_joint(k)) continue;
    if (k / 100 % 3 == 0) BOOST_TEST((projected == point), "block " << k);
    if (projected != point) ++moved;
  }
  BOOST_TEST((moved > 0 || values.size() == 0));
}

BOOST_AUTO_TEST_CASE(gradients_are_projected_block_by_block) {
  const auto g = random_points(8, 1000);
  for (const auto& info : laws()) {
    const ConstraintSet set = mixed_set(info.law, g.size());
    const Vector x = vector_of(random_points(9, g.size())), gradient = vector_of(g), result = vector_of(g);
    set.project(x);
    set.project_gradient(x, gradient, result);
    const ReadArray at(x), y(result);
    for (int k = 0; k < y.size() / 3; ++k) {
      const Vec3 expected = -set[k].project_on_tangent_cone(Vec3(at.data() + 3 * k), -g[k]);
      BOOST_TEST((Vec3(y.data() + 3 * k) == expected), info.name << ", block " << k);
    }
  }
}

BOOST_AUTO_TEST_CASE(only_coulombs_law_shifts_velocities) {
  const Vec3 w(-1.0, 3.0, -4.0);
  for (const auto& info : laws()) {
    ConstraintSet set = set_of(info.law, 1, 0.5, 2.0);
    set.joints = {RowBounds{{0, 0, 0}, {1, 1, 1}}};
    BOOST_TEST((set.shifted(0, w) == Vec3(info.law == Law::coulomb ? 1.5 : -1.0, 3.0, -4.0)), info.name);
    BOOST_TEST((set.shifted(1, w) == w), info.name);
  }
}

BOOST_AUTO_TEST_CASE(the_projected_gradient_without_friction_or_room) {
  // A cone without opening is a ray; a box without width too.
  const std::vector<Vec3> x = {{2.0, 0.0, 0.0}, Vec3::Zero(), Vec3::Zero()};
  const std::vector<Vec3> g = {{1.0, 2.0, -3.0}, {1.0, 2.0, -3.0}, {-1.0, 2.0, -3.0}};
  const std::vector<Vec3> expected = {{1.0, 0.0, 0.0}, Vec3::Zero(), {-1.0, 0.0, 0.0}};
  for (const auto& info : laws_of_beds()) {
    const Vector point = vector_of(x), gradient = vector_of(g), result = vector_of(g);
    set_of(info.law, x.size(), 0.0, 0.0).project_gradient(point, gradient, result);
    const ReadArray y(result);
    for (int k = 0; k < y.size() / 3; ++k)
      BOOST_TEST((Vec3(y.data() + 3 * k) == expected[k]), info.name << ", contact " << k);
  }
}

BOOST_AUTO_TEST_CASE(components_between_their_bounds_are_free) {
  const std::vector<Vec3> x = {{1.0, 0.0, 0.0}, {0.0, 1.0, -2.0}, {1e-300, 2.0, -1.9}, {5.0, -2.0, 2.0}};
  const std::vector<Vec3> normal_only = {{1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {1, 0, 0}};
  const std::vector<Vec3> in_box = {{1, 1, 1}, {0, 1, 0}, {1, 0, 1}, {1, 0, 0}};
  for (const Law law : {Law::frictionless, Law::box}) {
    const Vector point = vector_of(x), mask = vector_of(x);
    set_of(law, x.size(), 0.5, 2.0).mark_free(point, mask);
    const ReadArray free(mask);
    const auto& expected = law == Law::box ? in_box : normal_only;
    const auto given = law == Law::box ? x.size() : 1U;  // frictionless points have no tangential part
    for (int k = 0; k < free.size() / 3 && k < static_cast<int>(given); ++k)
      BOOST_TEST((Vec3(free.data() + 3 * k) == expected[k]), "contact " << k);
  }
}

BOOST_AUTO_TEST_CASE(tangential_components_of_discs_and_polygons_are_free_together) {
  const std::vector<Vec3> x = {{1.0, 0.0, 0.0}, {0.0, 1.0, -1.0}, {0.0, 2.0, 0.0}, {5.0, 0.0, -2.0}};
  const std::vector<Vec3> expected = {{1, 1, 1}, {0, 1, 1}, {0, 0, 0}, {1, 0, 0}};
  for (const Law law : {Law::prism, Law::cylinder}) {
    const Vector point = vector_of(x), mask = vector_of(x);
    set_of(law, x.size(), 0.5, 2.0).mark_free(point, mask);
    const ReadArray free(mask);
    for (int k = 0; k < free.size() / 3; ++k) BOOST_TEST((Vec3(free.data() + 3 * k) == expected[k]), "contact " << k);
  }
}

BOOST_AUTO_TEST_CASE(the_reach_of_vectors_is_the_least_of_their_blocks) {
  const ConstraintSet set = set_of(Law::cylinder, 3, 0.5, 2.0);
  const std::vector<Vec3> x = {{1.0, 0.0, 0.0}, {6.0, 1.0, 0.0}, {0.0, 0.0, 0.0}};
  const std::vector<Vec3> g = {{0.5, 0.0, 0.0}, {3.0, 2.0, 0.0}, {-1.0, 0.0, 0.5}};
  const Vector point = vector_of(x), gradient = vector_of(g);
  const bool has_second = ReadArray(point).size() >= 6;
  const double reach = set.reach(point, gradient);
  if (has_second) BOOST_TEST(std::abs(reach - 1.5) <= 1e-15);  // 1 - 2 t = -2; the first contact opens at t = 2
}

BOOST_AUTO_TEST_CASE(laws_have_names) {
  for (const auto& info : laws()) {
    BOOST_TEST(name_of(info.law) == info.name);
  }
}
