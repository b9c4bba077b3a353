#include "scree/io/fclib.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "io/scratch.hpp"
#include "scree/io/hdf5.hpp"
#include "scree/parallel/error.hpp"
#include "support/motion.hpp"
#include "support/support.hpp"

using scree::io::H5Handle;
using scree::problem::Law;
using scree::test::ScratchDirectory;
using scree::test::world;
namespace dynamics = scree::dynamics;
namespace fs = std::filesystem;
namespace io = scree::io;
namespace model = scree::model;
namespace parallel = scree::parallel;
namespace test = scree::test;

namespace {

/// Reads a dataset of rank one on this rank alone.
template <typename Number>
std::vector<Number> read(const H5Handle& file, const std::string& name) {
  const H5Handle dataset(H5Dopen2(file.get(), name.c_str(), H5P_DEFAULT), H5Dclose);
  const H5Handle space(H5Dget_space(dataset.get()), H5Sclose);
  BOOST_REQUIRE_EQUAL(H5Sget_simple_extent_ndims(space.get()), 1);
  hsize_t size = 0;
  H5Sget_simple_extent_dims(space.get(), &size, nullptr);
  const hid_t type = std::is_same_v<Number, double> ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT32;
  const H5Handle stored(H5Dget_type(dataset.get()), H5Tclose);
  BOOST_TEST(H5Tequal(stored.get(), type) > 0);
  std::vector<Number> values(size);
  if (size > 0) io::checked(H5Dread(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), "read");
  return values;
}

int read_number(const H5Handle& file, const std::string& name) {
  const auto values = read<int>(file, name);
  BOOST_REQUIRE_EQUAL(values.size(), 1U);
  return values.front();
}

struct Matrix {
  int m, n;
  std::vector<int> i, p;
  std::vector<double> x;

