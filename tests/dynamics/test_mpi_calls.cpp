// What a time step asks of MPI, counted call by call, those of PETSc included: this program's own MPI functions stand
// before those of the library, count, and pass on.
// ranks: 1 2 3 4 7 16
#include <mpi.h>

#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "support/frozen.hpp"
#include "support/motion.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using dynamics::Simulation;
using model::Vec3;

namespace {

enum Kind : std::size_t { to_all_from_all, gathers, broadcasts, reductions, scans, barriers, messages, communicators };
constexpr std::size_t kinds = communicators + 1;
using Counts = std::array<std::int64_t, kinds>;

Counts counts{};

int counted(Kind kind, int status) {
  ++counts[kind];
  return status;
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): these are the names of the library, in brackets because PETSc has macros
// of the same names.
#define SCREE_COUNT(kind, name, parameters, arguments) \
  extern "C" int(MPI_##name) parameters { return counted(kind, PMPI_##name arguments); }

#define SCREE_BLOCKS const void *s, int n, MPI_Datatype st, void *r, int m, MPI_Datatype rt
#define SCREE_REDUCTION const void *s, void *r, int n, MPI_Datatype t, MPI_Op op
#define SCREE_V_OUT const void *s, const int n[], const int d[], MPI_Datatype st
#define SCREE_V_IN void *r, const int m[], const int e[], MPI_Datatype rt

SCREE_COUNT(to_all_from_all, Alltoall, (SCREE_BLOCKS, MPI_Comm c), (s, n, st, r, m, rt, c))
SCREE_COUNT(to_all_from_all, Ialltoall, (SCREE_BLOCKS, MPI_Comm c, MPI_Request* q), (s, n, st, r, m, rt, c, q))
SCREE_COUNT(to_all_from_all, Alltoallv, (SCREE_V_OUT, SCREE_V_IN, MPI_Comm c), (s, n, d, st, r, m, e, rt, c))
SCREE_COUNT(to_all_from_all, Ialltoallv, (SCREE_V_OUT, SCREE_V_IN, MPI_Comm c, MPI_Request* q),
            (s, n, d, st, r, m, e, rt, c, q))
SCREE_COUNT(to_all_from_all, Reduce_scatter,
            (const void* s, void* r, const int n[], MPI_Datatype t, MPI_Op op, MPI_Comm c), (s, r, n, t, op, c))
SCREE_COUNT(to_all_from_all, Reduce_scatter_block, (SCREE_REDUCTION, MPI_Comm c), (s, r, n, t, op, c))
SCREE_COUNT(gathers, Allgather, (SCREE_BLOCKS, MPI_Comm c), (s, n, st, r, m, rt, c))
SCREE_COUNT(gathers, Iallgather, (SCREE_BLOCKS, MPI_Comm c, MPI_Request* q), (s, n, st, r, m, rt, c, q))
SCREE_COUNT(gathers, Allgatherv, (const void* s, int n, MPI_Datatype st, SCREE_V_IN, MPI_Comm c),
            (s, n, st, r, m, e, rt, c))
SCREE_COUNT(gathers, Gather, (SCREE_BLOCKS, int root, MPI_Comm c), (s, n, st, r, m, rt, root, c))
SCREE_COUNT(gathers, Gatherv, (const void* s, int n, MPI_Datatype st, SCREE_V_IN, int root, MPI_Comm c),
            (s, n, st, r, m, e, rt, root, c))
SCREE_COUNT(gathers, Scatter, (SCREE_BLOCKS, int root, MPI_Comm c), (s, n, st, r, m, rt, root, c))
SCREE_COUNT(broadcasts, Bcast, (void* b, int n, MPI_Datatype t, int root, MPI_Comm c), (b, n, t, root, c))
SCREE_COUNT(reductions, Allreduce, (SCREE_REDUCTION, MPI_Comm c), (s, r, n, t, op, c))
SCREE_COUNT(reductions, Iallreduce, (SCREE_REDUCTION, MPI_Comm c, MPI_Request* q), (s, r, n, t, op, c, q))
SCREE_COUNT(reductions, Reduce, (SCREE_REDUCTION, int root, MPI_Comm c), (s, r, n, t, op, root, c))
SCREE_COUNT(scans, Scan, (SCREE_REDUCTION, MPI_Comm c), (s, r, n, t, op, c))
SCREE_COUNT(scans, Exscan, (SCREE_REDUCTION, MPI_Comm c), (s, r, n, t, op, c))
SCREE_COUNT(barriers, Barrier, (MPI_Comm c), (c))
SCREE_COUNT(barriers, Ibarrier, (MPI_Comm c, MPI_Request* q), (c, q))
SCREE_COUNT(messages, Send, (const void* b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c), (b, n, t, to, tag, c))
SCREE_COUNT(messages, Isend, (const void* b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request* q),
            (b, n, t, to, tag, c, q))
SCREE_COUNT(messages, Issend, (const void* b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request* q),
            (b, n, t, to, tag, c, q))
extern "C" int(MPI_Startall)(int n, MPI_Request q[]) {
  counts[messages] += n;  // of both directions
  return PMPI_Startall(n, q);
}
SCREE_COUNT(communicators, Comm_dup, (MPI_Comm c, MPI_Comm* d), (c, d))
SCREE_COUNT(communicators, Comm_split, (MPI_Comm c, int colour, int key, MPI_Comm* d), (c, colour, key, d))
// NOLINTEND(readability-identifier-naming)

namespace {

/// A bed that falls into a box and comes to rest.
dynamics::Setup settling_bed(const std::string& solver, problem::Law law) {
  std::vector<model::Body> bodies;
  Dice dice(3);
  for (int k = 0; k < 240; ++k) {
    const Vec3 cell(k % 8 + 0.5, k / 8 % 6 + 0.5, 1.1 * (k / 48) + 0.6);
    bodies.push_back(unit_sphere(k, cell + 0.02 * dice.vector(), 0.47));
  }
  const model::Box inside{Vec3::Zero(), Vec3(8.0, 6.0, 8.0)};
  dynamics::Setup setup = make_setup(world(), bodies, model::container("box", inside, 0, true), 0.3);
  setup.solver.name = solver;
  setup.solver.law = law;
  setup.solver.stop = {.tolerance = 1e-5, .max_iterations = 30};
  return setup;
}

struct Step {
  Counts made;  ///< calls on this rank
  dynamics::StepReport report;
  bool searched;
  std::int64_t neighbours;
};

Step counted_step(Simulation& simulation, const std::int64_t& neighbours) {
  const auto before = counts;
  const auto searches = simulation.searches();
  Step step{{}, simulation.step(), simulation.searches() > searches, neighbours};
  for (std::size_t kind = 0; kind < kinds; ++kind) step.made[kind] = counts[kind] - before[kind];
  return step;
}

/// Runs a settling bed; `check` sees each step after the first, in which libraries set themselves up, but for those in
/// which bodies are spread anew.
template <typename Check>
void watch_steps(const std::string& solver, problem::Law law, Check&& check) {
  Simulation simulation(world(), settling_bed(solver, law));
  std::int64_t neighbours = 0;
  simulation.watch_problems([&](std::int64_t, const dynamics::StepProblem& problem) {
    neighbours = static_cast<std::int64_t>(problem.halo.neighbours().size());
  });
  (void)counted_step(simulation, neighbours);
  int searches = 0;
  for (int k = 0; k < 120; ++k) {
    const Step step = counted_step(simulation, neighbours);
    searches += step.searched ? 1 : 0;
    if (!step.report.rebalance) check(step);
  }
  BOOST_TEST(searches > 2);
  BOOST_TEST(searches < 100);
}

}  // namespace

BOOST_AUTO_TEST_CASE(calls_are_counted_wherever_they_come_from) {
  const auto before = counts;
  (void)world().sum(1.0);
  const parallel::Vector x(world(), 2);
  { const parallel::WriteArray forgets_its_norm(x); }
  double norm = 0.0;
  parallel::petsc(VecNorm(x, NORM_2, &norm));
  const int own = world().size() > 1 ? 2 : 0;  // ours and that of the layout: one rank has nothing to reduce
  BOOST_TEST(counts[reductions] >= before[reductions] + own + 1);  // and PETSc's norm
}

BOOST_AUTO_TEST_CASE(no_step_gathers_or_writes_to_all) {
  for (const char* solver : {"npgs", "pgs", "jacobi", "gpminres"})
    watch_steps(solver, problem::Law::box, [&](const Step& step) {
      for (const Kind kind : {to_all_from_all, gathers, broadcasts, communicators})
        BOOST_TEST(step.made[kind] == 0, solver << ": " << step.made[kind] << " calls of kind " << kind);
      if (!step.searched) BOOST_TEST(step.made[barriers] == 0);
    });
}

BOOST_AUTO_TEST_CASE(reductions_and_messages_follow_the_iterations) {
  watch_steps("npgs", problem::Law::cone, [](const Step& step) {
    const std::int64_t iterations = step.report.iterations;
    const std::int64_t checks = iterations / 10 + 2;
    BOOST_TEST(step.made[reductions] <= iterations + 2 * checks + 10);
    BOOST_TEST(step.made[scans] <= 2);
    // Two exchanges a sweep, two for each product and measure, some to set up; each starts a message out and one in.
    if (!step.searched) BOOST_TEST(step.made[messages] <= 2 * step.neighbours * (2 * iterations + 2 * checks + 12));
    BOOST_TEST(step.made[barriers] <= 8);
  });
}
