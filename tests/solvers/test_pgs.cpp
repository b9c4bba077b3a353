#include "scree/solvers/pgs.hpp"

#include <cmath>

#include "scree/problem/contact_frame.hpp"
#include "support/frozen.hpp"
#include "support/run_solver.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using model::Vec3;
using problem::Coupling;
using problem::Law;

namespace {

SolverRun run(const Frozen& frozen, double tolerance, int max_iterations) {
  return run_method(frozen.problem, {.tolerance = tolerance, .max_iterations = max_iterations, .check_every = 1},
                    solvers::pgs);
}

/// A sphere of 1 kg that hits the floor with a tangential speed.
Frozen one_contact(Law law, double tangential_speed) {
  FrozenScene scene = column(1);
  scene.bodies[0].velocity[0] = tangential_speed;
  return freeze(world(), scene, Placement::last_rank, law);
}

/// Collective: the impulse of the one contact in the world frame, on the floor.
Vec3 only_impulse(const Frozen& frozen, const SolverRun& run) {
  Vec3 impulse = Vec3::Zero();
  if (!run.judged.x.empty())
    impulse = problem::ContactFrame(frozen.contacts.contacts[0].normal.data()).to_world(run.judged.x.data());
  world().sum({impulse.data(), 3});
  return impulse;
}

/// Collective: q(x) = 1/2 x.N x + r.x.
double objective(const Frozen& frozen, Vec x) {
  const Judged judged = judge(frozen.problem, x);
  const parallel::ReadArray r(frozen.problem.r);
  double sum = 0.0;
  for (int k = 0; k < r.size(); ++k) {
    const auto i = static_cast<std::size_t>(k);
    sum += 0.5 * judged.x[i] * (judged.w[i] + r[k]);
  }
  return world().sum(sum);
}

}  // namespace

BOOST_AUTO_TEST_CASE(one_sweep_solves_one_contact) {
  for (const Law law : {Law::frictionless, Law::box, Law::cone})
    for (const double speed : {0.0, 0.01, 10.0}) {
      const Frozen frozen = one_contact(law, speed);
      const SolverRun solved = run(frozen, 1e-14, 5);
      BOOST_TEST(solved.converged);
      BOOST_TEST(solved.iterations <= 1, name_of(law) << " at " << speed);
    }
}

BOOST_AUTO_TEST_CASE(one_contact_has_the_impulse_of_the_formulas) {
  const double gh = gravity * 5e-3, mu = 0.3, slip = 10.0;
  // Frictionless: the weight alone, down on the floor.
  const Frozen smooth = one_contact(Law::frictionless, slip);
  BOOST_TEST((only_impulse(smooth, run(smooth, 0.0, 2)) - Vec3(0.0, 0.0, -gh)).norm() <= 1e-14);

  // Sticking: 2/7 of the momentum m v goes into the floor, the rest into rolling.
  const double slow = 0.01;
  const Frozen sticking = one_contact(Law::cone, slow);
  BOOST_TEST((only_impulse(sticking, run(sticking, 0.0, 2)) - Vec3(2.0 / 7.0 * slow, 0.0, -gh)).norm() <= 1e-14);

  // Sliding on the convex cone: w_n = mu w_T with w_n = x_n - g h and w_T = v - 7/2 mu x_n.
  const double normal = (gh + mu * slip) / (1.0 + 3.5 * mu * mu);
  const Frozen sliding = one_contact(Law::cone, slip);
  BOOST_TEST((only_impulse(sliding, run(sliding, 0.0, 2)) - Vec3(mu * normal, 0.0, -normal)).norm() <= 1e-13);

  // Sliding in the box: the bound, twice the weight times mu, decides.
  const Frozen boxed = one_contact(Law::box, slip);
  BOOST_TEST((only_impulse(boxed, run(boxed, 0.0, 2)) - Vec3(2.0 * mu * gh, 0.0, -gh)).norm() <= 1e-14);
}

BOOST_AUTO_TEST_CASE(no_sweep_raises_the_objective) {
  for (const Coupling coupling : {Coupling::interface_splitting, Coupling::full_splitting, Coupling::colouring})
    for (const Law law : {Law::frictionless, Law::box, Law::cone})
      for (const Placement placement : {Placement::slabs, Placement::scattered}) {
        const int local_sweeps = placement == Placement::slabs ? 1 : 3;
        const Frozen frozen = freeze(world(), bed(4, 4, 3, 3, 0.02), placement, law, {coupling, local_sweeps});
        const parallel::Vector x = frozen.problem.make_vector();
        problem::Motion motion = frozen.problem.N->motion_at_rest();
        double before = 0.0;
        for (int sweep = 0; sweep < 60; ++sweep) {
          frozen.problem.N->sweep(frozen.problem.r, frozen.problem.K, x, motion);
          const double now = objective(frozen, x);
          BOOST_TEST(now <= before + 1e-14 * std::abs(before));
          before = now;
        }
        BOOST_TEST(before < 0.0);
      }
}

BOOST_AUTO_TEST_CASE(all_couplings_converge_to_the_same_velocities) {
  const parallel::Comm self(MPI_COMM_SELF);
  const FrozenScene scene = bed(4, 4, 2, 4);
  const Frozen whole = freeze(self, scene, Placement::slabs, Law::cone);
  const SolverRun alone = run(whole, 1e-8, 2000);
  for (const Coupling coupling : {Coupling::interface_splitting, Coupling::full_splitting, Coupling::colouring})
    for (const Placement placement : {Placement::slabs, Placement::scattered}) {
      const Frozen frozen = freeze(world(), scene, placement, Law::cone, {coupling});
      const SolverRun together = run(frozen, 1e-8, 2000);
      BOOST_TEST(together.converged, name_of(coupling) << ", " << name_of(placement));
      const Distance distance = compare(frozen, together.judged, whole, alone.judged);
      BOOST_TEST(distance.velocities <= distance.allowed + 1e-12 * distance.scale);
      BOOST_TEST(distance.velocities <= 1e-5 * distance.scale);
    }
}

BOOST_AUTO_TEST_CASE(an_interior_problem_takes_the_sweeps_of_one_rank) {
  const parallel::Comm self(MPI_COMM_SELF);
  const FrozenScene scene = bed(4, 4, 3, 5);
  const Frozen whole = freeze(self, scene, Placement::slabs, Law::cone);
  const Frozen frozen = freeze(world(), scene, Placement::last_rank, Law::cone);
  BOOST_TEST(run(frozen, 1e-6, 2000).iterations == run(whole, 1e-6, 2000).iterations);
}

BOOST_AUTO_TEST_CASE(several_local_sweeps_between_exchanges_lower_the_objective_and_save_exchanges) {
  const FrozenScene scene = bed(5, 5, 4, 4);
  for (const Coupling coupling : {Coupling::interface_splitting, Coupling::full_splitting, Coupling::colouring}) {
    BOOST_TEST_CONTEXT(name_of(coupling)) {
      const Frozen single = freeze(world(), scene, Placement::slabs, Law::cone, {coupling, 1});
      const Frozen triple = freeze(world(), scene, Placement::slabs, Law::cone, {coupling, 3});
      const SolverRun slow = run(single, 1e-5, 4000), fast = run(triple, 1e-5, 4000);
      BOOST_TEST(fast.converged);
      BOOST_TEST(fast.judged.natural <= 1.0001e-5);
      BOOST_TEST(fast.iterations < slow.iterations);
      BOOST_TEST(triple.problem.N->sweeps() == 3 * fast.iterations);
    }
  }
}
