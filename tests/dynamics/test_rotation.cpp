// ranks: 1
#include "scree/dynamics/rotation.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "support/support.hpp"

using scree::dynamics::free_spin;
using scree::dynamics::turned;
using scree::model::Quat;
using scree::model::Vec3;

namespace {

double energy(const Vec3& spin, const Vec3& inertia) { return 0.5 * spin.dot(inertia.cwiseProduct(spin)); }
double momentum(const Vec3& spin, const Vec3& inertia) { return inertia.cwiseProduct(spin).norm(); }

/// The right side of Euler's equations: I w' = -w x I w.
Vec3 acceleration(const Vec3& spin, const Vec3& inertia) {
  return -spin.cross(inertia.cwiseProduct(spin)).cwiseQuotient(inertia);
}

/// Euler's equations by many small steps of the classical Runge-Kutta method.
Vec3 spin_after(Vec3 spin, const Vec3& inertia, double time) {
  const int steps = 20000;
  const double h = time / steps;
  for (int step = 0; step < steps; ++step) {
    const Vec3 k1 = acceleration(spin, inertia), k2 = acceleration(spin + 0.5 * h * k1, inertia);
    const Vec3 k3 = acceleration(spin + 0.5 * h * k2, inertia), k4 = acceleration(spin + h * k3, inertia);
    spin += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  return spin;
}

const Vec3 asymmetric(1.0, 2.0, 3.0);
const Vec3 start(0.1, 3.0, -0.2);  // close to the unstable middle axis: it tumbles

}  // namespace

BOOST_AUTO_TEST_CASE(an_asymmetric_top_keeps_energy_and_momentum) {
  Vec3 spin = start;
  double largest = 0.0;
  for (int step = 0; step < 10000; ++step) {
    spin = free_spin(spin, asymmetric, 0.01);
    largest = std::max(largest, spin.x());
    BOOST_REQUIRE(std::abs(energy(spin, asymmetric) / energy(start, asymmetric) - 1.0) <= 1e-10);
    BOOST_REQUIRE(std::abs(momentum(spin, asymmetric) / momentum(start, asymmetric) - 1.0) <= 1e-10);
  }
  BOOST_TEST(largest > 1.0);  // it did tumble
}

BOOST_AUTO_TEST_CASE(large_steps_stay_stable) {
  for (const double h : {0.1, 1.0, 10.0}) {
    Vec3 spin = start;
    for (int step = 0; step < 1000; ++step) {
      spin = free_spin(spin, asymmetric, h);
      BOOST_REQUIRE(std::abs(energy(spin, asymmetric) / energy(start, asymmetric) - 1.0) <= 1e-10);
      BOOST_REQUIRE(std::abs(momentum(spin, asymmetric) / momentum(start, asymmetric) - 1.0) <= 1e-10);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_needle_and_a_disc_stay_stable) {
  for (const Vec3& inertia : {Vec3(1e-4, 1.0, 1.0), Vec3(2.0, 1.0, 1.0)}) {
    const Vec3 first(500.0, 1.0, 0.0);
    Vec3 spin = first;
    for (int step = 0; step < 10000; ++step) spin = free_spin(spin, inertia, 5e-3);
    BOOST_TEST(std::abs(energy(spin, inertia) / energy(first, inertia) - 1.0) <= 1e-10);
    BOOST_TEST(std::abs(momentum(spin, inertia) / momentum(first, inertia) - 1.0) <= 1e-10);
  }
}

BOOST_AUTO_TEST_CASE(converges_to_eulers_equations_at_second_order) {
  const double time = 2.0;
  const Vec3 exact = spin_after(start, asymmetric, time);
  double before = 0.0;
  for (const int steps : {200, 400, 800}) {
    Vec3 spin = start;
    for (int step = 0; step < steps; ++step) spin = free_spin(spin, asymmetric, time / steps);
    const double error = (spin - exact).norm();
    if (before > 0.0) BOOST_TEST(std::abs(before / error - 4.0) <= 0.05);
    before = error;
  }
  BOOST_TEST(before <= 1e-4);
}

BOOST_AUTO_TEST_CASE(a_ball_and_a_principal_axis_keep_their_spin) {
  BOOST_TEST((free_spin(start, Vec3::Constant(0.7), 0.1) - start).norm() <= 1e-15 * start.norm());
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3 spin = 40.0 * Vec3::Unit(axis);
    BOOST_TEST((free_spin(spin, asymmetric, 0.1) - spin).norm() == 0.0);
  }
  BOOST_TEST(free_spin(Vec3::Zero(), asymmetric, 0.1).norm() == 0.0);
}

BOOST_AUTO_TEST_CASE(turning_is_the_exact_rotation_about_the_spin) {
  const Vec3 spin(1.0, -2.0, 0.5);
  const Quat attitude = Quat(0.3, -0.4, 0.5, 0.1).normalized();
  for (const double h : {1e-12, 1e-3, 0.1, 1.0, 10.0, 100.0}) {
    const Vec3 v = attitude * Vec3(0.3, 1.0, -2.0), k = spin.normalized();
    const double angle = h * spin.norm();
    // Rodrigues
    const Vec3 expected = std::cos(angle) * v + std::sin(angle) * k.cross(v) + (1.0 - std::cos(angle)) * k.dot(v) * k;
    BOOST_TEST((turned(attitude, spin, h) * Vec3(0.3, 1.0, -2.0) - expected).norm() <= 1e-13 * v.norm());
  }
}

BOOST_AUTO_TEST_CASE(the_quaternion_keeps_its_length) {
  Quat attitude = Quat::Identity();
  const Vec3 spin(30.0, -20.0, 7.0);
  for (int step = 0; step < 10000; ++step) {
    attitude = turned(attitude, spin + 5.0 * Vec3(std::sin(step), std::cos(step), 1.0), 5e-3);
    BOOST_REQUIRE(std::abs(attitude.norm() - 1.0) <= 1e-14);
  }
}

BOOST_AUTO_TEST_CASE(full_turns_lead_back) {
  const int steps = 1000;
  Quat attitude = Quat::Identity();
  for (int step = 0; step < steps; ++step)
    attitude = turned(attitude, 2.0 * std::numbers::pi * Vec3::UnitY(), 1.0 / steps);
  BOOST_TEST(attitude.angularDistance(Quat::Identity()) <= 1e-7);  // acos near 1 sees the root of the rounding
  BOOST_TEST((attitude * Vec3::UnitX() - Vec3::UnitX()).norm() <= 1e-13);
}

BOOST_AUTO_TEST_CASE(no_spin_and_tiny_spins_turn_nothing) {
  const Quat attitude = Quat(0.3, -0.4, 0.5, 0.1).normalized();
  for (const double size : {0.0, 1e-300, 1e-160, 1e-100})
    BOOST_TEST(turned(attitude, Vec3(size, 0.0, -size), 5e-3).coeffs().isApprox(attitude.coeffs(), 1e-15));
}
