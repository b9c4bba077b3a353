// ranks: 1 2 3 4
// Pairs of materials whose contacts obey a law of their own.
#include <cmath>
#include <vector>

#include "scree/parallel/error.hpp"
#include "support/motion.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using dynamics::Setup;
using dynamics::Simulation;
using model::Body;
using model::Material;
using model::MaterialPair;
using model::Vec3;
using problem::Law;

namespace {

constexpr double radius = 0.5;

Body sphere(std::int64_t id, const Vec3& place, int material) {
  Body body = unit_sphere(id, place, radius);
  body.material = material;
  return body;
}

MaterialPair pair_with_law(const std::vector<Material>& materials, int a, int b, Law law) {
  MaterialPair pair{a, b,
                    surface_between(materials[static_cast<std::size_t>(a)], materials[static_cast<std::size_t>(b)])};
  pair.surface.law = law;
  return pair;
}

}  // namespace

BOOST_AUTO_TEST_CASE(spheres_on_one_floor_slide_by_the_laws_of_their_materials) {
  constexpr double mu = 0.3, speed = 2.0;
  enum { floor, stone, ice, tyre };
  std::vector<Body> bodies;
  for (const int material : {stone, ice, tyre}) {
    bodies.push_back(sphere(material - stone, {0.0, 2.0 * material, radius}, material));
    set_velocity(bodies.back(), {speed, 0.0, 0.0});
  }
  Setup setup = make_setup(world(), bodies, {floor_wall()}, mu);
  setup.materials.assign(4, {.name = {}, .friction = mu});
  setup.material_pairs = {pair_with_law(setup.materials, floor, ice, Law::frictionless),
                          pair_with_law(setup.materials, floor, tyre, Law::cone)};
  setup.solver.law = Law::coulomb;
  Simulation simulation(world(), std::move(setup));
  simulation.step();
  const auto after = all_bodies(world(), simulation);

  const double braked = speed - mu * gravity * simulation.options().step;
  BOOST_TEST(std::abs(after[0].velocity[0] - braked) <= 1e-12);
  BOOST_TEST(std::abs(after[0].velocity[2]) <= 1e-12);  // Coulomb: it stays
  BOOST_TEST(after[1].velocity[0] == speed);
  BOOST_TEST(spin_of(after[1]).norm() == 0.0);
  const double slip = after[2].velocity[0] - radius * after[2].spin[1];
  BOOST_TEST(slip > 0.5 * speed);
  BOOST_TEST(std::abs(after[2].velocity[2] - mu * slip) <= 1e-10);  // the convex cone: it lifts (seed 000 eq. 12)
}

BOOST_AUTO_TEST_CASE(a_bilateral_pair_hangs_from_the_ceiling) {
  constexpr int length = 6;
  enum { glue, stone };
  std::vector<Body> bodies;
  for (int k = 0; k < length; ++k) bodies.push_back(sphere(k, {0.3 * k / length, 0.0, -radius - k}, glue));
  for (int k = 0; k + 1 < length; ++k) {  // exactly in touch, not quite above each other
    const Vec3 next = position_of(bodies[static_cast<std::size_t>(k)]) + Vec3(0.05, 0.0, -1.0).normalized();
    std::copy_n(next.data(), 3, bodies[static_cast<std::size_t>(k) + 1].position);
  }
  bodies.push_back(sphere(length, {5.0, 0.0, -radius}, stone));
  const model::Wall ceiling{"ceiling", model::Plane{Vec3::Zero(), -Vec3::UnitZ()}, glue};
  Setup setup = make_setup(world(), bodies, {ceiling}, 0.3);
  setup.materials.assign(2, {.name = {}, .friction = 0.3});
  setup.material_pairs = {pair_with_law(setup.materials, glue, glue, Law::bilateral)};
  Simulation simulation(world(), std::move(setup));
  double time = 0.0;
  for (int k = 0; k < 200; ++k) time = simulation.step().time;
  const auto after = all_bodies(world(), simulation);

  BOOST_TEST(std::abs(after[0].position[2] + radius) <= 1e-5);
  for (std::size_t k = 0; k + 1 < length; ++k)
    BOOST_TEST(std::abs((position_of(after[k + 1]) - position_of(after[k])).norm() - 2.0 * radius) <= 1e-4);
  const double fallen = -radius - 0.5 * gravity * time * (time + simulation.options().step);
  BOOST_TEST(std::abs(after[length].position[2] - fallen) <= 1e-9);
}

BOOST_AUTO_TEST_CASE(a_bilateral_contact_holds_only_once_it_touches) {
  // The first rises slowly to the ceiling and stays there; the second does not reach it and comes down again.
  std::vector<Body> bodies = {sphere(0, {0.0, 0.0, -radius - 0.02}, 0), sphere(1, {3.0, 0.0, -radius - 0.02}, 0)};
  set_velocity(bodies[0], {0.0, 0.0, 0.8});
  set_velocity(bodies[1], {0.0, 0.0, 0.4});
  Setup setup = make_setup(world(), bodies, {{"ceiling", model::Plane{Vec3::Zero(), -Vec3::UnitZ()}, 0}}, 0.3);
  setup.material_pairs = {pair_with_law(setup.materials, 0, 0, Law::bilateral)};
  Simulation simulation(world(), std::move(setup));
  for (int k = 0; k < 100; ++k) simulation.step();
  const auto after = all_bodies(world(), simulation);
  BOOST_TEST(std::abs(after[0].position[2] + radius) <= 1e-6);
  BOOST_TEST(after[1].position[2] < -radius - 0.5);
}

BOOST_AUTO_TEST_CASE(fixed_bounds_of_a_pair_come_from_a_solve_without_them) {
  // A sphere that slides on the floor under the law of the run, and one under a cylinder of radius mu times its weight:
  // on a plane both brake alike.
  constexpr double mu = 0.2;
  std::vector<Body> bodies = {sphere(0, {0.0, 0.0, radius}, 1), sphere(1, {0.0, 3.0, radius}, 2)};
  for (Body& body : bodies) set_velocity(body, {1.0, 0.0, 0.0});
  Setup setup = make_setup(world(), bodies, {floor_wall()}, mu);
  setup.materials.assign(3, {.name = {}, .friction = mu});
  setup.material_pairs = {pair_with_law(setup.materials, 0, 2, Law::cylinder)};
  setup.solver.law = Law::coulomb;
  Simulation simulation(world(), std::move(setup));
  for (int k = 0; k < 10; ++k) simulation.step();
  const auto after = all_bodies(world(), simulation);
  BOOST_TEST(after[0].velocity[0] < 1.0 - 0.9 * mu * gravity * simulation.steps_made() * simulation.options().step);
  BOOST_TEST((velocity_of(after[0]) - velocity_of(after[1])).norm() <= 1e-12);
}

BOOST_AUTO_TEST_CASE(the_solver_must_take_the_laws_of_all_pairs) {
  Setup setup = make_setup(world(), {}, {floor_wall()}, 0.3);
  setup.material_pairs = {pair_with_law(setup.materials, 0, 0, Law::coulomb)};
  setup.solver.name = "apgd";
  BOOST_CHECK_THROW(Simulation(world(), std::move(setup)), InputError);
}
