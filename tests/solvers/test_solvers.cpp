// Every solver of the registry on every law that it takes: the same suite for all of them.
// timeout: 600
#include <boost/test/data/test_case.hpp>

#include <Eigen/Dense>
#include <string>
#include <vector>

#include "scree/problem/contact_frame.hpp"
#include "scree/solvers/registry.hpp"
#include "support/frozen.hpp"
#include "support/solver_cases.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using model::Vec3;
using problem::Law;
namespace data = boost::unit_test::data;

namespace {

constexpr double tolerance = 1e-6;

/// Iterations within which a solver must bring the natural residual of every bed below the tolerances asked for, on any
/// number of ranks: about two and a half times the most that it was seen to take (npgs 84 and pgs 313, on `coulomb` and
/// `polyhedral` to 1e-7, nsgs as pgs, sor 292, jacobi 2,778, gpminres 18, gpminres-p 9, apgd 113, spg 108, cpg 182,
/// cpg1 575, kucera 478, pgd 1,844, tresca 35, de-saxce 20). A new solver gets 1,000.
int iteration_limit(const std::string& solver) {
  if (solver == "npgs") return 200;
  if (solver == "pgs" || solver == "nsgs") return 800;
  if (solver == "sor") return 750;
  if (solver == "jacobi") return 6000;
  if (solver == "gpminres" || solver == "gpminres-p") return 30;
  if (solver == "apgd" || solver == "spg" || solver == "cpg") return 300;
  if (solver == "cpg1" || solver == "kucera") return 1500;
  if (solver == "pgd") return 4600;
  if (solver == "lemke") return 5000;                         // pivots
  if (solver == "tresca" || solver == "de-saxce") return 90;  // each with up to 50 sweeps
  return 1000;
}

/// Lemke's tableau is dense: a pivot touches all of it.
FrozenScene bed_for(const std::string& solver) { return solver == "lemke" ? bed(5, 5, 2, 1) : bed(8, 8, 3, 1); }

/// Sweeps depend on how contacts are dealt out to the ranks, and so do preconditioners that work rank by rank. On the
/// curved face of a cone gpminres follows the order of summation: a contact near the apex changes its face or not, and
/// 12 to 18 iterations were seen on the same bed.
bool counts_alike_on_all_ranks(const SolverCase& c, const problem::ContactOperator& N) {
  return N.sweeps() == 0 && c.solver != "gpminres-p" && !(c.solver == "gpminres" && c.law == Law::cone);
}

struct Solved {
  Judged judged;
  int iterations;
  bool converged;
  bool counts_alike;
};

/// Collective: from zero.
Solved solve(const SolverCase& c, const Frozen& frozen, double to = tolerance) {
  solvers::Monitor monitor(frozen.problem,
                           {.tolerance = to, .max_iterations = iteration_limit(c.solver), .check_every = 1});
  const parallel::Vector x = frozen.problem.make_vector();
  solvers::make_solver(c.solver, {}, c.law)(frozen.problem, x, monitor);
  return {judge(frozen.problem, x), monitor.iterations(), monitor.converged(),
          counts_alike_on_all_ranks(c, *frozen.problem.N)};
}

void check_solution(const Solved& solved) {
  BOOST_TEST(solved.converged);
  BOOST_TEST(solved.judged.natural <= tolerance * (1.0 + 1e-6));
  BOOST_TEST(solved.judged.outside <= 1e-14);
}

}  // namespace

