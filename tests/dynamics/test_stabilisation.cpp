// The formulas of stabilisation, and a stack of spheres under each of them.
// timeout: 300
#include "scree/dynamics/stabilisation.hpp"

#include <cmath>

#include "support/mechanism.hpp"

using namespace scree;
using namespace scree::test;
using dynamics::hold;
using dynamics::keep_apart;
using dynamics::RowCorrection;
using dynamics::Setup;
using dynamics::Simulation;
using dynamics::Stabilisation;
using dynamics::StabilisationKind;
using model::Body;
using model::Vec3;

namespace {

constexpr double h = 0.01;

void check(const RowCorrection& found, double offset, double compliance) {
  BOOST_TEST(std::abs(found.offset - offset) <= 1e-12 * (1.0 + std::abs(offset)));
  BOOST_TEST(std::abs(found.compliance - compliance) <= 1e-12 * (1.0 + std::abs(compliance)));
}

/// Lengths in radii; energies by the one that lifts the stack by a radius, against the stack that just touches, at
/// rest.
struct Stack {
  double penetration;  ///< largest after the last step
  double drift;        ///< energy after the last step
  double overshoot;    ///< largest energy on the way
};

/// Collective: ten spheres on top of each other on the floor, 1,000 steps of 5 ms.
Stack run_stack(const Stabilisation& how, double first_overlap, int iterations) {
  constexpr int height = 10;
  constexpr double radius = 0.5;
  std::vector<Body> bodies;
  for (int k = 0; k < height; ++k) {
    const double below = first_overlap * radius * (k + 1);
    bodies.push_back(unit_sphere(k, {0.0, 0.0, 2.0 * radius * k + radius - below}));
  }
  Setup setup = make_setup(world(), bodies, {floor_wall()}, 0.0);
  setup.step.stabilisation = how;
  setup.solver.law = problem::Law::frictionless;
  setup.solver.stop = {.tolerance = 1e-10, .max_iterations = iterations, .check_every = 10};
  const Vec3 acceleration = setup.step.gravity;
  Simulation simulation(world(), std::move(setup));
  std::vector<Body> state = all_bodies(world(), simulation);
  const double unit = height * bodies[0].mass * gravity * radius, at_rest = height * unit;
  Stack stack{0.0, 0.0, -HUGE_VAL};
  for (int step = 0; step < 1000; ++step) {
    simulation.step();
    const std::vector<Body> after = all_bodies(world(), simulation);
    stack.drift = (energy_between(state, after, acceleration) - at_rest) / unit;
    stack.overshoot = std::max(stack.overshoot, stack.drift);
    state = after;
  }
  stack.penetration = simulation.report().max_penetration / radius;
  return stack;
}

void tell(const char* name, const char* case_name, const Stack& stack) {
  if (!world().is_root()) return;
  BOOST_TEST_MESSAGE("| " << name << " | " << case_name << " | " << stack.penetration << " | " << stack.drift << " | "
                          << stack.overshoot << " |");
}

}  // namespace

BOOST_AUTO_TEST_CASE(rows_get_what_the_papers_say) {
  const dynamics::RowState row{-0.02, 0.3, 0.05, 1e-4, {}};
  check(hold({}, h, row), -2.0 + 0.05, 1.0);
  check(hold({.kind = StabilisationKind::baumgarte, .gain = 0.25}, h, row), -0.5 + 0.05, 0.25);
  // tau = 4 h: gamma = 1 / 17
  check(hold({.kind = StabilisationKind::spook}, h, row), (-8.0 - 0.3) / 17.0, 4.0 / 17.0);
  check(hold({.kind = StabilisationKind::spook, .damping = 0.0}, h, row), -8.0 - 0.3, 4.0);
  // The damping of a row goes before that of all.
  check(hold({.damping = 7.0}, h, {-0.02, 0.3, 0.0, 1e-4, h}), -1.0, 0.5);
}

