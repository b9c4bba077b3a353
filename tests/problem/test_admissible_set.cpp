// ranks: 1
// timeout: 300
#include "scree/problem/admissible_set.hpp"

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "scree/problem/one_contact.hpp"
#include "support/nearest.hpp"
#include "support/support.hpp"

using scree::model::Mat3;
using scree::model::Vec3;
using scree::problem::ActiveFace;
using scree::problem::AdmissibleSet;
using scree::problem::ConstraintSet;
using scree::problem::Law;
using scree::problem::project_in_metric;
using scree::problem::RowBounds;
using namespace scree::test;

namespace {

constexpr double infinity = HUGE_VAL;
constexpr double eps = 1e-14;  // some dozen roundings, relative to the size of the point

/// Random points of all directions and of magnitudes 1e-8 to 1e8; some have zero components, some are zero.
class Points {
 public:
  explicit Points(unsigned seed) : random_(seed) {}
  Vec3 next(double decades = 8.0) {
    Vec3 x(normal_(random_), normal_(random_), normal_(random_));
    for (int c = 0; c < 3; ++c)
      if (random_() % 16 == 0) x[c] = 0.0;
    return std::pow(10.0, std::uniform_real_distribution<double>(-decades, decades)(random_)) * x;
  }
  Vec3 metric() { return next(1.0).cwiseAbs() + Vec3::Constant(1e-2); }
  unsigned pick(unsigned count) { return static_cast<unsigned>(random_() % count); }

 private:
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
};

constexpr double sizes[] = {0.0, 1e-3, 0.3, 1.0, 50.0, 1e6};  // mu and bound
const RowBounds joint_rows[] = {{{-infinity, -infinity, -infinity}, {infinity, infinity, infinity}},
                                {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}},
                                {{0.0, -2.0, -infinity}, {infinity, 5.0, infinity}},
                                {{-0.5, 1.0, -infinity}, {0.5, 1.0, -3.0}}};

struct Named {
  std::string name;
  ConstraintSet set;  ///< one block
};

/// Every set of table 1 with every size, and joints.
std::vector<Named> all_sets() {
  std::vector<Named> sets;
  for (const auto& info : scree::problem::laws())
    for (const double size : sizes)
      for (const int facets : {4, 8, 14}) {
        const bool polygon = info.law == Law::prism || info.law == Law::polyhedral;
        if (facets != 8 && !polygon) continue;
        sets.push_back({std::string(info.name) + " " + std::to_string(size) + " " + std::to_string(facets),
                        {info.law, {size}, {size}, facets}});
      }
  for (const RowBounds& rows : joint_rows) sets.push_back({"joint", {Law::cone, {}, {}, 8, {rows}}});
  return sets;
}

/// Points per set, so that each shape gets more than a million.
constexpr int samples = 200000;

}  // namespace

BOOST_AUTO_TEST_CASE(projections_satisfy_the_conditions_of_optimality) {
  Points points(1);
  for (const auto& [name, set] : all_sets()) {
    double outside = 0.0, descent = 0.0;
    const AdmissibleSet block = set[0];
    for (int k = 0; k < samples; ++k) {
      const Vec3 x = points.next();
      const Vec3 p = block.project(x);
      const Vec3 g = x - p;
      if (x.isZero(0.0)) continue;
      const Optimality found = optimality(set, 0, p, g);
      outside = std::max(outside, found.outside / x.norm());
      descent = std::max(descent, found.descent * g.norm() / x.squaredNorm());
    }
    BOOST_TEST(outside <= eps, name << ": outside by " << outside);
    BOOST_TEST(descent <= eps, name << ": descent " << descent);
  }
}

BOOST_AUTO_TEST_CASE(projections_are_the_nearest_of_all_faces) {
  Points points(2);
  for (const auto& [name, set] : all_sets()) {
    double worst = 0.0;
    for (int k = 0; k < 5000; ++k) {
      const Vec3 x = points.next();
      if (x.isZero(0.0)) continue;
      const double error = (set[0].project(x) - nearest_admissible(set, 0, x)).norm();
      worst = std::max(worst, error / x.norm());
    }
    BOOST_TEST(worst <= 1e-7, name << ": " << worst);  // distances that are equal to rounding decide up to its root
  }
}

