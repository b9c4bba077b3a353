#include "scree/problem/error_measure.hpp"

#include <utility>
#include <vector>

#include "scree/problem/body_operator.hpp"
#include "support/contact_scene.hpp"

using scree::model::make_sphere;
using scree::model::Plane;
using scree::model::Vec3;
using scree::model::Wall;
using scree::parallel::petsc;
using scree::parallel::Vector;
using scree::parallel::WriteArray;
using scree::problem::ConstraintSet;
using scree::problem::ContactProblem;
using scree::problem::ErrorMeasures;
using scree::problem::Law;
using scree::problem::Measure;
using scree::problem::measure_errors;
using scree::problem::measures;
using namespace scree::test;

namespace {

constexpr double rounding = 1e-14;

/// Spheres of 2 kg that touch the floor and nothing else, spread over the ranks: N is diagonal with 1/2 in the normal
/// and 7/2 * 1/2 in the tangential directions. Every contact has the same r, friction coefficient and bound.
struct Floor {
  ContactScene scene;
  ContactProblem problem;

  Floor(int spheres, Law law, const Vec3& r, double friction = 0.0, double bound = 0.0)
      : scene(make(spheres)),
        problem{std::make_unique<scree::problem::BodyOperator>(world(), scene.halo, scene.bodies,
                                                               scree::problem::BodyConstraints{scene.contacts}),
                filled(scene.contacts.size(), r),
                {law, std::vector<double>(scene.contacts.size(), friction),
                 std::vector<double>(scene.contacts.size(), bound)}} {}

  static Vector filled(int contacts, const Vec3& value) {
    Vector result(world(), contacts);
    const WriteArray out(result);
    for (int k = 0; k < contacts; ++k) Eigen::Map<Vec3>(out.data() + 3 * k) = value;
    return result;
  }

  static ContactScene make(int spheres) {
    const double density = 2.0 / (4.0 / 3.0 * std::acos(-1.0));
    Bed bed;
    for (int k = 0; k < spheres; ++k) bed.push_back(make_sphere(k, {10.0 * k, 0.0, 1.0}, 1.0, density, 0));
    return make_scene(bed, place(bed, Placement::gaps), {Wall{"floor", Plane{Vec3::Zero(), Vec3::UnitZ()}}}, 0.1);
  }

