// pivot, lemke and enumerate: the direct methods for problems of bounds, on singular, degenerate and inconsistent ones.
// ranks: 1 2 3 4
// timeout: 600
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "scree/parallel/error.hpp"
#include "scree/solvers/diagnosis.hpp"
#include "support/dense_operator.hpp"
#include "support/gallery.hpp"
#include "support/run_solver.hpp"

using namespace scree;
using namespace scree::test;
using problem::Law;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Solution {
  Eigen::VectorXd x, w;
  bool converged;
  int iterations;
  solvers::Diagnosis diagnosis;
};

/// Collective: from `start`, zero if it is empty.
Solution solve(const problem::ContactProblem& problem, const std::string& solver, double tolerance = 1e-13,
               const solvers::OptionValues& options = {}, const Eigen::VectorXd& start = {}) {
  const parallel::Vector x = start.size() == 0 ? problem.make_vector() : dense_vector(start), w = problem.make_vector();
  // By |r|: by the measure `natural` impulses that grow without bound pass for a solution.
  solvers::Monitor monitor(
      problem,
      {.measure = problem::Measure::natural_q, .tolerance = tolerance, .max_iterations = 20000, .check_every = 1});
  solvers::make_solver(solver, options, problem.K.law)(problem, x, monitor);
  problem.N->apply(x, w);
  parallel::petsc(VecAXPY(w, 1.0, problem.r));
  return {whole_of(x), whole_of(w), monitor.converged(), monitor.iterations(), diagnose(monitor)};
}

/// Problems of rows: three to a block, the last ones padded with rows that cannot move.
struct Rows {
  Eigen::MatrixXd N;
  Eigen::VectorXd r, lower, upper;

