// What is said about solves that did not converge, on sequences of iterates whose errors are known.
// ranks: 1 3
#include "scree/solvers/diagnosis.hpp"

#include <cmath>
#include <functional>

#include "support/frozen.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using solvers::Diagnosis;
using solvers::Ending;

namespace {

/// Collective: the diagnosis of a method on one resting sphere whose natural error is `error(iteration)`, up to 2.
Diagnosis diagnosed(const std::function<double(int)>& error, int iterations, double tolerance = 1e-6) {
  const Frozen frozen = freeze(world(), column(1), Placement::last_rank, problem::Law::frictionless);
  solvers::Monitor monitor(frozen.problem, {.tolerance = tolerance, .max_iterations = iterations, .check_every = 1});
  const parallel::Vector x = frozen.problem.make_vector(), w = frozen.problem.make_vector();
  for (int k = 0;; ++k) {
    {  // x = (1 - e) g h has the natural error |e|, as long as that is no more than 1
      const parallel::WriteArray out(x);
      if (out.size() > 0) out[0] = (1.0 - error(k)) * gravity * 5e-3;
    }
    frozen.problem.N->apply(x, w);
    parallel::petsc(VecAXPY(w, 1.0, frozen.problem.r));
    if (!monitor.wants_more(x, w)) break;
  }
  monitor.finish(x);
  return solvers::diagnose(monitor);
}

bool says(const Diagnosis& diagnosis, const std::string& text) {
  return diagnosis.reason.find(text) != std::string::npos && diagnosis.reason.find('\n') == std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_converged_needs_no_advice) {
  const Diagnosis diagnosis = diagnosed([](int k) { return std::pow(0.1, k); }, 100);
  BOOST_TEST((diagnosis.ending == Ending::converged));
  BOOST_TEST(diagnosis.reason == "converged");
}

BOOST_AUTO_TEST_CASE(an_error_that_still_falls_is_told_how_many_iterations_are_left) {
  // Halved every ten iterations: 1e-6 is reached after 10 log2(1e6) = 199, of which 100 are made; told to two digits.
  const Diagnosis diagnosis = diagnosed([](int k) { return std::pow(0.5, 0.1 * k); }, 100);
  BOOST_TEST((diagnosis.ending == Ending::falling));
  BOOST_TEST(says(diagnosis, "about 100 more iterations"), diagnosis.reason);
  BOOST_TEST(says(diagnosis, "raise max_iterations"));
}

BOOST_AUTO_TEST_CASE(an_error_that_stays_is_a_stall) {
  const Diagnosis diagnosis = diagnosed([](int k) { return 1e-3 + std::pow(0.5, k); }, 100);
  BOOST_TEST((diagnosis.ending == Ending::stalled));
  BOOST_TEST(says(diagnosis, "stays at 0.001"), diagnosis.reason);
}

BOOST_AUTO_TEST_CASE(an_error_that_grows_is_divergence) {
  const Diagnosis diagnosis =
      diagnosed([](int k) { return k < 10 ? std::pow(0.5, k) : std::min(1.0, 1e-3 * std::pow(1.5, k - 10)); }, 60);
  BOOST_TEST((diagnosis.ending == Ending::diverged));
  BOOST_TEST(says(diagnosis, "at iteration 10"), diagnosis.reason);
}

// The natural error is relative to the impulses, and so does not show that they grow.
BOOST_AUTO_TEST_CASE(impulses_that_grow_without_bound_are_divergence) {
  const Diagnosis diagnosis = diagnosed([](int k) { return -std::pow(2.0, k); }, 40);
  BOOST_TEST((diagnosis.ending == Ending::diverged), diagnosis.reason);
}

BOOST_AUTO_TEST_CASE(all_iterations_may_be_what_was_asked_for) {
  BOOST_TEST(says(diagnosed([](int k) { return std::pow(0.9, k); }, 20, 0.0), "the tolerance is 0"));
}
