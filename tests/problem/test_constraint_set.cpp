// ranks: 1 2
#include "scree/problem/constraint_set.hpp"

#include <cmath>
#include <random>
#include <vector>

#include "scree/parallel/petsc.hpp"
#include "support/support.hpp"

using scree::model::Vec3;
using scree::parallel::ReadArray;
using scree::parallel::Vector;
using scree::parallel::WriteArray;
using scree::problem::ConstraintSet;
using scree::problem::Law;
using scree::problem::law_named;
using scree::problem::laws;
using scree::problem::project_on_box;
using scree::problem::project_on_cone;
using scree::test::world;

namespace {

constexpr double eps = 4e-15;  // a dozen roundings, relative to the size of the point
constexpr double frictions[] = {0.0, 1e-3, 0.3, 1.0, 50.0, 1e6};
constexpr int samples = 20000;  // per friction coefficient: more than 1e5 in all

/// Random points of all directions and of magnitudes 1e-8 to 1e8; some have zero components, some are zero.
class Points {
 public:
  explicit Points(unsigned seed) : random_(seed) {}
  Vec3 next() {
    Vec3 x(normal_(random_), normal_(random_), normal_(random_));
    for (int c = 0; c < 3; ++c)
      if (random_() % 8 == 0) x[c] = 0.0;
    return std::pow(10.0, std::uniform_real_distribution<double>(-8.0, 8.0)(random_)) * x;
  }
  double positive() { return next().norm(); }