BOOST_AUTO_TEST_CASE(projections_in_a_diagonal_metric_satisfy_the_conditions_of_optimality) {
  Points points(3);
  for (const auto& [name, set] : all_sets()) {
    double outside = 0.0, descent = 0.0;
    for (int k = 0; k < 20000; ++k) {
      const Vec3 x = points.next();
      if (x.isZero(0.0)) continue;
      Vec3 metric = points.metric();
      if (k % 2 == 0) metric[2] = metric[1];
      const Vec3 p = project_in_metric(set[0], x, metric);
      const Vec3 g = metric.cwiseProduct(x - p);
      const Optimality found = optimality(set, 0, p, g);
      outside = std::max(outside, found.outside / x.norm());
      const double size = is_cone_shaped(set.law) || set.bound.empty() ? x.norm() : x.norm() + set.bound[0];
      descent = std::max(descent, found.descent * g.norm() / (metric.cwiseProduct(x).norm() * size));
    }
    BOOST_TEST(outside <= eps, name << ": outside by " << outside);
    BOOST_TEST(descent <= 1e-13, name << ": descent " << descent);
  }
}

BOOST_AUTO_TEST_CASE(projecting_twice_changes_nothing) {
  Points points(4);
  for (const auto& [name, set] : all_sets()) {
    double worst = 0.0;
    for (int k = 0; k < samples / 4; ++k) {
      const Vec3 p = set[0].project(points.next());
      if (!p.isZero(0.0)) worst = std::max(worst, (set[0].project(p) - p).norm() / p.norm());
    }
    BOOST_TEST(worst <= 1e-15, name << ": " << worst);
  }
}

BOOST_AUTO_TEST_CASE(projections_bring_no_points_apart) {
  Points points(5);
  for (const auto& [name, set] : all_sets()) {
    double worst = 0.0;
    for (int k = 0; k < samples / 4; ++k) {
      const Vec3 x = points.next();
      const Vec3 y = k % 2 == 0 ? points.next() : Vec3(x + 1e-3 * x.norm() * points.next().normalized());
      const double apart = (x - y).norm(), size = x.norm() + y.norm();
      if (size > 0.0) worst = std::max(worst, ((set[0].project(x) - set[0].project(y)).norm() - apart) / size);
    }
    BOOST_TEST(worst <= eps, name << ": " << worst);
  }
}

BOOST_AUTO_TEST_CASE(huge_and_tiny_points_are_projected_like_others) {
  // Cones do not know a scale: a power of two goes through unchanged.
  Points points(6);
  for (const Law law : {Law::frictionless, Law::pyramid, Law::polyhedral, Law::cone})
    for (const int power : {-400, 400})
      for (int k = 0; k < 1000; ++k) {
        const ConstraintSet set{law, {0.7}, {}, 8};
        const Vec3 x = points.next();
        const double scale = std::ldexp(1.0, power);
        BOOST_TEST((set[0].project(scale * x) == scale * set[0].project(x)));
      }
}

BOOST_AUTO_TEST_CASE(membership_is_the_distance_to_the_nearest_point) {
  Points points(7);
  for (const auto& [name, set] : all_sets())
    for (int k = 0; k < 1000; ++k) {
      const Vec3 x = points.next();
      const double distance = (x - nearest_admissible(set, 0, x)).norm();
      if (distance > 1e-9 * x.norm()) BOOST_TEST(!set[0].contains(x), name);
      if (distance == 0.0) BOOST_TEST(set[0].contains(x, eps * x.norm()), name);
    }
}

namespace {

struct At {
  const char* place;
  Vec3 x;
};

/// Points of the sets with friction coefficient 0.5, bound 2 and 8 facets: of each kind of face.
std::vector<At> places(Law law) {
  const double c = std::cos(std::acos(-1.0) / 8.0), d = std::sqrt(0.5);
  switch (law) {
    case Law::frictionless:
      return {{"tip", Vec3::Zero()}, {"inside", {3.0, 0.0, 0.0}}};
    case Law::box:
      return {{"inside", {3.0, 1.0, -1.5}}, {"floor", {0.0, 0.5, -1.0}}, {"side", {3.0, 2.0, 0.0}},
              {"other", {3.0, 0.0, -2.0}},  {"edge", {1.0, -2.0, 2.0}},  {"corner", {0.0, 2.0, -2.0}}};
    case Law::pyramid:
      return {{"tip", Vec3::Zero()},
              {"inside", {3.0, 1.0, -0.5}},
              {"side", {4.0, 2.0, 0.5}},
              {"other side", {4.0, 0.3, -2.0}},
              {"edge", {4.0, -2.0, 2.0}}};
    case Law::prism:
      return {{"inside", {3.0, 1.0, -0.5}},
              {"floor", {0.0, 0.5, -1.0}},
              {"corner", {1.0, 2.0 * d, 2.0 * d}},
              {"corner below", {0.0, 2.0, 0.0}},
              {"side", {1.0, 2.0 * c * c, 2.0 * c * std::sqrt(1.0 - c * c)}}};
    case Law::polyhedral:
      return {{"tip", Vec3::Zero()},
              {"inside", {3.0, 1.0, -0.5}},
              {"edge", {4.0, -2.0, 0.0}},
              {"slanted edge", {4.0, 2.0 * d, -2.0 * d}},
              {"side", {4.0, 2.0 * c * c, 2.0 * c * std::sqrt(1.0 - c * c)}}};
    case Law::cylinder:
      return {{"inside", {3.0, 1.0, -0.5}},
              {"floor", {0.0, 0.5, -1.0}},
              {"side", {3.0, 1.2, -1.6}},
              {"rim", {0.0, 0.0, 2.0}}};
    case Law::bilateral:
      return {{"anywhere", {-1.0, 2.0, 3.0}}};
    case Law::cone:
    case Law::coulomb:
      break;
  }
  return {{"tip", Vec3::Zero()},
          {"axis", {3.0, 0.0, 0.0}},
          {"inside", {3.0, 1.0, -0.5}},
          {"mantle", {10.0, 3.0, -4.0}},
          {"mantle across", {2.0, 0.0, 1.0}}};
}

}  // namespace

