// Every solver on problems that are known to be hard: redundant contacts, bricks, masses that differ by 1e4. Judged
// against velocities found by other means, from the matrices.
// ranks: 1 2 3 4
// timeout: 600
#include <cmath>
#include <map>
#include <string>

#include "scree/solvers/registry.hpp"
#include "support/gallery.hpp"
#include "support/nearest.hpp"

using namespace scree;
using namespace scree::test;
using problem::Law;

namespace {

struct Exhibit {
  std::string name;
  DenseGlobal problem;
  int joints = 0;  ///< contacts that hold in every direction: the first ones
};

std::vector<Exhibit> gallery() {
  return {{"single sphere", stack_of_spheres({1.0}, 0.3)},
          {"stack", stack_of_spheres({1.0, 1.0, 1.0, 1.0, 1.0}, 0.3)},
          {"box on four legs", tower_of_boxes(1)},
          {"box on four legs, friction 0", tower_of_boxes(1, 0.0)},
          {"box on four legs, friction 0.8", tower_of_boxes(1, 0.8)},
          {"brick wall", brick_wall(3, 0.6)},
          {"heavy on light", stack_of_spheres({1.0, 1e4}, 0.3)},
          {"light on heavy", stack_of_spheres({1e4, 1.0}, 0.3)},
          {"chain with joints", chain_of_spheres(4, 0.3), 4}};
}

/// The set of a problem in full; sections of constant size get mu times the weight on a contact.
problem::ConstraintSet set_of(const DenseGlobal& dense, Law law, int joints) {
  problem::ConstraintSet set{law, {dense.mu.begin(), dense.mu.end()}, {}, 8};
  for (const double mu : set.friction.all()) set.bound.push_back(mu * gravity * ProblemBuilder::step);
  if (joints == 0) return set;
  set.exceptions.insert(Law::bilateral);
  set.own_law.resize(set.friction.size());
  std::fill_n(set.own_law.begin(), joints, Law::bilateral);
  return set;
}

/// This rank's part of a set.
void set_part(const problem::ConstraintSet& whole, problem::ConstraintSet& part) {
  const parallel::EvenSplit split{whole.contact_count(), world().size()};
  const auto first = split.first(world().rank()), count = split.count(world().rank());
  part.law = whole.law;
  part.facets = whole.facets;
  part.bound.assign(whole.bound.begin() + first, whole.bound.begin() + first + count);
  part.exceptions = whole.exceptions;
  if (!whole.own_law.empty()) part.own_law.assign(whole.own_law.begin() + first, whole.own_law.begin() + first + count);
}

bool takes(const solvers::SolverInfo& solver, problem::LawSet laws) {
  return std::ranges::all_of(laws.listed(), [&](Law law) { return std::ranges::count(solver.laws, law) > 0; });
}

/// The convex problem by projected gradients with momentum in the metric of the diagonal, restarted when it turns,
/// until nothing changes: impulses in full.
Eigen::VectorXd solution_of(const DenseGlobal& dense, const problem::ConstraintSet& set) {
  const Eigen::MatrixXd N = dense.N();
  const Eigen::VectorXd r = dense.r();
  Eigen::VectorXd metric = N.diagonal();
  for (Eigen::Index k = 0; k < metric.size(); k += 3) metric.segment<3>(k).setConstant(metric.segment<3>(k).maxCoeff());
  const Eigen::MatrixXd scaled =
      metric.cwiseSqrt().cwiseInverse().asDiagonal() * N * metric.cwiseSqrt().cwiseInverse().asDiagonal();
  metric *= scaled.selfadjointView<Eigen::Lower>().eigenvalues().maxCoeff();
  Eigen::VectorXd x = Eigen::VectorXd::Zero(r.size()), y = x;
  double theta = 1.0;
  for (int iteration = 0; iteration < 500000; ++iteration) {
    Eigen::VectorXd next = y - (N * y + r).cwiseQuotient(metric);
    for (Eigen::Index k = 0; k < next.size(); k += 3)  // equal entries in the metric of a contact: the usual projection
      next.segment<3>(k) = nearest_admissible(set, static_cast<int>(k / 3), next.segment<3>(k));
    const bool turned = (y - next).cwiseProduct(metric).dot(next - x) > 0.0;
    const bool rests = (next - y).norm() <= 1e-15 * next.norm();
    const double theta_next = turned ? 1.0 : 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * theta * theta));
    y = turned ? next : Eigen::VectorXd(next + (theta - 1.0) / theta_next * (next - x));
    x = next;
    theta = theta_next;
    if (rests) return x;
  }
  BOOST_FAIL("the reference did not converge");
  return {};
}