BOOST_AUTO_TEST_CASE(gaps_close_and_overlaps_are_undone_with_care) {
  for (const auto& [kind, name] : dynamics::stabilisations()) {
    const Stabilisation how{.kind = kind};
    check(keep_apart(how, h, {0.02, -1.0}), 2.0, 0.0);
    check(keep_apart(how, h, {-1.0, 0.0}), -1.0, 0.0);  // a rigid overlap: the recovery speed
    check(keep_apart(how, h, {-1.0, 0.0, 0.0, 1e-3}),   // a compliant one: its force
          hold(how, h, {-1.0, 0.0, 0.0, 1e-3}).offset, hold(how, h, {-1.0, 0.0, 0.0, 1e-3}).compliance);
  }
}

// The table of docs/stabilisation.md: run this case with --log_level=message.
BOOST_AUTO_TEST_CASE(a_stack_stands_for_a_thousand_steps) {
  struct Kind {
    const char* name;
    Stabilisation how;
    double most;  ///< penetration (radii)
  };
  // Ten spheres of about 1 kg: the lowest contact carries 103 N, so the compliance lets it sink by 2e-4 radii.
  const Kind kinds[] = {
      {"gap", {}, 1e-6},
      {"baumgarte, K = 0.2", {.kind = StabilisationKind::baumgarte, .gain = 0.2}, 1e-4},
      {"spook, tau = 4 h", {.kind = StabilisationKind::spook}, 1e-4},
      {"spook, tau = 4 h, epsilon = 1e-6 m/N", {.kind = StabilisationKind::spook, .compliance = 1e-6}, 2.5e-4}};
  for (const Kind& kind : kinds) {
    const Stack touching = run_stack(kind.how, 0.0, 1000);
    tell(kind.name, "touching, solved to 1e-10", touching);
    BOOST_TEST(touching.penetration <= kind.most, kind.name << ": " << touching.penetration);
    BOOST_TEST(std::abs(touching.drift) <= 1e-3, kind.name << ": " << touching.drift);
    const Stack pressed = run_stack(kind.how, 0.02, 1000);
    tell(kind.name, "pressed by 2 % of a radius, solved to 1e-10", pressed);
    BOOST_TEST(pressed.penetration <= 1e-3, kind.name << ": " << pressed.penetration);
    BOOST_TEST(std::abs(pressed.drift) <= 1e-3, kind.name << ": " << pressed.drift);
    tell(kind.name, "touching, 5 sweeps a step", run_stack(kind.how, 0.0, 5));
  }
}

BOOST_AUTO_TEST_CASE(each_pair_of_materials_gives_way_by_its_own_compliance) {
  // Three spheres side by side: rigid, soft, and soft by an exception for its pair with the floor.
  std::vector<Body> bodies;
  for (int k = 0; k < 3; ++k) {
    bodies.push_back(unit_sphere(k, {2.0 * k, 0.0, 0.5}));
    bodies.back().material = k;
  }
  Setup setup = make_setup(world(), bodies, {floor_wall()}, 0.0);
  const double weight = bodies[0].mass * gravity;
  const double soft = 1e-3 / weight, softer = 4e-3 / weight;  // sinks by 1 mm, by 4 mm
  setup.materials.push_back({.name = "soft", .compliance = soft, .damping = 0.05});
  setup.materials.push_back({.name = "odd"});
  setup.material_pairs = {{0, 2, {0.0, 0.0, softer, 0.05}}};
  Simulation simulation(world(), std::move(setup));
  for (int k = 0; k < 400; ++k) simulation.step();
  const auto state = all_bodies(world(), simulation);
  for (const auto& [body, sunk] : {std::pair(0, 0.0), std::pair(1, 1e-3), std::pair(2, 4e-3)})
    BOOST_TEST(std::abs(0.5 - state[static_cast<std::size_t>(body)].position[2] - sunk) <= 1e-6, "body " << body);
}