BOOST_DATA_TEST_CASE(solves_a_bed_alike_on_all_ranks_and_on_one, data::make(all_solver_cases()), the_case) {
  const parallel::Comm self(MPI_COMM_SELF);
  const FrozenScene scene = bed_for(the_case.solver);
  const Frozen whole = freeze(self, scene, Placement::slabs, the_case.law);
  const Solved alone = solve(the_case, whole);
  check_solution(alone);
  for (const Placement placement : {Placement::slabs, Placement::even_ranks}) {
    BOOST_TEST_CONTEXT(name_of(placement)) {
      const Frozen frozen = freeze(world(), scene, placement, the_case.law);
      BOOST_TEST(world().sum(static_cast<std::int64_t>(frozen.contacts.size())) == whole.contacts.size());
      const Solved together = solve(the_case, frozen);
      check_solution(together);
      if (together.counts_alike) BOOST_TEST(std::abs(together.iterations - alone.iterations) <= 1);
      if (!is_convex(the_case.law)) continue;  // velocities are not unique
      const Distance distance = compare(frozen, together.judged, whole, alone.judged);
      BOOST_TEST(distance.velocities <= distance.allowed + 1e-12 * distance.scale);
    }
  }
}

BOOST_DATA_TEST_CASE(solves_when_neighbours_live_on_different_ranks, data::make(all_solver_cases()), the_case) {
  const parallel::Comm self(MPI_COMM_SELF);
  const FrozenScene scene = bed(3, 3, 2, 4);
  const Frozen whole = freeze(self, scene, Placement::slabs, the_case.law);
  const Solved alone = solve(the_case, whole);
  for (const Placement placement : {Placement::scattered, Placement::last_rank}) {
    BOOST_TEST_CONTEXT(name_of(placement)) {
      const Frozen frozen = freeze(world(), scene, placement, the_case.law);
      const Solved together = solve(the_case, frozen);
      check_solution(together);
      if (together.counts_alike) BOOST_TEST(std::abs(together.iterations - alone.iterations) <= 1);
      if (!is_convex(the_case.law)) continue;  // velocities are not unique
      const Distance distance = compare(frozen, together.judged, whole, alone.judged);
      BOOST_TEST(distance.velocities <= distance.allowed + 1e-12 * distance.scale);
    }
  }
}

BOOST_DATA_TEST_CASE(solves_with_more_ranks_than_bodies, data::make(all_solver_cases()), the_case) {
  const parallel::Comm self(MPI_COMM_SELF);
  const FrozenScene scene = column(3);
  for (const Placement placement : all_placements) {
    BOOST_TEST_CONTEXT(name_of(placement)) {
      const Frozen frozen = freeze(world(), scene, placement, the_case.law);
      const Solved solved = solve(the_case, frozen);
      check_solution(solved);
      for (std::size_t k = 0; k < frozen.ids.size(); ++k) {
        // A contact carries the weight above it: that of the bodies from its upper one on.
        const auto upper = frozen.ids[k].second < 0 ? frozen.ids[k].first : frozen.ids[k].second;
        const double weight = static_cast<double>(3 - upper) * gravity * scene.step;
        BOOST_TEST(std::abs(solved.judged.x[3 * k] - weight) <= 1e-5 * weight);
      }
    }
  }
}

BOOST_DATA_TEST_CASE(has_nothing_to_do_without_contacts, data::make(all_solver_cases()), the_case) {
  for (const int bodies : {0, 5}) {
    const Frozen frozen = freeze(world(), loose(bodies), Placement::scattered, the_case.law);
    const Solved solved = solve(the_case, frozen);
    BOOST_TEST(solved.converged);
    BOOST_TEST(solved.iterations == 0);
    BOOST_TEST(solved.judged.x.empty());
  }
}

BOOST_DATA_TEST_CASE(takes_a_start_outside_the_set, data::make(all_solver_cases()), the_case) {
  const Frozen frozen = freeze(world(), bed(3, 3, 2, 4), Placement::slabs, the_case.law);
  const parallel::Vector x = frozen.problem.make_vector();
  parallel::petsc(VecSet(x, -1.0));
  solvers::Monitor monitor(frozen.problem,
                           {.tolerance = tolerance, .max_iterations = iteration_limit(the_case.solver)});
  solvers::make_solver(the_case.solver, {}, the_case.law)(frozen.problem, x, monitor);
  const Judged judged = judge(frozen.problem, x);
  BOOST_TEST(judged.natural <= tolerance * (1.0 + 1e-6));
  BOOST_TEST(judged.outside <= 1e-14);
}