/// |v - v_reference|_M / |v_reference|_M of the velocity changes that impulses cause.
double velocity_error(const DenseGlobal& dense, const Eigen::VectorXd& x, const Eigen::VectorXd& reference) {
  const auto energy = [&](const Eigen::VectorXd& impulses) { return impulses.dot(dense.N() * impulses); };
  return std::sqrt(std::max(0.0, energy(x - reference)) / energy(reference));
}

/// The usual ones, but a step that Jacobi's method survives: it must be shorter than 2 / largest eigenvalue of D^-1 N,
/// which grows with the contacts of a body.
solvers::OptionValues options_for(const std::string& solver, const std::string& exhibit) {
  if (solver == "jacobi" && exhibit == "brick wall") return {{"omega", 0.1}};
  return {};
}

/// Methods whose error falls by a share of about the inverse mass ratio in an iteration: 20,000 iterations are far too
/// few for them. And cpg1, which stalls on a chain whose contacts slide: at 3e-7 on cylinders, on some
/// ranks at 1.2e-9 on prisms.
bool is_out_of_reach(const std::string& solver, const std::string& exhibit, Law law) {
  if (solver == "cpg1" && exhibit == "chain with joints") return law == Law::cylinder || law == Law::prism;
  const std::vector<std::string> plain = {"pgs", "nsgs", "sor", "adaptive-bounds", "jacobi", "pgd"};
  if (exhibit == "heavy on light") return std::ranges::find(plain, solver) != plain.end();
  return exhibit == "light on heavy" && solver == "pgd";  // it has one step length for both
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_solver_finds_the_velocities_of_every_exhibit) {
  for (const auto& [name, dense, joints] : gallery())
    for (const auto& law : laws_of_beds()) {
      const bool convex = is_convex(law.law);
      problem::SparseProblem sparse = make_sparse(dense);
      const problem::ConstraintSet whole = set_of(dense, law.law, joints);
      set_part(whole, sparse.problem.K);
      const Eigen::VectorXd reference = convex ? solution_of(dense, whole) : Eigen::VectorXd();
      for (const auto& solver : solvers::registry()) {
        if (!takes(solver, whole.all_laws())) continue;
        if (is_out_of_reach(solver.name, name, law.law)) continue;
        if (solver.name == "enumerate" && name != "single sphere") continue;  // a dozen rows at most
        constexpr double tolerance = 1e-9;  // by |r|: the impulses between unequal masses are huge against it
        solvers::Monitor monitor(sparse.problem, {.measure = problem::Measure::natural_q,
                                                  .tolerance = tolerance,
                                                  .max_iterations = 20000,
                                                  .check_every = 1});
        const parallel::Vector x = sparse.problem.make_vector();
        solver.make(options_for(solver.name, name))(sparse.problem, x, monitor);
        BOOST_TEST_CONTEXT(solver.name << ", " << law.name << ", " << name << ": " << monitor.iterations()
                                       << " iterations") {
          BOOST_TEST(monitor.converged());
          BOOST_TEST(judge(sparse.problem, x).natural_q <= 1.01 * tolerance);
          if (convex) BOOST_TEST(velocity_error(dense, whole_of(x), reference) <= 1e-6);
        }
      }
    }
}
