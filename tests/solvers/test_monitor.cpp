#include "scree/solvers/monitor.hpp"

#include <cmath>
#include <vector>

#include "support/frozen.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using problem::Law;
using problem::Measure;
using solvers::Monitor;
using solvers::StopRule;

namespace {

/// One sphere of 1 kg on the floor: N = 1 in the normal direction, r = -g h, solved by x = g h.
struct OneContact {
  Frozen frozen = freeze(world(), column(1), Placement::last_rank, Law::frictionless);
  const problem::ContactProblem& problem = frozen.problem;
  double solution = gravity * 5e-3;
  int products = 0;

  /// The impulse that is `share` of the solution.
  [[nodiscard]] parallel::Vector at(double share) const {
    parallel::Vector x = problem.make_vector();
    const parallel::WriteArray out(x);
    if (out.size() > 0) out[0] = share * solution;
    return x;
  }

  /// Lets the monitor judge the impulse, with w on demand.
  bool feed(Monitor& monitor, double share) {
    const parallel::Vector x = at(share);
    return monitor.wants_more(x, [&](Vec w, Monitor::From) {
      ++products;
      problem.N->apply(x, w);
      parallel::petsc(VecAXPY(w, 1.0, problem.r));
    });
  }

  /// The same with w at hand.
  bool feed_with_w(Monitor& monitor, double share) {
    const parallel::Vector x = at(share);
    const parallel::Vector w = problem.make_vector();
    problem.N->apply(x, w);
    parallel::petsc(VecAXPY(w, 1.0, problem.r));
    return monitor.wants_more(x, w);
  }

  /// Which share of the solution the monitor returns.
  [[nodiscard]] double best(Monitor& monitor) const {
    const parallel::Vector x = at(-1.0);
    monitor.finish(x);
    double sum = 0.0;
    parallel::petsc(VecSum(x, &sum));
    return sum / solution;
  }
};

/// x = share * g h gives w = (share - 1) g h and x - P(x - w) = w, so natural = |share - 1| for shares from 0 to 2.
double natural_at(double share) { return std::abs(share - 1.0); }

}  // namespace

BOOST_AUTO_TEST_CASE(stops_at_the_tolerance) {
  OneContact scene;
  Monitor monitor(scene.problem, {.tolerance = 0.1, .max_iterations = 100, .check_every = 1});
  BOOST_TEST(scene.feed(monitor, 0.0));
  BOOST_TEST(scene.feed(monitor, 0.5));
  BOOST_TEST(scene.feed(monitor, 0.89));
  BOOST_TEST(!monitor.converged());
  BOOST_TEST(!scene.feed(monitor, 0.91));
  BOOST_TEST(monitor.converged());
  BOOST_TEST(monitor.iterations() == 3);
  BOOST_TEST(std::abs(monitor.errors().natural - natural_at(0.91)) <= 1e-14);
}

BOOST_AUTO_TEST_CASE(a_start_that_is_good_enough_needs_no_iteration) {
  OneContact scene;
  Monitor monitor(scene.problem, {.tolerance = 0.1, .max_iterations = 100, .check_every = 10});
  BOOST_TEST(!scene.feed(monitor, 1.0));
  BOOST_TEST(monitor.converged());
  BOOST_TEST(monitor.iterations() == 0);
}

BOOST_AUTO_TEST_CASE(stops_at_the_iteration_limit) {
  OneContact scene;
  Monitor monitor(scene.problem, {.tolerance = 1e-3, .max_iterations = 3, .check_every = 1});
  BOOST_TEST(scene.feed(monitor, 0.1));
  BOOST_TEST(scene.feed(monitor, 0.2));
  BOOST_TEST(scene.feed(monitor, 0.3));
  BOOST_TEST(!scene.feed(monitor, 0.4));
  BOOST_TEST(monitor.iterations() == 3);
  BOOST_TEST(!monitor.converged());
  BOOST_TEST(std::abs(scene.best(monitor) - 0.4) <= 1e-14);
}

BOOST_AUTO_TEST_CASE(tolerance_zero_runs_all_iterations) {
  OneContact scene;
  Monitor monitor(scene.problem, {.tolerance = 0.0, .max_iterations = 5, .check_every = 1});
  int fed = 0;
  while (scene.feed(monitor, 0.999)) ++fed;
  BOOST_TEST(fed == 5);
  BOOST_TEST(!monitor.converged());
}

BOOST_AUTO_TEST_CASE(keeps_the_best_iterate_when_worse_ones_follow) {
  OneContact scene;
  Monitor monitor(scene.problem, {.tolerance = 1e-6, .max_iterations = 4, .check_every = 1});
  for (const double share : {0.0, 0.9, 0.5, 1.7}) BOOST_TEST(scene.feed(monitor, share));
  BOOST_TEST(!scene.feed(monitor, 0.2));
  BOOST_TEST(std::abs(monitor.errors().natural - natural_at(0.9)) <= 1e-14);
  BOOST_TEST(std::abs(scene.best(monitor) - 0.9) <= 1e-14);
}

