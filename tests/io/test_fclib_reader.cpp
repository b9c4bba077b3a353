// FCLIB problems from files: in every format, on any number of ranks, and never a crash for a bad one.
// timeout: 240
#include "scree/io/fclib_reader.hpp"

#include <fenv.h>

#include <fstream>
#include <functional>
#include <limits>

#include "io/fclib_file.hpp"
#include "io/scratch.hpp"
#include "scree/io/fclib.hpp"
#include "scree/parallel/error.hpp"
#include "scree/problem/error_measure.hpp"
#include "support/motion.hpp"

using namespace scree;
using namespace scree::test;
namespace fs = std::filesystem;

namespace {

template <typename Dense>
io::FclibProblem written_and_read(const fs::path& path, const Dense& dense, Storage storage, bool wide = false) {
  first_rank_writes([&] { write_alone(path, dense, storage, wide); });
  return io::read_problem(world(), path);
}

bool same_velocities(const io::FclibProblem& problem, const DenseLocal& dense) {
  RandomMatrices random(17);
  const Eigen::VectorXd x = random.vector(dense.q.size());
  return relative_difference(velocities_of(problem.problem(), x), dense.W * x + dense.q) <= 1e-12 &&
         whole_of(problem.problem().K.friction.all()) == dense.mu;
}

/// Collective: reading must fail with a message that names the file and contains `text`.
void expect_refusal(const fs::path& path, const std::string& text) {
  BOOST_CHECK_EXCEPTION((void)io::read_problem(world(), path), InputError, [&](const InputError& error) {
    const std::string message = error.what();
    BOOST_TEST_INFO("message: " << message);
    BOOST_TEST(message.starts_with(path.string()));
    BOOST_TEST(message.find(text) != std::string::npos);
    return true;
  });
}

std::vector<char> bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_bytes(const fs::path& path, const std::vector<char>& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), std::ssize(bytes));
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_format_gives_the_same_problem) {
  const ScratchDirectory scratch(world());
  const fs::path path = scratch.path() / "some.hdf5";
  RandomMatrices random(1);
  for (const int contacts : {1, 2, 9}) {
    const DenseGlobal chain = random.chain(contacts, contacts);
    const DenseLocal local = local_of(chain);
    for (const Storage storage : storages)
      for (const bool wide : {false, true}) {
        const io::FclibProblem from_local = written_and_read(path, local, storage, wide);
        BOOST_TEST(same_velocities(from_local, local));
        BOOST_TEST((!from_local.global && from_local.contacts == contacts && from_local.name == "some"));
        const io::FclibProblem from_global = written_and_read(path, chain, storage, wide);
        BOOST_TEST(same_velocities(from_global, local));
        BOOST_TEST((from_global.global && from_global.bodies == contacts && from_global.dofs == 6 * contacts));
      }
  }
}

BOOST_AUTO_TEST_CASE(problems_without_contacts_are_read) {
  const ScratchDirectory scratch(world());
  RandomMatrices random(2);
  for (const Storage storage : storages) {
    const auto local = written_and_read(scratch.path() / "local.hdf5", random.dense(0), storage);
    const auto global = written_and_read(scratch.path() / "global.hdf5", random.chain(2, 0), storage);
    for (const io::FclibProblem* problem : {&local, &global}) {
      BOOST_TEST(problem->contacts == 0);
      const parallel::Vector x = problem->problem().make_vector();
      BOOST_TEST(measure_errors(problem->problem(), x, x).natural == 0.0);
    }
  }
}

