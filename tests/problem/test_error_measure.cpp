#include "scree/problem/error_measure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "scree/problem/body_operator.hpp"
#include "scree/problem/one_contact.hpp"
#include "support/contact_scene.hpp"
#include "support/dense_operator.hpp"

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

std::vector<Law> all_laws() {
  std::vector<Law> all;
  for (const auto& info : scree::problem::laws()) all.push_back(info.law);
  return all;
}

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
  for (const Law law : all_laws()) {
    if (law == Law::bilateral) continue;  // it holds what parts
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
  for (const Law law : all_laws()) {
    const ErrorMeasures one = Floor(1, law, r, 0.3, 0.6).at(x), many = Floor(50, law, r, 0.3, 0.6).at(x);
    BOOST_TEST(one.natural > 0.0);
    check(many, one.natural, one.natural_q, one.projected_gradient);
  }
}

BOOST_AUTO_TEST_CASE(measures_follow_the_scale_of_the_problem) {
  const Vec3 x(2.0, 0.25, -0.5), r(-3.0, 0.5, 1.0);
  for (const Law law : all_laws())
    for (const double scale : {1e-6, 1e6}) {
      const ErrorMeasures plain = Floor(3, law, r, 0.3, 0.6).at(x);
      const ErrorMeasures scaled = Floor(3, law, scale * r, 0.3, scale * 0.6).at(scale * x);
      BOOST_TEST(scaled.natural == plain.natural, boost::test_tools::tolerance(rounding));
      BOOST_TEST(scaled.natural_q == plain.natural_q, boost::test_tools::tolerance(rounding));
      BOOST_TEST(scaled.projected_gradient == scale * plain.projected_gradient, boost::test_tools::tolerance(rounding));
    }
}

BOOST_AUTO_TEST_CASE(problems_without_contacts_or_forces_are_solved) {
  for (const Law law : all_laws()) {
    check(Floor(0, law, Vec3::Zero()).at(Vec3::Zero()), 0.0, 0.0, 0.0);
    check(Floor(3, law, Vec3::Zero()).at(Vec3::Zero()), 0.0, 0.0, 0.0);
  }
}

BOOST_AUTO_TEST_CASE(every_measure_is_zero_at_a_solution_and_only_there) {
  for (const Law law : all_laws()) {
    const Vec3 r(-3.0, -17.5, 3.0);
    const Floor floor(3, law, r, 0.75, 4.0);
    const auto& set = floor.problem.K;
    const Vec3 diagonal(0.5, 1.75, 1.75);
    Vec3 solution = Vec3::Zero();
    if (set.contact_count() > 0) solution = solve_block(set, 0, diagonal.asDiagonal(), r, Vec3::Zero());
    double entries[3] = {solution.x(), solution.y(), solution.z()};  // known where contacts are; the same everywhere
    double size[3] = {std::abs(entries[0]), std::abs(entries[1]), std::abs(entries[2])};
    world().max(size);
    for (int c = 0; c < 3; ++c) solution[c] = (r[c] > 0.0 ? -1.0 : 1.0) * size[c];
    const ErrorMeasures there = floor.at(solution), off = floor.at(1.01 * solution + Vec3(0.1, 0.0, 0.0));
    for (const auto& info : measures()) {
      const double few =
          info.measure == Measure::gradient_step ? 1e-9 : 1e-12;  // it divides rounding by tau = 1e-3 / N
      BOOST_TEST(value_of(there, info.measure) <= few, info.name << " of " << name_of(law));
      BOOST_TEST(value_of(off, info.measure) >= 1e-4, info.name << " of " << name_of(law));
    }
  }
}

