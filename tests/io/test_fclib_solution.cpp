#include "scree/io/fclib_solution.hpp"

#include "io/fclib_file.hpp"
#include "io/scratch.hpp"
#include "scree/io/shared_hdf5.hpp"
#include "scree/parallel/error.hpp"

using namespace scree;
using namespace scree::test;
namespace fs = std::filesystem;

namespace {

/// Collective: a data set in full, on every rank.
Eigen::VectorXd entries(const io::SharedHdf5& file, const std::string& name) {
  const std::vector<double> all = file.read_entries<double>(name, {0, file.shape_of(name).length});
  return Eigen::Map<const Eigen::VectorXd>(all.data(), static_cast<Eigen::Index>(all.size()));
}

/// Collective: writes the solution x of a problem in a file, and gives back the solution's file.
io::SharedHdf5 solution_of(const fs::path& problem_file, const Eigen::VectorXd& impulses) {
  const io::FclibProblem problem = io::read_problem(world(), problem_file);
  const parallel::Vector x = problem.problem().make_vector();
  set_part(x, impulses);
  const fs::path file = problem_file.parent_path() / "solution.hdf5";
  io::write_solution(world(), file, problem, x);
  BOOST_TEST(!fs::exists(file.string() + ".tmp"));
  return io::SharedHdf5::open(world(), file);
}

}  // namespace

BOOST_AUTO_TEST_CASE(local_solutions_hold_impulses_and_contact_velocities) {
  const ScratchDirectory scratch(world());
  RandomMatrices random(1);
  for (const int contacts : {0, 1, 7}) {
    const DenseLocal dense = random.dense(contacts);
    const Eigen::VectorXd x = random.vector(3 * contacts);
    first_rank_writes([&] { write_alone(scratch.path() / "problem.hdf5", dense, Storage::columns); });
    const io::SharedHdf5 file = solution_of(scratch.path() / "problem.hdf5", x);
    BOOST_TEST((entries(file, "/solution/r") == x));
    BOOST_TEST(relative_difference(entries(file, "/solution/u"), dense.W * x + dense.q) <= 1e-12);
    BOOST_TEST(!file.has("/solution/v"));
  }
}

BOOST_AUTO_TEST_CASE(global_solutions_hold_the_velocities_of_bodies_too) {
  const ScratchDirectory scratch(world());
  RandomMatrices random(2);
  for (const int contacts : {0, 1, 7}) {
    const DenseGlobal dense = random.chain(4, contacts);
    const Eigen::VectorXd x = random.vector(3 * contacts);
    first_rank_writes([&] { write_alone(scratch.path() / "problem.hdf5", dense, Storage::rows); });
    const io::SharedHdf5 file = solution_of(scratch.path() / "problem.hdf5", x);
    BOOST_TEST((entries(file, "/solution/r") == x));
    const Eigen::VectorXd v = dense.M.partialPivLu().solve(dense.H * x + dense.f);
    BOOST_TEST(relative_difference(entries(file, "/solution/v"), v) <= 1e-12);
    BOOST_TEST(relative_difference(entries(file, "/solution/u"), dense.H.transpose() * v + dense.b) <= 1e-12);
  }
}

BOOST_AUTO_TEST_CASE(impulses_come_back_and_those_of_other_problems_are_refused) {
  const ScratchDirectory scratch(world());
  RandomMatrices random(3);
  const fs::path problem_file = scratch.path() / "problem.hdf5", solution_file = scratch.path() / "solution.hdf5";
  const Eigen::VectorXd x = random.vector(21);
  first_rank_writes([&] { write_alone(problem_file, random.dense(7), Storage::columns); });
  (void)solution_of(problem_file, x);
  const io::FclibProblem problem = io::read_problem(world(), problem_file);
  const parallel::Vector read = io::read_impulses(world(), solution_file, problem),
                         expected = problem.problem().make_vector();
  set_part(expected, x);
  PetscBool equal = PETSC_FALSE;
  parallel::petsc(VecEqual(read, expected, &equal));
  BOOST_TEST(equal == PETSC_TRUE);

  BOOST_CHECK_THROW((void)io::read_impulses(world(), problem_file, problem), InputError);
  first_rank_writes([&] { write_alone(scratch.path() / "other.hdf5", random.dense(6), Storage::columns); });
  const io::FclibProblem other = io::read_problem(world(), scratch.path() / "other.hdf5");
  BOOST_CHECK_THROW((void)io::read_impulses(world(), solution_file, other), InputError);
}