BOOST_DATA_TEST_CASE(stays_where_it_is_when_started_from_a_solution, data::make(all_solver_cases()), the_case) {
  const Frozen frozen = freeze(world(), bed(3, 3, 2, 4), Placement::slabs, the_case.law);
  const parallel::Vector x = frozen.problem.make_vector();
  const auto solver = solvers::make_solver(the_case.solver, {}, the_case.law);
  solvers::Monitor first(frozen.problem, {.tolerance = tolerance, .max_iterations = iteration_limit(the_case.solver)});
  solver(frozen.problem, x, first);
  const Judged before = judge(frozen.problem, x);
  solvers::Monitor second(frozen.problem, {.tolerance = 1.01 * tolerance, .max_iterations = 1000});
  solver(frozen.problem, x, second);
  BOOST_TEST(second.iterations() == 0);
  const Judged after = judge(frozen.problem, x);
  for (std::size_t k = 0; k < before.x.size(); ++k)
    BOOST_TEST(std::abs(after.x[k] - before.x[k]) <= 1e-15);  // the projection may round
}

BOOST_AUTO_TEST_CASE(all_solvers_of_a_law_agree) {
  const parallel::Comm self(MPI_COMM_SELF);
  const FrozenScene scene = bed(4, 4, 2, 2);
  for (const auto& law : laws_of_beds()) {
    const Frozen whole = freeze(self, scene, Placement::slabs, law.law);
    const Frozen frozen = freeze(world(), scene, Placement::slabs, law.law);
    std::vector<std::pair<SolverCase, Solved>> alone, together;
    for (const SolverCase& c : all_solver_cases()) {
      if (c.law != law.law) continue;
      alone.emplace_back(c, solve(c, whole, 1e-7));
      together.emplace_back(c, solve(c, frozen, 1e-7));
      BOOST_TEST(together.back().second.converged, c);
    }
    if (!is_convex(law.law)) continue;  // velocities are not unique
    for (const auto& [reference, expected] : alone)
      for (const auto& [other, solved] : together) {
        BOOST_TEST_CONTEXT(reference << " against " << other.solver) {
          const Distance distance = compare(frozen, solved.judged, whole, expected.judged);
          BOOST_TEST(distance.velocities <= distance.allowed + 1e-12 * distance.scale);
          BOOST_TEST(distance.velocities <= 1e-4 * distance.scale);
        }
      }
  }
}

// Independent references: the matrix is built from the geometry, in the world frame, without the operator.
namespace {

/// Rows: relative velocity of b against a at each contact in the world frame, by velocities and spins of all bodies.
Eigen::MatrixXd relative_motion(const Frozen& whole) {
  const int contacts = whole.contacts.size();
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(3 * contacts, 6 * whole.bodies.owned());
  const auto cross = [](const Vec3& v) {
    return Eigen::Matrix3d{{0.0, -v.z(), v.y()}, {v.z(), 0.0, -v.x()}, {-v.y(), v.x(), 0.0}};
  };
  for (int k = 0; k < contacts; ++k) {
    const auto& contact = whole.contacts.contacts[static_cast<std::size_t>(k)];
    const auto add = [&](int body, double sign) {
      // v + spin x arm, where the arm points from the centre to the surface
      const Vec3 arm = -sign * whole.bodies.radius[static_cast<std::size_t>(body)] * contact.normal;
      J.block<3, 3>(3 * k, 6 * body) = sign * Eigen::Matrix3d::Identity();
      J.block<3, 3>(3 * k, 6 * body + 3) = -sign * cross(arm);
    };
    add(contact.a, -1.0);
    if (contact.b >= 0) add(contact.b, 1.0);
  }
  return J;
}

/// A dense contact problem in the world frame: impulses act on b.
struct Dense {
  Eigen::MatrixXd J;
  Eigen::VectorXd inverse_mass, free_velocity, r;
  Eigen::MatrixXd N;
  std::vector<Vec3> normal;