BOOST_AUTO_TEST_CASE(rows_are_measured_as_in_the_paper) {
  // One contact with the bound 5, N = diag(1/2, 7/4, 7/4), by eq. 5-6, 8-9 and 14-20 of Enzenhoefer et al.
  const Floor floor(1, Law::box, {-3.0, -3.5, 14.0}, 0.0, 5.0);
  const Vec3 x(8.0, 2.5, -4.0);  // w = (1, 0.875, 7)
  const ErrorMeasures errors = floor.at(x);
  const auto fb = [](double a, double b) { return a + b - std::sqrt(a * a + b * b); };
  BOOST_TEST(std::abs(errors.fischer_burmeister - (fb(8.0, 1.0) + fb(7.5, 0.875) + fb(1.0, 7.0))) <= rounding);
  BOOST_TEST(std::abs(errors.natural_sum - (1.0 + 0.875 + 1.0)) <= rounding);
  const double energies[] = {1.0 / (2.0 * 0.5), 0.875 * 0.875 / (2.0 * 1.75), 0.5 * 1.75 * 1.0};
  BOOST_TEST(std::abs(errors.energy - (energies[0] + energies[1] + energies[2])) <= rounding);
  // f = x.w + bound (|w_t| + |w_o|)
  BOOST_TEST(std::abs(errors.complementarity - (8.0 + (2.5 + 5.0) * 0.875 + (5.0 - 4.0) * 7.0)) <= 1e-13);
}

BOOST_AUTO_TEST_CASE(coulombs_law_is_measured_by_the_shifted_velocity) {
  const double mu = 0.5;
  const Floor coulomb(1, Law::coulomb, {-3.0, -17.5, 0.0}, mu), cone(1, Law::cone, {-3.0, -17.5, 0.0}, mu);
  const Vec3 staying(6.0, 3.0, 0.0);  // w = (0, -12.25, 0): slides without lifting
  for (const auto& info : measures()) {
    BOOST_TEST(value_of(coulomb.at(staying), info.measure) <= 1e-11, info.name);
    BOOST_TEST(value_of(cone.at(staying), info.measure) > 1e-2, info.name);
  }
}

BOOST_AUTO_TEST_CASE(the_rod_of_enzenhoefer_et_al) {
  // Two contacts at the ends of a rod, m = l = 1.5, T = 10, h = 0.01, at the pivot x_1 = 0, w_2 = 0.
  const double m = 1.5, l = 1.5, torque = 10.0, h = 0.01, g = 9.81;
  Eigen::MatrixXd N = Eigen::MatrixXd::Zero(6, 6);
  N(0, 0) = N(3, 3) = 4.0 / m;
  N(0, 3) = N(3, 0) = -2.0 / m;
  for (const int row : {1, 2, 4, 5}) N(row, row) = 1.0 / m;
  Eigen::VectorXd r = Eigen::VectorXd::Zero(6), x = r;
  r[0] = -h * (g + 6.0 * torque / (m * l));
  r[3] = -h * (g - 6.0 * torque / (m * l));
  x[3] = -r[3] / N(3, 3);
  const Eigen::VectorXd w = N * x + r;
  BOOST_TEST(std::abs(x[3] + 0.0632125) <= 5e-8);
  BOOST_TEST(std::abs(w[0] + 0.2804833) <= 5e-8);

  const ContactProblem problem = dense_problem(N, r, {Law::frictionless, {0.0, 0.0}, {}});
  scree::problem::ErrorMeter meter(problem);
  const std::vector<double> energies = meter.energies(dense_vector(x), dense_vector(w));
  if (!energies.empty()) {
    BOOST_TEST(std::abs(energies[0] - 1.475079e-2) <= 5e-9);
    BOOST_TEST(std::abs(energies[1] - 5.327760e-3) <= 5e-10);
  }
  const ErrorMeasures errors = meter.all(dense_vector(x), dense_vector(w));
  BOOST_TEST(std::abs(errors.energy - (1.475079e-2 + 5.327760e-3)) <= 1e-8);
  BOOST_TEST(std::abs(errors.natural_sum - (0.2804833 + 0.0632125)) <= 1e-7);
  BOOST_TEST(std::abs(errors.fischer_burmeister - (0.2804833 + 2.0 * 0.0632125)) <= 1e-7);  // eq. 5 doubles x < 0

  Eigen::VectorXd solution = Eigen::VectorXd::Zero(6);
  solution[0] = 0.1402417, solution[3] = 0.0069083;
  const ErrorMeasures solved = meter.all(dense_vector(solution), dense_vector(N * solution + r));
  BOOST_TEST(solved.energy <= 1e-14);
  BOOST_TEST(solved.projected_gradient <= 3e-7);
}