 private:
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
};

double tangential(const Vec3& x) { return std::hypot(x.y(), x.z()); }

/// By Moreau p is the projection of x on a closed convex cone if and only if p lies in it, x - p in its polar cone, and
/// they are orthogonal. The polar of the friction cone: mu |y_T| <= -y_n.
void check_is_projection_on_cone(const Vec3& x, const Vec3& p, double mu) {
  const Vec3 y = x - p;
  const double size = x.norm();
  BOOST_TEST(p.x() >= 0.0, x.transpose() << " on the cone of " << mu);
  BOOST_TEST(tangential(p) <= mu * p.x() + eps * size, x.transpose() << " on the cone of " << mu);
  BOOST_TEST(mu * tangential(y) + y.x() <= eps * (1.0 + mu) * size, x.transpose() << " on the cone of " << mu);
  BOOST_TEST(std::abs(p.dot(y)) <= eps * size * size, x.transpose() << " on the cone of " << mu);
}

/// The residual points away from each face that p lies on, and has no component where p is on none.
void check_is_projection_on_box(const Vec3& x, const Vec3& p, double bound) {
  const Vec3 y = x - p;
  BOOST_TEST((p.x() > 0.0 ? y.x() == 0.0 : p.x() == 0.0 && y.x() <= 0.0));
  for (const int c : {1, 2}) {
    BOOST_TEST(std::abs(p[c]) <= bound);
    BOOST_TEST((std::abs(p[c]) < bound ? y[c] == 0.0 : y[c] * p[c] >= 0.0), x.transpose() << " on the box " << bound);
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(projections_on_the_cone_satisfy_moreau) {
  Points points(1);
  for (const double mu : frictions) {
    check_is_projection_on_cone(Vec3::Zero(), project_on_cone(Vec3::Zero(), mu), mu);
    for (const double normal : {-1.0, 1.0})  // along the axis
      check_is_projection_on_cone({normal, 0.0, 0.0}, project_on_cone({normal, 0.0, 0.0}, mu), mu);
    for (int k = 0; k < samples; ++k) {
      const Vec3 x = points.next();
      check_is_projection_on_cone(x, project_on_cone(x, mu), mu);
    }
  }
}

BOOST_AUTO_TEST_CASE(no_point_of_the_cone_is_nearer_than_the_projection) {
  // A search in the half-plane of x, on rays that lean towards x_T at a fraction of the opening.
  Points points(2);
  for (const double mu : {0.0, 0.3, 2.0})
    for (int k = 0; k < 200; ++k) {
      const Vec3 x = points.next();
      const double distance = (x - project_on_cone(x, mu)).norm();
      const double length = tangential(x);
      double best = x.norm();  // to the tip
      for (int ray = 0; ray <= 1000; ++ray) {
        const double lean = mu * ray / 1000.0;
        const double along = std::max(0.0, (x.x() + lean * length) / (1.0 + lean * lean));
        best = std::min(best, std::hypot(x.x() - along, length - lean * along));
      }
      BOOST_TEST(distance <= best + eps * x.norm());
      BOOST_TEST(best - distance <= 1e-3 * x.norm());
    }
}

BOOST_AUTO_TEST_CASE(projections_on_the_box_leave_only_outward_residuals) {
  Points points(3);
  for (int k = 0; k < 100000; ++k) {
    const Vec3 x = points.next();
    const double bound = k % 10 == 0 ? 0.0 : points.positive();
    check_is_projection_on_box(x, project_on_box(x, bound), bound);
  }
}

BOOST_AUTO_TEST_CASE(projecting_twice_changes_nothing) {
  Points points(4);
  for (const double mu : frictions)
    for (int k = 0; k < samples; ++k) {
      const Vec3 p = project_on_cone(points.next(), mu);
      BOOST_TEST((project_on_cone(p, mu) - p).norm() <= eps * p.norm());
      const Vec3 q = project_on_box(p, mu);
      BOOST_TEST((project_on_box(q, mu) == q));
    }
}

BOOST_AUTO_TEST_CASE(projections_bring_no_points_apart) {
  Points points(5);
  for (const double mu : frictions)
    for (int k = 0; k < samples; ++k) {
      const Vec3 x = points.next();
      const Vec3 y = k % 2 == 0 ? points.next() : Vec3(x + 1e-3 * x.norm() * points.next().normalized());
      const double apart = (x - y).norm(), rounding = eps * (x.norm() + y.norm());
      BOOST_TEST((project_on_cone(x, mu) - project_on_cone(y, mu)).norm() <= apart + rounding);
      BOOST_TEST((project_on_box(x, mu) - project_on_box(y, mu)).norm() <= apart + rounding);
    }
}

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

Vec3 projected(Law law, const Vec3& x, double friction, double bound) {
  if (law == Law::frictionless) return {std::max(0.0, x.x()), 0.0, 0.0};
  return law == Law::box ? project_on_box(x, bound) : project_on_cone(x, friction);
}

std::vector<Vec3> random_points(unsigned seed, int count) {
  Points points(seed);
  std::vector<Vec3> result(count);
  for (Vec3& x : result) x = points.next();
  return result;
}

}  // namespace

BOOST_AUTO_TEST_CASE(vectors_are_projected_contact_by_contact) {
  const auto points = random_points(6, 1000);
  for (const auto& info : laws()) {
    ConstraintSet set = set_of(info.law, points.size(), 0.0, 0.0);
    for (std::size_t k = 0; k < points.size(); ++k) set.friction[k] = 1e-3 * k, set.bound[k] = 1e-2 * k;
    const Vector x = vector_of(points);
    set.project(x);
    const ReadArray values(x);
    for (int k = 0; k < values.size() / 3; ++k) {
      const Vec3 expected = projected(info.law, points[k], set.friction[k], set.bound[k]);
      BOOST_TEST((Vec3(values.data() + 3 * k) == expected), info.name << ", contact " << k);
    }
  }
}

namespace {

struct At {
  const char* place;
  Vec3 x;
};

/// Points of the sets with friction coefficient 0.5 and bound 2.
const std::vector<At>& places(Law law) {
  static const std::vector<At> frictionless = {{"tip", Vec3::Zero()}, {"inside", {3.0, 0.0, 0.0}}};
  static const std::vector<At> box = {{"inside", {3.0, 1.0, -1.5}}, {"floor", {0.0, 0.5, -1.0}},
                                      {"side", {3.0, 2.0, 0.0}},    {"other side", {3.0, 0.0, -2.0}},
                                      {"edge", {1.0, -2.0, 2.0}},   {"corner", {0.0, 2.0, -2.0}}};
  static const std::vector<At> cone = {{"tip", Vec3::Zero()},
                                       {"axis", {3.0, 0.0, 0.0}},
                                       {"inside", {3.0, 1.0, -0.5}},
                                       {"mantle", {10.0, 3.0, -4.0}},
                                       {"mantle across", {2.0, 0.0, 1.0}}};
  return law == Law::frictionless ? frictionless : law == Law::box ? box : cone;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_projected_gradient_is_where_a_small_step_down_leads) {
  // y = -(P_K(x - t g) - x) / t for t -> 0. With t = 2^-26 the curvature of the mantle leaves t |g|^2 / |x_T| < 1e-7
  // and rounding, 1e-16 |x| / t, another 1e-7.
  const double t = std::ldexp(1.0, -26), tolerance = 1e-6;
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  for (const auto& info : laws())
    for (const At& at : places(info.law)) {
      std::vector<Vec3> x(500, at.x), g(500);
      for (Vec3& gradient : g) gradient = Vec3(normal(random), normal(random), normal(random));
      const ConstraintSet set = set_of(info.law, x.size(), 0.5, 2.0);
      const Vector point = vector_of(x), gradient = vector_of(g), result = vector_of(g);
      set.project_gradient(point, gradient, result);
      const ReadArray y(result);
      for (int k = 0; k < y.size() / 3; ++k) {
        const Vec3 limit = (at.x - projected(info.law, at.x - t * g[k], 0.5, 2.0)) / t;
        BOOST_TEST((Vec3(y.data() + 3 * k) - limit).norm() <= tolerance, info.name << ", " << at.place);
      }
    }
}

BOOST_AUTO_TEST_CASE(the_projected_gradient_without_friction_or_room) {
  // A cone without opening is a ray; a box without width too.
  const std::vector<Vec3> x = {{2.0, 0.0, 0.0}, Vec3::Zero(), Vec3::Zero()};
  const std::vector<Vec3> g = {{1.0, 2.0, -3.0}, {1.0, 2.0, -3.0}, {-1.0, 2.0, -3.0}};
  const std::vector<Vec3> expected = {{1.0, 0.0, 0.0}, Vec3::Zero(), {-1.0, 0.0, 0.0}};
  for (const auto& info : laws()) {
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

BOOST_AUTO_TEST_CASE(laws_have_names) {
  for (const auto& info : laws()) {
    BOOST_TEST((law_named(info.name) == info.law));
    BOOST_TEST(name_of(info.law) == info.name);
  }
  BOOST_TEST(!law_named("glue").has_value());
}
