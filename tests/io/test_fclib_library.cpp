// What Scree writes the FCLIB library reads, and the other way round.
// ranks: 1 3
// needs: fclib
extern "C" {
#include <fclib.h>
}

#include <memory>
#include <string>

#include "io/fclib_file.hpp"
#include "io/scratch.hpp"
#include "scree/io/fclib.hpp"
#include "scree/io/fclib_solution.hpp"
#include "support/motion.hpp"

using namespace scree;
using namespace scree::test;
namespace fs = std::filesystem;

namespace {

Eigen::VectorXd mapped(const double* first, int count) { return Eigen::Map<const Eigen::VectorXd>(first, count); }

/// A matrix as the library has it. Its triplets name the row in i and the column in p, as all files do.
Eigen::MatrixXd dense(const fclib_matrix& matrix) {
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(matrix.m, matrix.n);
  BOOST_REQUIRE_GE(matrix.nz, 0);
  for (int k = 0; k < matrix.nz; ++k) result(matrix.i[k], matrix.p[k]) += matrix.x[k];
  return result;
}

/// The arrays of a matrix in the library's form; it does not own them.
struct Arrays {
  std::vector<int> p, i;
  std::vector<double> x;
  fclib_matrix matrix{};

  Arrays(const Eigen::MatrixXd& source, bool by_rows) {
    const Eigen::MatrixXd lines = by_rows ? source : Eigen::MatrixXd(source.transpose());
    for (Eigen::Index line = 0; line < lines.rows(); ++line) {
      p.push_back(static_cast<int>(x.size()));
      for (Eigen::Index k = 0; k < lines.cols(); ++k)
        if (lines(line, k) != 0.0) i.push_back(static_cast<int>(k)), x.push_back(lines(line, k));
    }
    p.push_back(static_cast<int>(x.size()));
    matrix.nzmax = static_cast<int>(x.size());
    matrix.m = static_cast<int>(source.rows());
    matrix.n = static_cast<int>(source.cols());
    matrix.p = p.data();
    matrix.i = i.data();
    matrix.x = x.data();
    matrix.nz = by_rows ? -2 : -1;
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(the_library_reads_problems_of_runs_and_their_solutions) {
  const ScratchDirectory scratch(world());
  const fs::path path = scratch.path() / "step.hdf5", result = scratch.path() / "solution.hdf5";
  dynamics::Simulation simulation(world(), make_setup(world(), bed(3, 3, 2, 5).bodies, bed(3, 3, 2, 5).walls, 0.3));
  simulation.watch_problems([&](std::int64_t, const dynamics::StepProblem& step) {
    io::write_global_problem(world(), path, step);
    const io::FclibProblem problem = io::read_problem(world(), path);
    RandomMatrices random(3);
    const Eigen::VectorXd whole = random.vector(3 * problem.contacts);
    const parallel::Vector x = problem.problem().make_vector();
    set_part(x, whole);
    io::write_solution(world(), result, problem, x);
    const Eigen::VectorXd w = velocities_of(problem.problem(), whole);

    fclib_global* const read = fclib_read_global(path.c_str());
    fclib_solution* const solution = fclib_read_solution(result.c_str());
    BOOST_REQUIRE(read != nullptr);
    BOOST_REQUIRE(solution != nullptr);
    BOOST_TEST(read->spacedim == 3);
    const DenseGlobal global{dense(*read->M), dense(*read->H), mapped(read->f, read->M->m), mapped(read->w, read->H->n),
                             mapped(read->mu, read->H->n / 3)};
    BOOST_TEST(relative_difference(w, global.N() * whole + global.r()) <= 1e-12);
    BOOST_TEST((mapped(solution->r, read->H->n) == whole));
    BOOST_TEST(relative_difference(mapped(solution->u, read->H->n), w) <= 1e-12);
    const Eigen::VectorXd v = global.M.partialPivLu().solve(global.H * whole + global.f);
    BOOST_TEST(relative_difference(mapped(solution->v, read->M->m), v) <= 1e-12);
    fclib_delete_solutions(solution, 1);
    fclib_delete_global(read);
  });
  simulation.step();
}

BOOST_AUTO_TEST_CASE(problems_that_the_library_wrote_are_read) {
  const ScratchDirectory scratch(world());
  const fs::path path = scratch.path() / "library.hdf5";
  RandomMatrices random(4);
  for (const bool by_rows : {true, false}) {
    DenseLocal problem = random.dense(5);
    first_rank_writes([&] {
      fs::remove(path);
      Arrays W(problem.W, by_rows);
      fclib_local local{};
      local.W = &W.matrix;
      local.mu = problem.mu.data();
      local.q = problem.q.data();
      local.spacedim = 3;
      fclib_write_local(&local, path.c_str());
    });
    const io::FclibProblem read = io::read_problem(world(), path);
    const Eigen::VectorXd x = random.vector(15);
    BOOST_TEST(relative_difference(velocities_of(read.problem(), x), problem.W * x + problem.q) <= 1e-12);
  }
}
