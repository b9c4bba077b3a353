// The main program of every test: Boost.Test on all ranks of MPI_COMM_WORLD, with floating-point traps on.
#include <fenv.h>
#include <petscsys.h>

#include <boost/test/results_reporter.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <streambuf>
#include <string>
#include <thread>

#include "support/support.hpp"

namespace {

std::unique_ptr<scree::parallel::Comm> world_comm;

/// Passes whole lines on to stderr, each with its rank in front. Only rank 0 says that a run begins and ends well.
class RankedLines : public std::streambuf {
 public:
  explicit RankedLines(const scree::parallel::Comm& comm)
      : prefix_(comm.size() > 1 ? "[rank " + std::to_string(comm.rank()) + "] " : ""), speaks_(comm.is_root()) {}

 private:
  int overflow(int c) override {
    if (c == traits_type::eof()) return traits_type::not_eof(c);
    line_ += static_cast<char>(c);
    if (c == '\n') {
      const bool routine = line_.starts_with("Running ") || line_.starts_with("*** No errors");
      if (line_ != "\n" && (speaks_ || !routine)) std::cerr << prefix_ + line_ << std::flush;
      line_.clear();
    }
    return c;
  }

  std::string prefix_;
  std::string line_;
  bool speaks_;
};

/// A test case that breaks off on one rank leaves the others waiting in a collective: end them all.
class EndTogether : public boost::unit_test::test_observer {
 public:
  void test_unit_aborted(const boost::unit_test::test_unit& unit) override {
    if (world_comm->size() == 1) return;
    std::cerr << "[rank " + std::to_string(world_comm->rank()) + "] " + unit.full_name() + " broke off\n";
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // the other ranks may have something to say
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
};

/// Boost.Test calls this when it has read its arguments, which set the streams too.
bool redirect_log() {
  static RankedLines lines(*world_comm);
  static std::ostream log(&lines);
  boost::unit_test::unit_test_log.set_stream(log);
  boost::unit_test::results_reporter::set_stream(log);
  return true;
}

int run_tests(int argc, char** argv) {
  namespace ut = boost::unit_test;
  EndTogether end_together;

  ut::framework::register_observer(end_together);
  const int local = ut::unit_test_main(&redirect_log, argc, argv);
  ut::framework::deregister_observer(end_together);

  return static_cast<int>(world_comm->max(static_cast<std::int64_t>(local)));
}

}  // namespace

namespace scree::test {

const parallel::Comm& world() { return *world_comm; }

Traps::Traps() {
  feclearexcept(FE_ALL_EXCEPT);
  feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
}

Traps::~Traps() { fedisableexcept(FE_ALL_EXCEPT); }

}  // namespace scree::test

int main(int argc, char** argv) {
  // Arguments belong to Boost.Test; signals too, so that a trap is reported as the failure of a test case.
  std::string program = argv[0];
  std::string no_handler = "-no_signal_handler";
  char* petsc_arguments[] = {program.data(), no_handler.data(), nullptr};
  int petsc_count = 2;
  char** petsc_argv = petsc_arguments;
  if (PetscInitialize(&petsc_count, &petsc_argv, nullptr, nullptr) != 0) return EXIT_FAILURE;

  // PETSc must know that test cases trap, for it lifts the traps around LAPACK. Its handler makes way for Boost.Test's.
  PetscSetFPTrap(PETSC_FP_TRAP_ON);
  std::signal(SIGFPE, SIG_DFL);

  world_comm = std::make_unique<scree::parallel::Comm>(PETSC_COMM_WORLD);
  const int result = run_tests(argc, argv);
  world_comm.reset();
  PetscFinalize();
  return result;
}