BOOST_AUTO_TEST_CASE(without_w_at_hand_it_is_asked_for_only_when_due) {
  OneContact scene;
  Monitor monitor(scene.problem, {.tolerance = 1e-6, .max_iterations = 25, .check_every = 10});
  int fed = 0;
  // The solution is passed at iteration 7, unseen.
  while (scene.feed(monitor, fed == 7 ? 1.0 : 0.5)) ++fed;
  BOOST_TEST(fed == 25);
  BOOST_TEST(scene.products == 4);  // at 0, 10, 20 and the last, 25
  BOOST_TEST(!monitor.converged());
  BOOST_TEST(std::abs(scene.best(monitor) - 0.5) <= 1e-14);
}

BOOST_AUTO_TEST_CASE(stops_at_a_check_not_between_checks) {
  OneContact scene;
  Monitor monitor(scene.problem, {.tolerance = 1e-6, .max_iterations = 100, .check_every = 10});
  int fed = 0;
  while (scene.feed(monitor, fed >= 13 ? 1.0 : 0.5)) ++fed;
  BOOST_TEST(fed == 20);
  BOOST_TEST(monitor.converged());
}

BOOST_AUTO_TEST_CASE(with_w_at_hand_every_iterate_is_judged) {
  OneContact scene;
  Monitor monitor(scene.problem, {.tolerance = 1e-6, .max_iterations = 100, .check_every = 10});
  int fed = 0;
  while (scene.feed_with_w(monitor, fed >= 13 ? 1.0 : 0.5)) ++fed;
  BOOST_TEST(fed == 13);
}

BOOST_AUTO_TEST_CASE(history_has_one_entry_per_check) {
  OneContact scene;
  Monitor monitor(scene.problem, {.tolerance = 1e-6, .max_iterations = 100, .check_every = 2, .keep_history = true});
  const std::vector<double> shares{0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 1.0};
  for (const double share : shares) (void)scene.feed(monitor, share);
  const auto& history = monitor.history();
  BOOST_REQUIRE(history.size() == 4U);
  for (std::size_t k = 0; k < history.size(); ++k) {
    BOOST_TEST(history[k].iteration == static_cast<int>(2 * k));
    BOOST_TEST(std::abs(history[k].errors.natural - natural_at(shares[2 * k])) <= 1e-14);
    const std::int64_t confirmation = k + 1 == history.size() ? 1 : 0;
    BOOST_TEST(history[k].operator_applications == static_cast<std::int64_t>(k + 1) + confirmation);
    BOOST_TEST(history[k].seconds >= (k > 0 ? history[k - 1].seconds : 0.0));
  }
}

BOOST_AUTO_TEST_CASE(velocities_that_have_drifted_do_not_count_as_converged) {
  OneContact scene;
  Monitor monitor(scene.problem, {.tolerance = 1e-6, .max_iterations = 100, .check_every = 1});
  const parallel::Vector x = scene.at(0.5), w = scene.problem.make_vector();  // w = 0 is that of the whole solution
  BOOST_TEST(monitor.wants_more(x, w));
  BOOST_TEST(!monitor.converged());
  BOOST_TEST(std::abs(monitor.errors().natural - natural_at(0.5)) <= 1e-14);
  double sum = 0.0;
  parallel::petsc(VecSum(w, &sum));
  BOOST_TEST(std::abs(sum + 0.5 * scene.solution) <= 1e-14);  // the true velocity came back

  std::vector<Monitor::From> asked;
  const auto fill_w = [&](Vec velocity, Monitor::From from) {
    asked.push_back(from);
    if (from == Monitor::From::motion) {
      parallel::petsc(VecSet(velocity, 0.0));
    } else {
      parallel::petsc(VecCopy(w, velocity));
    }
  };
  BOOST_TEST(monitor.wants_more(x, fill_w));
  BOOST_TEST((asked == std::vector{Monitor::From::motion, Monitor::From::impulses}));
}

BOOST_AUTO_TEST_CASE(keeps_no_history_unless_asked) {
  OneContact scene;
  Monitor monitor(scene.problem, {.tolerance = 0.0, .max_iterations = 3, .check_every = 1});
  while (scene.feed(monitor, 0.5)) continue;
  BOOST_TEST(monitor.history().empty());
}

BOOST_AUTO_TEST_CASE(stops_by_the_chosen_measure) {
  OneContact scene;
  const double speed = gravity * 5e-3;  // the projected gradient at x = 0 (m/s)
  for (const double factor : {0.99, 1.01}) {
    Monitor by_gradient(scene.problem, {.measure = Measure::projected_gradient, .tolerance = factor * speed});
    BOOST_TEST(scene.feed(by_gradient, 0.0) == (factor < 1.0));
    BOOST_TEST(std::abs(by_gradient.errors().projected_gradient - speed) <= 1e-14);
  }
  // At x = 2 g h: natural divides |w| = g h by |x|, natural_q by |r|.
  Monitor natural(scene.problem, {.measure = Measure::natural, .tolerance = 0.51});
  Monitor natural_q(scene.problem, {.measure = Measure::natural_q, .tolerance = 0.51});
  BOOST_TEST(!scene.feed(natural, 2.0));
  BOOST_TEST(scene.feed(natural_q, 2.0));
}

BOOST_AUTO_TEST_CASE(a_problem_without_contacts_is_solved) {
  const Frozen frozen = freeze(world(), loose(3), Placement::scattered, Law::cone);
  Monitor monitor(frozen.problem, StopRule{});
  const parallel::Vector x = frozen.problem.make_vector(), w = frozen.problem.make_vector();
  BOOST_TEST(!monitor.wants_more(x, w));
  BOOST_TEST(monitor.converged());
  monitor.finish(x);
}