  Dense(const FrozenScene& scene, const Frozen& whole) : J(relative_motion(whole)) {
    const int bodies = whole.bodies.owned();
    inverse_mass.resize(6 * bodies);
    free_velocity.resize(6 * bodies);
    for (int k = 0; k < bodies; ++k) {
      const auto i = static_cast<std::size_t>(k);
      inverse_mass.segment<3>(6 * k).setConstant(1.0 / whole.bodies.mass[i]);
      inverse_mass.segment<3>(6 * k + 3) = whole.bodies.inertia[i].cwiseInverse();
      free_velocity.segment<3>(6 * k) = whole.bodies.velocity[i];
      free_velocity.segment<3>(6 * k + 3) = whole.bodies.spin[i];
    }
    N = J * inverse_mass.asDiagonal() * J.transpose();
    r = J * free_velocity;
    for (int k = 0; k < whole.contacts.size(); ++k) {
      const auto& contact = whole.contacts.contacts[static_cast<std::size_t>(k)];
      normal.push_back(contact.normal);
      r.segment<3>(3 * k) += std::max(contact.gap / scene.step, -0.1) * contact.normal;
    }
  }

  /// M^-1 D p.
  [[nodiscard]] Eigen::VectorXd motion(const Eigen::VectorXd& p) const {
    return inverse_mass.cwiseProduct(J.transpose() * p);
  }
};

/// The frictionless problem by trying every set of active contacts. At a vertex of the solutions the block of N of the
/// active contacts is regular, so one of the sets gives a solution.
Eigen::VectorXd by_enumeration(const Dense& dense) {
  const int contacts = static_cast<int>(dense.normal.size());
  Eigen::MatrixXd normals = Eigen::MatrixXd::Zero(3 * contacts, contacts);
  for (int k = 0; k < contacts; ++k) normals.block<3, 1>(3 * k, k) = dense.normal[static_cast<std::size_t>(k)];
  const Eigen::MatrixXd N = normals.transpose() * dense.N * normals;
  const Eigen::VectorXd r = normals.transpose() * dense.r;
  for (unsigned set = 0; set < (1U << static_cast<unsigned>(contacts)); ++set) {
    std::vector<int> active;
    for (int k = 0; k < contacts; ++k)
      if ((set >> static_cast<unsigned>(k)) & 1U) active.push_back(k);
    Eigen::VectorXd x = Eigen::VectorXd::Zero(contacts);
    if (!active.empty()) {
      const Eigen::MatrixXd block = N(active, active);
      const Eigen::LDLT<Eigen::MatrixXd> factors(block);
      if (factors.vectorD().minCoeff() < 1e-10) continue;
      const Eigen::VectorXd solution = factors.solve(-Eigen::VectorXd(r(active)));
      x(active) = solution;
    }
    if (x.minCoeff() >= 0.0 && (N * x + r).minCoeff() >= -1e-12) return normals * x;
  }
  BOOST_FAIL("no active set solves the problem");
  return {};
}

/// The cone problem by projected gradients with momentum, restarted when it turns, until nothing changes.
Eigen::VectorXd by_projected_gradients(const Dense& dense, double mu) {
  const double step = 1.0 / dense.N.rowwise().lpNorm<1>().maxCoeff();
  const auto project = [&](Eigen::VectorXd p) {
    for (std::size_t k = 0; k < dense.normal.size(); ++k) {
      const Vec3 at = p.segment<3>(3 * static_cast<int>(k)), n = dense.normal[k];
      const Vec3 tangential = at - n.dot(at) * n;
      const Vec3 split = nearest_in_cone({n.dot(at), tangential.norm(), 0.0}, mu);
      const double shrink = tangential.norm() > 0.0 ? split.y() / tangential.norm() : 0.0;
      p.segment<3>(3 * static_cast<int>(k)) = split.x() * n + shrink * tangential;
    }
    return p;
  };
  Eigen::VectorXd x = Eigen::VectorXd::Zero(dense.r.size()), y = x;
  double theta = 1.0;
  for (int iteration = 0; iteration < 200000; ++iteration) {
    const Eigen::VectorXd next = project(y - step * (dense.N * y + dense.r));
    const double change = (next - y).norm();
    const bool turned = (y - next).dot(next - x) > 0.0;
    const double theta_next = turned ? 1.0 : 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * theta * theta));
    y = turned ? next : Eigen::VectorXd(next + (theta - 1.0) / theta_next * (next - x));
    x = next;
    theta = theta_next;
    if (change <= 1e-14 * x.norm()) return x;
  }
  BOOST_FAIL("the reference did not converge");
  return {};
}