  Matrix(const H5Handle& file, const std::string& name)
      : m(read_number(file, name + "/m")),
        n(read_number(file, name + "/n")),
        i(read<int>(file, name + "/i")),
        p(read<int>(file, name + "/p")),
        x(read<double>(file, name + "/x")) {
    BOOST_REQUIRE_EQUAL(read_number(file, name + "/nz"), static_cast<int>(x.size()));
    BOOST_REQUIRE_EQUAL(read_number(file, name + "/nzmax"), static_cast<int>(x.size()));
    BOOST_REQUIRE_EQUAL(i.size(), x.size());
    BOOST_REQUIRE_EQUAL(p.size(), x.size());
    BOOST_REQUIRE(std::ranges::all_of(i, [&](int k) { return k >= 0 && k < m; }));
    BOOST_REQUIRE(std::ranges::all_of(p, [&](int k) { return k >= 0 && k < n; }));
  }
};

struct Problem {
  Matrix M, H;
  std::vector<double> f, w, mu;
};

Problem read_problem(const fs::path& path) {
  const H5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  BOOST_TEST(read_number(file, "/fclib_global/spacedim") == 3);
  BOOST_TEST(H5Lexists(file.get(), "/fclib_global/info/title", H5P_DEFAULT) > 0);
  const std::string vectors = "/fclib_global/vectors/";
  return {Matrix(file, "/fclib_global/M"), Matrix(file, "/fclib_global/H"), read<double>(file, vectors + "f"),
          read<double>(file, vectors + "w"), read<double>(file, vectors + "mu")};
}

/// H^T M^-1 (H x + f) + w, by what the file says. M must be diagonal and positive.
std::vector<double> contact_velocities(const Problem& problem, const std::vector<double>& x) {
  std::vector<double> v = problem.f, u = problem.w;
  for (std::size_t k = 0; k < problem.H.x.size(); ++k) v.at(problem.H.i[k]) += problem.H.x[k] * x.at(problem.H.p[k]);
  std::vector<char> divided(v.size(), 0);
  for (std::size_t k = 0; k < problem.M.x.size(); ++k) {
    const int row = problem.M.i[k];
    BOOST_REQUIRE(row == problem.M.p[k] && problem.M.x[k] > 0.0 && divided[row] == 0);
    v[row] /= problem.M.x[k];
    divided[row] = 1;
  }
  BOOST_TEST(std::ranges::count(divided, 0) == 0);
  for (std::size_t k = 0; k < problem.H.x.size(); ++k) u.at(problem.H.p[k]) += problem.H.x[k] * v.at(problem.H.i[k]);
  return u;
}

std::vector<double> entries(Vec vec) {
  const parallel::ReadArray array(vec);
  return {array.data(), array.data() + array.size()};
}

/// What the file of a problem must say, on every rank.
struct Expected {
  std::vector<double> x, u, mu, v;
  std::int64_t bodies;
};

/// Collective: writes the problem; collects random impulses x with u = N x + r, the friction and the free velocities.
Expected write_and_expect(const fs::path& path, const dynamics::StepProblem& step) {
  io::write_global_problem(world(), path, step);
  test::Dice dice(static_cast<unsigned>(17 + world().rank()));
  const parallel::Vector x = step.problem.make_vector(), u = step.problem.make_vector();
  {
    const parallel::WriteArray out(x);
    for (int k = 0; k < out.size(); ++k) out[k] = dice();
  }
  step.problem.N->apply(x, u);
  parallel::petsc(VecAXPY(u, 1.0, step.problem.r));
  std::vector<double> mu = step.problem.K.friction.all(), v;
  if (step.problem.K.law == Law::frictionless) std::ranges::fill(mu, 0.0);
  for (std::size_t k = 0; k < static_cast<std::size_t>(step.bodies.owned()); ++k) {
    v.insert(v.end(), step.bodies.velocity[k].begin(), step.bodies.velocity[k].end());
    v.insert(v.end(), step.bodies.spin[k].begin(), step.bodies.spin[k].end());
  }
  return {test::gathered(world(), entries(x)), test::gathered(world(), entries(u)), test::gathered(world(), mu),
          test::gathered(world(), v), world().sum(std::int64_t{step.bodies.owned()})};
}

void check_file(const fs::path& path, const Expected& expected) {
  const Problem problem = read_problem(path);
  BOOST_TEST(!fs::exists(path.string() + ".tmp"));
  BOOST_REQUIRE_EQUAL(problem.M.m, 6 * expected.bodies);
  BOOST_REQUIRE_EQUAL(problem.M.n, 6 * expected.bodies);
  BOOST_REQUIRE_EQUAL(problem.H.m, 6 * expected.bodies);
  BOOST_REQUIRE_EQUAL(problem.H.n, static_cast<int>(expected.x.size()));
  BOOST_REQUIRE_EQUAL(problem.f.size(), expected.v.size());
  BOOST_REQUIRE_EQUAL(problem.w.size(), expected.x.size());
  BOOST_TEST(problem.mu == expected.mu, boost::test_tools::per_element());
  for (std::size_t k = 0; k < problem.M.x.size(); ++k) {
    BOOST_TEST(problem.f[problem.M.i[k]] == problem.M.x[k] * expected.v[problem.M.i[k]]);
  }

  const std::vector<double> u = contact_velocities(problem, expected.x);
  double scale = 0.0, error = 0.0;
  for (std::size_t k = 0; k < u.size(); ++k) {
    scale = std::max(scale, std::abs(expected.u[k]));
    error = std::max(error, std::abs(u[k] - expected.u[k]));
  }
  BOOST_TEST(error <= 1e-12 * scale);
}

/// Spheres of unequal size in a box, of two materials by turns.
dynamics::Setup bed_setup(Law law) {
  test::FrozenScene scene = test::bed(4, 3, 3, 5);
  test::Dice dice(11);
  for (model::Body& body : scene.bodies) {
    body.material = body.id % 2;
    body.mass *= 1.0 + 0.5 * dice();
    test::set_spin(body, 2.0 * dice.vector());
  }
  dynamics::Setup setup = test::make_setup(world(), scene.bodies, scene.walls, 0.3);
  setup.materials.push_back({.name = "steel", .density = 7800.0, .friction = 0.7});
  setup.solver.law = law;
  setup.solver.stop.max_iterations = 20;
  return setup;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_file_states_the_problem_of_the_step) {
  const ScratchDirectory scratch(world());
  for (const Law law : {Law::cone, Law::box, Law::frictionless}) {
    const std::string name(scree::problem::name_of(law));
    BOOST_TEST_CONTEXT("law " << name) {
      dynamics::Simulation simulation(world(), bed_setup(law));
      simulation.watch_problems([&](std::int64_t step, const dynamics::StepProblem& problem) {
        const fs::path path = scratch.path() / (name + std::to_string(step) + ".hdf5");
        const Expected expected = write_and_expect(path, problem);
        BOOST_TEST(expected.x.size() > 100U);
        check_file(path, expected);
      });
      for (int k = 0; k < 3; ++k) simulation.step();
    }
  }
}

BOOST_AUTO_TEST_CASE(problems_without_contacts_and_ranks_without_bodies_are_written) {
  const ScratchDirectory scratch(world());
  const fs::path path = scratch.path() / "empty.hdf5";
  for (const int count : {0, 1, 2}) {
    const auto bodies = test::loose(count).bodies;
    dynamics::Simulation simulation(world(), test::make_setup(world(), bodies, {}, 0.3));
    simulation.watch_problems([&](std::int64_t, const dynamics::StepProblem& problem) {
      const Expected expected = write_and_expect(path, problem);
      BOOST_TEST(expected.bodies == count);
      BOOST_TEST(expected.x.empty());
      check_file(path, expected);
    });
    simulation.step();
  }
}

BOOST_AUTO_TEST_CASE(a_failure_names_the_file_on_all_ranks_and_leaves_nothing) {
  const ScratchDirectory scratch(world());
  const fs::path taken = scratch.path() / "taken.hdf5";
  if (world().is_root()) fs::create_directory(taken);
  dynamics::Simulation simulation(world(), bed_setup(Law::cone));
  simulation.watch_problems([&](std::int64_t, const dynamics::StepProblem& problem) {
    for (const fs::path& path : {scratch.path() / "missing" / "problem.hdf5", taken}) {
      BOOST_CHECK_EXCEPTION(io::write_global_problem(world(), path, problem), std::runtime_error, [&](const auto& e) {
        return std::string(e.what()).find(path.string()) != std::string::npos;
      });
    }
  });
  simulation.step();
  MPI_Barrier(world().handle());
  BOOST_TEST(!fs::exists(taken.string() + ".tmp"));
  BOOST_TEST(fs::is_empty(taken));
}

BOOST_AUTO_TEST_CASE(a_request_is_a_step_of_the_run_and_a_file) {
  const io::ProblemDump dump = io::parse_problem_dump("12:some:where.hdf5", 1, 12);
  BOOST_TEST(dump.step == 12);
  BOOST_TEST(dump.file.string() == "some:where.hdf5");
  for (const char* text : {"", "nonsense", "12", "12:", ":file", "x:file", "1x:file", "1.5:file", " 1:file", "0:file",
                           "-1:file", "13:file", "99999999999999999999:file"}) {
    BOOST_TEST_CONTEXT("'" << text << "'") {
      BOOST_CHECK_THROW((void)io::parse_problem_dump(text, 1, 12), scree::InputError);
    }
  }
  BOOST_CHECK_THROW((void)io::parse_problem_dump("4:file", 5, 12), scree::InputError);
}