BOOST_AUTO_TEST_CASE(an_unsymmetric_matrix_is_taken_as_it_is_with_a_warning) {
  const ScratchDirectory scratch(world());
  RandomMatrices random(3);
  DenseLocal dense = random.dense(4);
  BOOST_TEST(written_and_read(scratch.path() / "w.hdf5", dense, Storage::rows).warning.empty());
  dense.W(1, 5) += 0.01 * dense.W.cwiseAbs().maxCoeff();
  const auto problem = written_and_read(scratch.path() / "w.hdf5", dense, Storage::columns);
  BOOST_TEST(same_velocities(problem, dense));
  BOOST_TEST(problem.warning.find("W is unsymmetric by 1.0e-02") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(senseless_numbers_are_refused_by_name) {
  const ScratchDirectory scratch(world());
  const fs::path path = scratch.path() / "bad.hdf5";
  RandomMatrices random(4);
  const DenseLocal good = random.dense(4);
  const auto refuse = [&](const std::string& text, const std::function<void(DenseLocal&)>& spoil) {
    DenseLocal bad = good;
    spoil(bad);
    for (const Storage storage : storages) {
      first_rank_writes([&] { write_alone(path, bad, storage); });
      expect_refusal(path, text);
    }
  };
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  refuse("/fclib_local/W/x: entry", [&](DenseLocal& bad) { bad.W(3, 8) = nan; });
  refuse("/fclib_local/W/x: entry", [&](DenseLocal& bad) { bad.W(11, 0) = -inf; });
  refuse("/fclib_local/vectors/q: entry 10", [&](DenseLocal& bad) { bad.q[10] = nan; });
  refuse("/fclib_local/vectors/mu: entry 2 is -0.5: friction must not be negative",
         [](DenseLocal& bad) { bad.mu[2] = -0.5; });
  refuse("/fclib_local/vectors/mu: entry 3", [&](DenseLocal& bad) { bad.mu[3] = nan; });
  refuse("/fclib_local/vectors/q: must have 12 entries", [](DenseLocal& bad) { bad.q.conservativeResize(11); });
  refuse("/fclib_local/vectors/mu: must have 4 entries", [](DenseLocal& bad) { bad.mu.conservativeResize(5); });
  refuse("/fclib_local/W: must be square", [](DenseLocal& bad) { bad.W.conservativeResize(12, 11); });
  refuse("/fclib_local/W/m: must be a multiple of 3", [](DenseLocal& bad) { bad.W.conservativeResize(11, 11); });
}

BOOST_AUTO_TEST_CASE(senseless_structure_is_refused_by_name) {
  const ScratchDirectory scratch(world());
  const fs::path path = scratch.path() / "bad.hdf5";
  // One contact; each case writes it with one thing wrong.
  struct Content {
    std::string group = "/fclib_local";
    std::int64_t dimension = 3, nz = -2;
    std::vector<std::int64_t> p = {0, 1, 2, 3}, i = {0, 1, 2};
    std::vector<double> x = {1, 1, 1};
    bool with_mu = true, with_equalities = false;
  };
  const auto refuse = [&](const std::string& text, const std::function<void(Content&)>& spoil) {
    Content content;
    spoil(content);
    first_rank_writes([&] {
      const SoloFile file(path);
      const std::string& group = content.group;
      file.group(group);
      file.integers(group + "/spacedim", {content.dimension});
      file.group(group + "/W");
      for (const char* name : {"/W/m", "/W/n", "/W/nzmax"}) file.integers(group + name, {3});
      file.integers(group + "/W/nz", {content.nz});
      file.integers(group + "/W/p", content.p);
      file.integers(group + "/W/i", content.i);
      file.numbers(group + "/W/x", content.x);
      file.group(group + "/vectors");
      file.numbers(group + "/vectors/q", std::vector<double>{1, 1, 1});
      if (content.with_mu) file.numbers(group + "/vectors/mu", std::vector<double>{0.5});
      if (content.with_equalities) file.group(group + "/V");
    });
    expect_refusal(path, text);
  };
  refuse("holds neither", [](Content& c) { c.group = "/somewhere"; });
  refuse("/fclib_global/M/m: is missing", [](Content& c) { c.group = "/fclib_global"; });
  refuse("/fclib_local/spacedim: is 2", [](Content& c) { c.dimension = 2; });
  refuse("/fclib_local/W/nz: must be", [](Content& c) { c.nz = -3; });
  refuse("nz says 4 triplets", [](Content& c) { c.nz = 4; });
  refuse("/fclib_local/W/p: must have 4 entries", [](Content& c) { c.p = {0, 1, 2}; });
  refuse("/fclib_local/W/p: must begin with 0", [](Content& c) { c.p = {1, 1, 2, 3}; });
  refuse("/fclib_local/W/p", [](Content& c) { c.p = {0, 2, 1, 3}; });
  refuse("/fclib_local/W/p: entry 3 is 4", [](Content& c) { c.p = {0, 1, 2, 4}; });
  refuse("/fclib_local/W/i: entry 1 is 3", [](Content& c) { c.i[1] = 3; });
  refuse("/fclib_local/W/i: entry 2 is -1", [](Content& c) { c.i[2] = -1; });
  refuse("/fclib_local/vectors/mu: is missing", [](Content& c) { c.with_mu = false; });
  refuse("/fclib_local/V: equality constraints", [](Content& c) { c.with_equalities = true; });
}

BOOST_AUTO_TEST_CASE(senseless_masses_are_refused) {
  const ScratchDirectory scratch(world());
  const fs::path path = scratch.path() / "bad.hdf5";
  RandomMatrices random(5);
  DenseGlobal singular = random.chain(3, 4), narrow = singular;
  singular.M.block(6, 6, 6, 6).setZero();
  first_rank_writes([&] { write_alone(path, singular, Storage::triplets); });
  expect_refusal(path, "the mass matrix M is singular");
  narrow.H.conservativeResize(17, 12);
  first_rank_writes([&] { write_alone(path, narrow, Storage::rows); });
  expect_refusal(path, "/fclib_global/H/m: must be 18 to fit M, is 17");
}

BOOST_AUTO_TEST_CASE(other_files_are_refused) {
  const ScratchDirectory scratch(world());
  const fs::path path = scratch.path() / "other.hdf5";
  expect_refusal(path, "no such file");
  expect_refusal(scratch.path(), "is no file");
  for (const char* text : {"", "no problem", "\211HDF\r\n\032\n"}) {
    first_rank_writes([&] { std::ofstream(path) << text; });
    expect_refusal(path, "no HDF5 file");
  }
}

// A damaged file is refused, or read if the damage left it a problem; it never ends the program or stops it.
BOOST_AUTO_TEST_CASE(damage_never_crashes) {
  fedisableexcept(FE_ALL_EXCEPT);  // numbers of any size are to be expected
  const ScratchDirectory scratch(world());
  const fs::path good = scratch.path() / "good.hdf5", bad = scratch.path() / "bad.hdf5";
  RandomMatrices random(6);
  const DenseGlobal chain = random.chain(2, 3);
  int refused = 0, read = 0;
  const auto try_to_read = [&](const std::vector<char>& bytes) {
    first_rank_writes([&] { write_bytes(bad, bytes); });
    try {
      (void)io::read_problem(world(), bad);
      ++read;
    } catch (const InputError&) {
      ++refused;
    }
  };
  for (const bool global : {false, true}) {
    first_rank_writes([&] {
      global ? write_alone(good, chain, Storage::triplets) : write_alone(good, local_of(chain), Storage::rows);
    });
    const std::vector<char> bytes = bytes_of(good);
    for (std::size_t length = 0; length < bytes.size(); length += bytes.size() / 40 + 1)
      try_to_read({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)});
    BOOST_TEST(read == 0);  // a shortened file never passes for a whole one
    read = 0;
    const int step = world().size() == 1 ? 11 : 97;
    for (std::size_t place = static_cast<std::size_t>(global); place < bytes.size();
         place += static_cast<std::size_t>(step)) {
      std::vector<char> flipped = bytes;
      flipped[place] = static_cast<char>(flipped[place] ^ (1 << place % 8));
      try_to_read(flipped);
      flipped[place] = static_cast<char>(0xFF);
      try_to_read(flipped);
    }
    BOOST_TEST(refused > 0);
    BOOST_TEST(read > 0);
    read = 0;
  }
}

BOOST_AUTO_TEST_CASE(a_step_that_was_written_is_read_as_the_same_problem) {
  const ScratchDirectory scratch(world());
  const fs::path path = scratch.path() / "step.hdf5";
  dynamics::Setup setup = make_setup(world(), bed(4, 3, 3, 5).bodies, bed(4, 3, 3, 5).walls, 0.3);
  setup.solver.law = problem::Law::cone;
  dynamics::Simulation simulation(world(), std::move(setup));
  simulation.watch_problems([&](std::int64_t, const dynamics::StepProblem& step) {
    io::write_global_problem(world(), path, step);
    io::FclibProblem problem = io::read_problem(world(), path);
    BOOST_REQUIRE(problem.contacts == world().sum(std::int64_t{step.contacts.size()}));
    BOOST_TEST(problem.bodies == world().sum(std::int64_t{step.bodies.owned()}));
    problem.problem().K.law = step.problem.K.law;

    // The same impulses in both, contact by contact: the file has them rank by rank.
    RandomMatrices random(static_cast<unsigned>(world().rank()));
    const parallel::Vector x = step.problem.make_vector(), w = step.problem.make_vector();
    {
      const parallel::WriteArray out(x);
      for (int k = 0; k < out.size(); ++k) out[k] = random();
    }
    step.problem.N->apply(x, w);
    parallel::petsc(VecAXPY(w, 1.0, step.problem.r));
    const problem::ErrorMeasures here = measure_errors(step.problem, x, w);
    const Eigen::VectorXd all = whole_of(x);
    const parallel::Vector x_read = problem.problem().make_vector(), w_read = problem.problem().make_vector();
    set_part(x_read, all);
    set_part(w_read, velocities_of(problem.problem(), all));
    const problem::ErrorMeasures there = measure_errors(problem.problem(), x_read, w_read);
    for (const auto& measure : problem::measures())
      BOOST_TEST(value_of(there, measure.measure) == value_of(here, measure.measure),
                 boost::test_tools::tolerance(1e-12));
  });
  for (int k = 0; k < 2; ++k) simulation.step();
}