  [[nodiscard]] problem::ContactProblem problem() const {
    const Eigen::Index rows = r.size(), padded = (rows + 2) / 3 * 3;
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(padded, padded);
    Eigen::VectorXd offset = Eigen::VectorXd::Zero(padded);
    matrix.topLeftCorner(rows, rows) = N;
    offset.head(rows) = r;
    problem::ConstraintSet K;
    for (Eigen::Index k = 0; k < padded; k += 3) {
      problem::RowBounds bounds{{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
      for (Eigen::Index c = 0; c < 3 && k + c < rows; ++c)
        bounds.lower[c] = lower[k + c], bounds.upper[c] = upper[k + c];
      K.joints.push_back(bounds);
    }
    if (world().rank() + 1 != world().size()) K.joints.clear();
    return {std::make_unique<DenseOperator>(matrix), dense_vector(offset), K};
  }

  /// The largest product of a distance to a bound and of the velocity that this bound must not have, and the largest
  /// violation of a bound.
  [[nodiscard]] double violation(const Solution& solution) const {
    double worst = 0.0;
    for (Eigen::Index k = 0; k < r.size(); ++k) {
      const double x = solution.x[k], w = solution.w[k];
      worst = std::max({worst, lower[k] - x, x - upper[k]});
      if (x > lower[k]) worst = std::max(worst, std::isfinite(lower[k]) ? (x - lower[k]) * w : std::max(w, 0.0));
      if (x < upper[k]) worst = std::max(worst, std::isfinite(upper[k]) ? (x - upper[k]) * w : std::max(-w, 0.0));
    }
    return worst;
  }
};

/// A matrix of this rank, with bounds of all kinds, and an offset for which a solution exists: w of a chosen z.
Rows random_rows(unsigned seed, int rows, int rank) {
  RandomMatrices random(seed);
  Eigen::MatrixXd root(rows, rank);
  for (Eigen::Index j = 0; j < rank; ++j) root.col(j) = random.vector(rows);
  Rows result{root * root.transpose(), {}, Eigen::VectorXd::Zero(rows), Eigen::VectorXd::Constant(rows, infinity)};
  Eigen::VectorXd x = Eigen::VectorXd::Zero(rows), w = Eigen::VectorXd::Zero(rows);
  for (Eigen::Index k = 0; k < rows; ++k) {
    const auto kind = static_cast<int>(3.0 * random(0.0, 1.0));
    if (kind == 0) result.lower[k] = -infinity;                    // bilateral
    if (kind == 1) result.lower[k] = -1.0, result.upper[k] = 2.0;  // a box
    const double place = random();
    x[k] = place;                                                        // between bounds,
    if (kind == 1 && place > 0.3) x[k] = 2.0, w[k] = -random(0.0, 1.0);  // or at one of them,
    if (kind == 1 && place < -0.3) x[k] = -1.0, w[k] = random(0.0, 1.0);
    if (kind == 2 && place < 0.0) x[k] = 0.0, w[k] = k % 2 == 0 ? 0.0 : random(0.0, 1.0);  // some of them degenerate
  }
  result.r = w - result.N * x;
  return result;
}

std::vector<std::string> direct_methods(int rows) {
  std::vector<std::string> methods = {"pivot", "lemke"};
  if (rows <= 12) methods.emplace_back("enumerate");
  return methods;
}

/// What a solver says when it refuses; empty if it does not.
std::string refusal(const problem::ContactProblem& problem, const std::string& solver,
                    const solvers::OptionValues& options = {}) {
  try {
    (void)solve(problem, solver, 1e-6, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Seed 001, the rod on two points: m = l = 1.5, T = 10, h = 0.01.
Rows rod() {
  constexpr double m = 1.5, l = 1.5, T = 10.0, h = 0.01;
  const double turn = 6.0 / (m * l) * T;
  return {Eigen::Matrix2d{{4.0 / m, -2.0 / m}, {-2.0 / m, 4.0 / m}},
          Eigen::Vector2d(-h * (gravity + turn), -h * (gravity - turn)), Eigen::Vector2d::Zero(),
          Eigen::Vector2d::Constant(infinity)};
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_rod_of_seed_001_is_solved_exactly) {
  const problem::ContactProblem problem = rod().problem();
  for (const std::string& solver : direct_methods(2)) {
    const Solution solution = solve(problem, solver);
    BOOST_TEST_CONTEXT(solver) {
      BOOST_TEST(solution.converged);
      BOOST_TEST(std::abs(solution.x[0] - 0.1402416667) <= 1e-9);
      BOOST_TEST(std::abs(solution.x[1] - 0.0069083333) <= 1e-9);
      BOOST_TEST(solution.w.head(2).lpNorm<Eigen::Infinity>() <= 1e-14);
      BOOST_TEST(rod().violation(solution) <= 1e-12);
    }
  }
}

BOOST_AUTO_TEST_CASE(random_problems_of_every_rank_are_solved_to_rounding) {
  for (const int rows : {1, 2, 7, 10, 40})
    for (unsigned seed = 0; seed < 12; ++seed) {
      const Rows task = random_rows(100 * static_cast<unsigned>(rows) + seed, rows, 1 + static_cast<int>(seed) % rows);
      const problem::ContactProblem problem = task.problem();
      Eigen::VectorXd velocities;
      for (const std::string& solver : direct_methods(rows)) {
        const Solution solution = solve(problem, solver, 1e-12);
        BOOST_TEST_CONTEXT(solver << ", " << rows << " rows, seed " << seed << ": " << solution.iterations
                                  << " pivots; " << solution.diagnosis.reason) {
          BOOST_TEST(solution.converged);
          BOOST_TEST(task.violation(solution) <= 1e-10 * std::max(1.0, solution.x.norm()));
          if (velocities.size() == 0) velocities = solution.w;
          BOOST_TEST((solution.w - velocities).norm() <= 1e-9 * std::max(1.0, solution.x.norm()));
        }
      }
    }
}

// Every row has the same w, and every basis with one free row is a solution: ties wherever a method looks.
BOOST_AUTO_TEST_CASE(degenerate_problems_do_not_cycle) {
  constexpr int rows = 9;
  Rows task{Eigen::MatrixXd::Ones(rows, rows), Eigen::VectorXd::Constant(rows, -1.0), Eigen::VectorXd::Zero(rows),
            Eigen::VectorXd::Constant(rows, infinity)};
  for (const double offset : {-1.0, 0.0, 1.0}) {
    task.r.setConstant(offset);
    const problem::ContactProblem problem = task.problem();
    for (const std::string& solver : direct_methods(rows)) {
      const Solution solution = solve(problem, solver, 1e-14);
      BOOST_TEST_CONTEXT(solver << ", offset " << offset << ", " << solution.iterations << " pivots") {
        BOOST_TEST(solution.converged);
        BOOST_TEST(std::abs(solution.x.sum() - std::max(0.0, -offset)) <= 1e-13);
        BOOST_TEST(solution.iterations <= 60);
      }
    }
  }
}

// Murty's example: least-index pivoting takes 2^n - 1 pivots from zero, Lemke's method as many.
BOOST_AUTO_TEST_CASE(block_pivots_solve_what_takes_single_pivots_exponentially_long) {
  constexpr int rows = 14;
  Rows task{Eigen::MatrixXd::Identity(rows, rows), Eigen::VectorXd::Constant(rows, -1.0), Eigen::VectorXd::Zero(rows),
            Eigen::VectorXd::Constant(rows, infinity)};
  for (int i = 0; i < rows; ++i)
    for (int j = i + 1; j < rows; ++j) task.N(i, j) = 2.0;
  const Solution solution = solve(task.problem(), "pivot", 1e-13);
  BOOST_TEST(solution.converged);
  BOOST_TEST(solution.iterations <= 200);
  BOOST_TEST(task.violation(solution) <= 1e-12);
  BOOST_TEST(std::abs(solution.x[rows - 1] - 1.0) <= 1e-12);
}

BOOST_AUTO_TEST_CASE(single_pivots_alone_end_too) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    const Rows task = random_rows(seed, 15, 8);
    const Solution solution = solve(task.problem(), "pivot", 1e-12, {{"patience", 0}});
    BOOST_TEST(solution.converged, "seed " << seed << ", " << solution.iterations << " pivots");
    BOOST_TEST(task.violation(solution) <= 1e-10 * std::max(1.0, solution.x.norm()));
  }
}

// x_1 + x_2 would have to push and to pull: w_1 = x_1 - x_2 - 1 >= 0 and w_2 = -w_1 - 1 >= 0.
BOOST_AUTO_TEST_CASE(a_problem_without_solution_is_said_to_have_none) {
  const Rows squeezed{Eigen::Matrix2d{{1.0, -1.0}, {-1.0, 1.0}}, Eigen::Vector2d(-1.0, 0.0), Eigen::Vector2d::Zero(),
                      Eigen::Vector2d::Constant(infinity)};
  const problem::ContactProblem problem = squeezed.problem();
  for (const std::string& solver : direct_methods(2)) {
    const Solution solution = solve(problem, solver, 1e-9);
    BOOST_TEST_CONTEXT(solver << ": " << solution.diagnosis.reason) {
      BOOST_TEST(!solution.converged);
      BOOST_TEST((solution.diagnosis.ending == solvers::Ending::gave_up));
      BOOST_TEST(solution.x.allFinite());
    }
  }
  BOOST_TEST(contains(solve(problem, "pivot", 1e-9).diagnosis.reason, "no impulses"));
  BOOST_TEST(contains(solve(problem, "lemke", 1e-9).diagnosis.reason, "ray"));
}

BOOST_AUTO_TEST_CASE(bilateral_rows_that_repeat_each_other_are_taken) {
  // The same joint twice, and a contact: N has rank 2.
  const Eigen::Matrix<double, 3, 2> J{{1.0, 0.5}, {1.0, 0.5}, {0.0, 1.0}};
  const Rows task{J * J.transpose(), J * Eigen::Vector2d(-1.0, -2.0), Eigen::Vector3d(-infinity, -infinity, 0.0),
                  Eigen::Vector3d::Constant(infinity)};
  const problem::ContactProblem problem = task.problem();
  for (const std::string& solver : direct_methods(3)) {
    const Solution solution = solve(problem, solver, 1e-13);
    BOOST_TEST(solution.converged, solver << ": " << solution.diagnosis.reason);
    BOOST_TEST(solution.w.lpNorm<Eigen::Infinity>() <= 1e-12, solver);
  }
}

BOOST_AUTO_TEST_CASE(a_solution_as_start_is_kept) {
  const Rows task = random_rows(5, 12, 7);
  const problem::ContactProblem problem = task.problem();
  for (const std::string& solver : direct_methods(12)) {
    const Solution first = solve(problem, solver, 1e-11);
    const Solution second = solve(problem, solver, 1e-10, {}, first.x);
    BOOST_TEST(second.iterations == 0, solver);
  }
}

BOOST_AUTO_TEST_CASE(an_unsymmetric_matrix_is_taken_as_it_is) {
  Rows task = random_rows(8, 20, 20);
  RandomMatrices random(3);
  for (Eigen::Index k = 0; k < 20; ++k) task.N.col(k) += 0.02 * random.vector(20);
  task.N.diagonal().array() += 1.0;
  for (const std::string solver : {"pivot", "lemke"}) {
    const Solution solution = solve(task.problem(), solver, 1e-13);
    BOOST_TEST(solution.converged, solver);
    BOOST_TEST(task.violation(solution) <= 1e-11, solver);
  }
}

// The wall of seed 001, frozen, pushed in many ways: each brick on the four corners of what it
// shares with another; 188 contacts, of whose normal impulses at most 90 are determined.
BOOST_AUTO_TEST_CASE(the_brick_wall_is_solved_exactly_under_500_loads) {
  const DenseGlobal wall = brick_wall(12, 0.6);
  problem::SparseProblem sparse = make_sparse(wall);
  RandomMatrices random(1);
  const parallel::Vector x = sparse.problem.make_vector();
  int most = 0;
  double worst = 0.0;
  for (int load = 0; load < 500; ++load) {
    const Law law = load % 5 == 0 ? Law::box : Law::frictionless;
    Eigen::VectorXd f = wall.f;
    for (Eigen::Index k = 0; k < f.size(); k += 6) f.segment<3>(k) += 0.02 * random.vector(3);
    const Eigen::VectorXd r = wall.H.transpose() * wall.M.diagonal().cwiseInverse().cwiseProduct(f);
    set_part(sparse.problem.r, r);
    sparse.problem.K.law = law;
    sparse.problem.K.bound.assign(sparse.problem.K.friction.size(), 0.6 * 2.0 * gravity * ProblemBuilder::step);
    solvers::Monitor monitor(sparse.problem, {.tolerance = 1e-13, .max_iterations = 300, .check_every = 1});
    parallel::petsc(VecSet(x, 0.0));
    solvers::make_solver("pivot", {}, law)(sparse.problem, x, monitor);
    const Judged judged = judge(sparse.problem, x);
    worst = std::max({worst, monitor.errors().complementarity, judged.natural});
    most = std::max(most, monitor.iterations());
    BOOST_TEST(judged.outside == 0.0);
  }
  BOOST_TEST_MESSAGE("at most " << most << " pivots, error " << worst);
  BOOST_TEST(worst <= 1e-12);
  BOOST_TEST(most <= 100);
}

BOOST_AUTO_TEST_CASE(problems_that_are_too_large_are_refused_with_those_that_can) {
  const Frozen frozen = freeze(world(), bed(4, 4, 3, 1), Placement::slabs, Law::box);
  BOOST_TEST(contains(refusal(frozen.problem, "enumerate"), "pivot"));
  BOOST_TEST(contains(refusal(frozen.problem, "enumerate"), "'enumerate'"));
  for (const std::string solver : {"pivot", "lemke"}) {
    BOOST_TEST(refusal(frozen.problem, solver).empty());
    const std::string message = refusal(frozen.problem, solver, {{"memory", 1e-6}});
    for (const std::string& part : {"'" + solver + "'", std::string("npgs"), std::string("GB")})
      BOOST_TEST(contains(message, part), message);
  }
}