  /// The measures where every contact has the impulse `value`.
  [[nodiscard]] ErrorMeasures at(const Vec3& value) const {
    const Vector x = filled(scene.contacts.size(), value), w = problem.make_vector();
    problem.N->apply(x, w);
    petsc(VecAXPY(w, 1.0, problem.r));
    return measure_errors(problem, x, w);
  }
};

void check(const ErrorMeasures& errors, double natural, double natural_q, double projected_gradient) {
  BOOST_TEST(std::abs(errors.natural - natural) <= rounding, errors.natural << " is not " << natural);
  BOOST_TEST(std::abs(errors.natural_q - natural_q) <= rounding, errors.natural_q << " is not " << natural_q);
  BOOST_TEST(std::abs(errors.projected_gradient - projected_gradient) <= rounding,
             errors.projected_gradient << " is not " << projected_gradient);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_frictionless_contact_by_hand) {
  const Floor floor(1, Law::frictionless, {-3.0, 0.0, 0.0});
  check(floor.at({0.0, 0.0, 0.0}), 1.0, 1.0, 3.0);               // w = -3: a step of 3, against |r| = |w| = 3
  check(floor.at({2.0, 0.0, 0.0}), 2.0 / 3.0, 2.0 / 3.0, 2.0);   // w = -2
  check(floor.at({6.0, 0.0, 0.0}), 0.0, 0.0, 0.0);               // w = 0
  check(floor.at({8.0, 0.0, 0.0}), 1.0 / 8.0, 1.0 / 3.0, 1.0);   // w = 1: pulls back, against |x| = 8
  check(floor.at({-1.0, 0.0, 0.0}), 3.5 / 3.5, 3.5 / 3.0, 3.5);  // w = -3.5 is the largest
}

BOOST_AUTO_TEST_CASE(a_parting_contact_needs_no_impulse) {
  for (const Law law : {Law::frictionless, Law::box, Law::cone}) {
    const Floor floor(3, law, {2.0, 0.0, 0.0}, 0.5, 0.0);
    check(floor.at(Vec3::Zero()), 0.0, 0.0, 0.0);
    BOOST_TEST(floor.at({1.0, 0.0, 0.0}).natural > 0.1);
  }
}

BOOST_AUTO_TEST_CASE(a_box_contact_by_hand) {
  // Freely x_t = -r_t / N_tt = 2 and x_o = -8: the bound of 5 holds the second back, which slides with w_o = 5.25.
  const Floor floor(1, Law::box, {-3.0, -3.5, 14.0}, 0.0, 5.0);
  check(floor.at({6.0, 2.0, -5.0}), 0.0, 0.0, 0.0);
  const double r = Vec3(-3.0, -3.5, 14.0).norm();
  // w_o = 14 - 1.75 * 4 = 7: the step ends at the bound, 1 away, but the gradient is 7.
  const double w = 7.0, x = Vec3(6.0, 2.0, -4.0).norm();
  check(floor.at({6.0, 2.0, -4.0}), 1.0 / std::max({r, x, w}), 1.0 / r, 7.0);
}

BOOST_AUTO_TEST_CASE(a_cone_contact_by_hand) {
  // mu = 3/4. It sticks for r_t = -3.5: x = (6, 2, 0) lies inside.
  check(Floor(2, Law::cone, {-3.0, -3.5, 0.0}, 0.75).at({6.0, 2.0, 0.0}), 0.0, 0.0, 0.0);
  // It slides for r_t = -17.5, and lifts as it does: with x_t = mu x_n the work w.x = 0 gives
  // x_n = (3 + mu 17.5) / (1/2 + mu^2 7/4) and w_n = mu |w_t|.
  const double mu = 0.75, normal = (3.0 + mu * 17.5) / (0.5 + mu * mu * 1.75);
  BOOST_TEST(0.5 * normal - 3.0 == -mu * (1.75 * mu * normal - 17.5), boost::test_tools::tolerance(rounding));
  const Floor sliding(2, Law::cone, {-3.0, -17.5, 0.0}, mu);
  check(sliding.at({normal, mu * normal, 0.0}), 0.0, 0.0, 0.0);
  BOOST_TEST(sliding.at({6.0, 4.5, 0.0}).natural > 0.1);  // the normal impulse that carries a contact without lift
}

BOOST_AUTO_TEST_CASE(many_equal_contacts_have_the_measures_of_one) {
  // Norms grow with the square root of the number, ratios and the largest component do not.
  const Vec3 x(2.0, 0.25, -0.5), r(-3.0, 0.5, 1.0);
  for (const Law law : {Law::frictionless, Law::box, Law::cone}) {
    const ErrorMeasures one = Floor(1, law, r, 0.3, 0.6).at(x), many = Floor(50, law, r, 0.3, 0.6).at(x);
    BOOST_TEST(one.natural > 0.0);
    check(many, one.natural, one.natural_q, one.projected_gradient);
  }
}

BOOST_AUTO_TEST_CASE(measures_follow_the_scale_of_the_problem) {
  const Vec3 x(2.0, 0.25, -0.5), r(-3.0, 0.5, 1.0);
  for (const Law law : {Law::frictionless, Law::box, Law::cone})
    for (const double scale : {1e-6, 1e6}) {
      const ErrorMeasures plain = Floor(3, law, r, 0.3, 0.6).at(x);
      const ErrorMeasures scaled = Floor(3, law, scale * r, 0.3, scale * 0.6).at(scale * x);
      BOOST_TEST(scaled.natural == plain.natural, boost::test_tools::tolerance(rounding));
      BOOST_TEST(scaled.natural_q == plain.natural_q, boost::test_tools::tolerance(rounding));
      BOOST_TEST(scaled.projected_gradient == scale * plain.projected_gradient, boost::test_tools::tolerance(rounding));
    }
}

BOOST_AUTO_TEST_CASE(problems_without_contacts_or_forces_are_solved) {
  for (const Law law : {Law::frictionless, Law::box, Law::cone}) {
    check(Floor(0, law, Vec3::Zero()).at(Vec3::Zero()), 0.0, 0.0, 0.0);
    check(Floor(3, law, Vec3::Zero()).at(Vec3::Zero()), 0.0, 0.0, 0.0);
  }
}

BOOST_AUTO_TEST_CASE(measures_have_names) {
  const ErrorMeasures errors{.natural = 1.0, .natural_q = 2.0, .projected_gradient = 3.0};
  BOOST_TEST(measures().size() == 3U);
  BOOST_TEST(value_of(errors, Measure::natural) == 1.0);
  BOOST_TEST(value_of(errors, Measure::natural_q) == 2.0);
  BOOST_TEST(value_of(errors, Measure::projected_gradient) == 3.0);
}