BOOST_AUTO_TEST_CASE(errors_in_energy_scale_as_energy) {
  // Lengths, masses and times in other units: r scales as length / time, N as 1 / mass, impulses as mass length / time.
  Eigen::MatrixXd N = Eigen::MatrixXd::Random(9, 9);
  N = (N * N.transpose() + Eigen::MatrixXd::Identity(9, 9)).eval();
  world().sum(std::span<double>(N.data(), 81));  // the same everywhere
  const Eigen::VectorXd r = Eigen::VectorXd::LinSpaced(9, -3.0, 2.0), x = Eigen::VectorXd::LinSpaced(9, 1.0, -0.5);
  for (const Law law : all_laws())
    for (const auto& [length, mass, time] : {std::array{1e3, 1.0, 1.0}, {1.0, 1e-3, 1.0}, {1e3, 7.0, 60.0}}) {
      const double speed = length / time, impulse = mass * speed, energy = mass * speed * speed;
      const auto measured = [&](double mass_unit, double speed_unit) {
        const double scale = mass_unit * speed_unit;
        const std::vector<double> mu(3, 0.4), bound(3, 0.3 * scale);
        const ContactProblem problem = dense_problem(N / mass_unit, speed_unit * r, {law, mu, bound, 8});
        return measure_errors(problem, dense_vector(scale * x), dense_vector(speed_unit * (N * x + r)));
      };
      const ErrorMeasures plain = measured(1.0, 1.0), scaled = measured(mass, speed);
      const auto same = boost::test_tools::tolerance(1e-12);
      BOOST_TEST(scaled.energy == energy * plain.energy, same);
      BOOST_TEST(scaled.largest_energy == energy * plain.largest_energy, same);
      BOOST_TEST(scaled.complementarity == energy * plain.complementarity, same);
      BOOST_TEST(scaled.projected_gradient == speed * plain.projected_gradient, same);
      BOOST_TEST(scaled.gradient_step == speed * plain.gradient_step, same);
      BOOST_TEST(impulse > 0.0);
    }
}

BOOST_AUTO_TEST_CASE(the_cheap_measure_is_the_same) {
  const Floor floor(5, Law::coulomb, {-3.0, 0.5, 1.0}, 0.3, 0.6);
  const Vector x = Floor::filled(floor.scene.contacts.size(), {2.0, 0.25, -0.5}), w = floor.problem.make_vector();
  floor.problem.N->apply(x, w);
  petsc(VecAXPY(w, 1.0, floor.problem.r));
  scree::problem::ErrorMeter meter(floor.problem);
  const ErrorMeasures all = meter.all(x, w), cheap = meter.one(x, w, Measure::natural);
  BOOST_TEST(cheap.natural == all.natural);
  BOOST_TEST(cheap.natural_q == all.natural_q);
  BOOST_TEST(std::isnan(cheap.energy));
  BOOST_TEST(meter.one(x, w, Measure::energy).energy == all.energy);
}

BOOST_AUTO_TEST_CASE(measures_have_names) {
  ErrorMeasures errors;
  errors.natural = 1.0, errors.natural_q = 2.0, errors.natural_sum = 3.0, errors.fischer_burmeister = 4.0;
  errors.energy = 5.0, errors.projected_gradient = 6.0, errors.gradient_step = 7.0, errors.complementarity = 8.0;
  BOOST_TEST(measures().size() == 8U);
  for (std::size_t k = 0; k < measures().size(); ++k)
    BOOST_TEST(value_of(errors, measures()[k].measure) == static_cast<double>(k + 1), measures()[k].name);
  for (const char* name :
       {"natural", "natural_q", "fischer_burmeister", "energy", "projected_gradient", "complementarity"})
    BOOST_TEST((std::ranges::find(measures(), name, &scree::problem::MeasureInfo::name) != measures().end()), name);
}