/// Collective: |v - v_reference|_M / |v_reference|_M for the velocity changes of this rank's bodies.
double relative_distance(const Dense& dense, const Eigen::VectorXd& reference, const Frozen& frozen,
                         const Judged& judged) {
  double sums[2] = {};
  for (std::size_t k = 0; k < static_cast<std::size_t>(frozen.bodies.owned()); ++k) {
    const int first = 6 * static_cast<int>(frozen.bodies.id[k]);
    const problem::BodyMotion& motion = problem::BodyOperator::bodies_of(judged.motion)[k];
    for (int c = 0; c < 6; ++c) {
      const double value = c < 3 ? motion.v[c] : motion.u[c - 3] / frozen.bodies.radius[k];
      const double expected = reference[first + c], mass = 1.0 / dense.inverse_mass[first + c];
      sums[0] += mass * (value - expected) * (value - expected);
      sums[1] += mass * expected * expected;
    }
  }
  world().sum(sums);
  return std::sqrt(sums[0] / sums[1]);
}

/// Few bodies in a corner of the floor: redundant contacts, some of which open.
FrozenScene corner() {
  FrozenScene scene = bed(2, 2, 2, 3, 0.02);
  scene.walls = {scene.walls[0], scene.walls[4]};  // lower x, lower z
  scene.bodies.resize(6);
  return scene;
}

void check_against(const FrozenScene& scene, const Dense& dense, const Eigen::VectorXd& impulses, Law law) {
  const Eigen::VectorXd reference = dense.motion(impulses);
  for (const SolverCase& c : all_solver_cases()) {
    if (c.law != law) continue;
    for (const Placement placement : {Placement::slabs, Placement::scattered}) {
      BOOST_TEST_CONTEXT(c << ", " << name_of(placement)) {
        const Frozen frozen = freeze(world(), scene, placement, law);
        const Solved solved = solve(c, frozen, 1e-8);
        BOOST_TEST(solved.converged);
        BOOST_TEST(relative_distance(dense, reference, frozen, solved.judged) <= 1e-6);
      }
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(frictionless_velocities_are_those_of_the_active_set) {
  const parallel::Comm self(MPI_COMM_SELF);
  const FrozenScene scene = corner();
  const Frozen whole = freeze(self, scene, Placement::slabs, Law::frictionless);
  BOOST_REQUIRE(whole.contacts.size() >= 12);
  BOOST_REQUIRE(whole.contacts.size() <= 16);
  const Dense dense(scene, whole);
  const Eigen::VectorXd impulses = by_enumeration(dense);
  BOOST_TEST((impulses.array().abs() > 0.0).any());
  check_against(scene, dense, impulses, Law::frictionless);
}

BOOST_AUTO_TEST_CASE(velocities_with_friction_are_those_of_projected_gradients) {
  const parallel::Comm self(MPI_COMM_SELF);
  const FrozenScene scene = corner();
  const Frozen whole = freeze(self, scene, Placement::slabs, Law::cone);
  const Dense dense(scene, whole);
  check_against(scene, dense, by_projected_gradients(dense, scene.friction), Law::cone);
}