BOOST_AUTO_TEST_CASE(directions_on_the_tangent_cone_are_where_a_small_step_leads) {
  // (P(x + s d) - x) / s for s -> 0. With s = 2^-26 the curvature of round sets leaves s |d|^2 / |x_T| < 1e-7 and
  // rounding, 1e-16 |x| / s, another 1e-7. Flat sets have no curvature, but the brute force takes the nearest of
  // several candidates, and mistakes one for another where their distances differ by rounding: by sqrt(1e-16 |x| / s).
  Points points(8);
  for (const auto& info : scree::problem::laws()) {
    const ConstraintSet set{info.law, {0.5}, {2.0}, 8};
    const bool is_flat = !section_corners(set, 0).empty();
    const double s = std::ldexp(1.0, is_flat ? -6 : -26);
    for (const At& at : places(info.law))
      for (int k = 0; k < 500; ++k) {
        const Vec3 d = points.next(0.0);
        const Vec3 limit = (nearest_admissible(set, 0, at.x + s * d) - at.x) / s;
        const Vec3 found = set[0].project_on_tangent_cone(at.x, d);
        BOOST_TEST((found - limit).norm() <= 1e-6, info.name << ", " << at.place << ": " << d.transpose());
      }
  }
}

BOOST_AUTO_TEST_CASE(directions_of_a_face_lead_both_ways_and_no_others_do) {
  Points points(10);
  for (const auto& info : scree::problem::laws()) {
    const AdmissibleSet set = ConstraintSet{info.law, {0.5}, {2.0}, 8}[0];
    for (const At& at : places(info.law)) {
      const Mat3 P = set.project_on_face(at.x);
      BOOST_TEST_CONTEXT(info.name << ", " << at.place) {
        BOOST_TEST((P * P - P).norm() <= eps);
        BOOST_TEST((P - P.transpose()).norm() <= eps);
        for (int k = 0; k < 100; ++k) {
          const Vec3 d = points.next(0.0), along = P * d;
          const auto leaves = [&](const Vec3& v) { return (set.project_on_tangent_cone(at.x, v) - v).norm(); };
          BOOST_TEST(leaves(along) + leaves(-along) <= 10.0 * eps * d.norm());
          const Vec3 off = d - along;
          if (off.norm() > 1e-3 * d.norm()) BOOST_TEST(leaves(off) + leaves(-off) >= 0.1 * off.norm());
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(the_bend_of_a_rim_is_what_a_linear_function_changes_by_along_it) {
  Points points(11);
  for (const Law law : {Law::cylinder, Law::cone}) {
    const AdmissibleSet set = ConstraintSet{law, {0.5}, {2.0}, 8}[0];
    for (int k = 0; k < 200; ++k) {
      const Vec3 x = set.project(Vec3(1.0, 3.0, 0.0) + 0.3 * points.next(0.0).normalized());
      const Vec3 outwards = points.next(0.0).normalized() - Vec3(-3.0, 3.0 * x.y() / 2.0, 3.0 * x.z() / 2.0);
      const Vec3 d = set.project_on_face(x) * points.next(0.0).normalized();
      const double s = 1e-3, change = outwards.dot(set.project(x + s * d) - x - s * d);
      BOOST_TEST(std::abs(change - 0.5 * std::pow(s * set.bend(x, outwards).dot(d), 2)) <= 10.0 * s * s * s);
      BOOST_TEST(set.bend(x, -outwards).norm() == 0.0);  // what draws inwards does not hold x at the rim
    }
    BOOST_TEST(set.bend(Vec3(1.0, 0.1, 0.1), Vec3(1.0, -1.0, 0.0)).norm() == 0.0);  // inside
  }
}

BOOST_AUTO_TEST_CASE(the_derivative_is_that_of_the_projection) {
  Points points(9);
  for (const auto& [name, set] : all_sets()) {
    const AdmissibleSet block = set[0];
    int compared = 0;
    for (int k = 0; k < 2000; ++k) {
      const Vec3 x = points.next(0.0) + Vec3(0.01, 0.02, 0.03);  // not just on an axis of symmetry
      const double s = 1e-7 * std::max(x.norm(), 1e-3);
      const Mat3 D = block.projection_derivative(x);
      Mat3 forward, backward;
      for (int c = 0; c < 3; ++c) {
        forward.col(c) = (block.project(x + s * Vec3::Unit(c)) - block.project(x)) / s;
        backward.col(c) = (block.project(x) - block.project(x - s * Vec3::Unit(c))) / s;
      }
      if ((forward - backward).norm() > 1e-4) continue;  // a kink within the step
      ++compared;
      BOOST_TEST((D - 0.5 * (forward + backward)).norm() <= 1e-4, name << " at " << x.transpose());
    }
    BOOST_TEST(compared > 1000, name << ": " << compared);
  }
}

BOOST_AUTO_TEST_CASE(active_faces_tell_where_a_point_lies) {
  const auto face = [](Law law, const Vec3& x) { return ConstraintSet{law, {0.5}, {2.0}, 8}[0].active_face(x); };
  BOOST_TEST((face(Law::box, {0.0, 2.0, -2.0}) == ActiveFace{-1, 1, -1}));
  BOOST_TEST((face(Law::box, {1.0, 0.0, 0.0}) == ActiveFace{0, 0, 0}));
  BOOST_TEST((face(Law::pyramid, {4.0, 2.0, 2.0}) == ActiveFace{0, 1, 2}));
  BOOST_TEST((face(Law::pyramid, {4.0, 2.0, -2.0}) == ActiveFace{0, 1, 4}));
  BOOST_TEST((face(Law::pyramid, {4.0, -2.0, 0.0}) == ActiveFace{0, 3, 0}));
  BOOST_TEST((face(Law::polyhedral, {4.0, 2.0, 0.0}) == ActiveFace{0, 1, 8}));
  BOOST_TEST((face(Law::prism, {0.0, 0.0, 2.0}) == ActiveFace{-1, 2, 3}));
  BOOST_TEST((face(Law::cylinder, {0.0, 0.0, 2.0}) == ActiveFace{-1, 1, 0}));
  BOOST_TEST((face(Law::cone, Vec3::Zero()) == ActiveFace{-1, 0, 0}));
  BOOST_TEST((face(Law::cone, {10.0, 3.0, -4.0}) == ActiveFace{0, 1, 0}));
  BOOST_TEST((face(Law::cone, {10.0, 3.0, -3.0}) == ActiveFace{0, 0, 0}));
}

BOOST_AUTO_TEST_CASE(the_reach_ends_on_the_boundary) {
  for (const auto& [name, constraints] : all_sets()) {
    const AdmissibleSet set = constraints[0];
    if (set.grows()) continue;
    Points points(11);
    for (int k = 0; k < 2000; ++k) {
      const Vec3 x = set.project(points.next(3.0)), d = points.next(1.0);
      const double t = set.reach(x, d), size = x.norm() + d.norm();
      BOOST_REQUIRE(t >= 0.0);
      if (t == infinity) {
        BOOST_TEST(set.contains(x + 1e6 * d, 1e-8 * size), name);
      } else {
        BOOST_TEST(set.contains(x + t * d, 1e-12 * (size + t * d.norm())), name);
        BOOST_TEST(set.excess(x + (t + 1.0) * d) > -1e-14 * size,
                   name);  // a face may be parallel to d but for rounding
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(polygons_stand_as_documented) {
  // Inscribed in the circle, with a corner in the direction of t.
  const AdmissibleSet octagon = AdmissibleSet::prism(2.0, 8);
  BOOST_TEST(octagon.contains({1.0, 2.0, 0.0}, eps));
  const double middle = std::acos(-1.0) / 8.0;
  BOOST_TEST(!octagon.contains({1.0, 1.99 * std::cos(middle), 1.99 * std::sin(middle)}));
  BOOST_TEST(octagon.project({1.0, 3.0, 0.0}).isApprox(Vec3(1.0, 2.0, 0.0), 1e-15));
  // Friction may lose 1 - cos(pi / n) of its size in the worst direction, and no more.
  for (const int n : {4, 6, 16}) {
    double least = 2.0;
    for (int k = 0; k < 1000; ++k) {
      const double angle = 2.0 * std::acos(-1.0) * k / 1000;
      const Vec3 far(1.0, 1e3 * std::cos(angle), 1e3 * std::sin(angle));
      least = std::min(least, AdmissibleSet::prism(1.0, n).project(far).tail<2>().norm());
    }
    BOOST_TEST(least >= std::cos(std::acos(-1.0) / n) - 1e-12);
  }
}
