#include "scree/solvers/registry.hpp"

#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "scree/parallel/error.hpp"
#include "scree/solvers/gpminres.hpp"
#include "scree/solvers/jacobi.hpp"
#include "scree/solvers/npgs.hpp"
#include "support/frozen.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using problem::Law;
using solvers::make_solver;
using solvers::OptionValue;
using solvers::OptionValues;
using solvers::registry;

namespace {

/// The message of the InputError that making the solver gives; empty if it gives none.
std::string refusal(const std::string& name, const OptionValues& options, Law law) {
  try {
    (void)make_solver(name, options, law);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

const solvers::SolverInfo& solver_named(const std::string& name) {
  for (const auto& solver : registry())
    if (solver.name == name) return solver;
  BOOST_FAIL("no solver " + name);
  return registry().front();
}

double default_of(const std::string& solver, const std::string& option) {
  for (const auto& info : solver_named(solver).options)
    if (info.name == option) return *info.default_value.number();
  BOOST_FAIL("no option " + option);
  return 0.0;
}

/// Collective: what a solver makes of the bed in three iterations.
std::vector<double> three_iterations(const solvers::SolveFunction& solver, Law law) {
  const Frozen frozen = freeze(world(), bed(3, 3, 2, 7), Placement::slabs, law);
  const parallel::Vector x = frozen.problem.make_vector();
  solvers::Monitor monitor(frozen.problem, {.tolerance = 0.0, .max_iterations = 3, .check_every = 1});
  solver(frozen.problem, x, monitor);
  return judge(frozen.problem, x).x;
}

}  // namespace

BOOST_AUTO_TEST_CASE(lists_each_solver_once_with_a_description_and_laws) {
  std::set<std::string> names;
  for (const auto& solver : registry()) {
    BOOST_TEST(names.insert(solver.name).second, solver.name << " stands twice");
    BOOST_TEST(!solver.description.empty());
    BOOST_TEST(!contains(solver.description, "\n"));
    BOOST_TEST(!solver.laws.empty());
  }
  for (const char* name :
       {"npgs", "pgs", "jacobi", "gpminres", "tresca", "adaptive-bounds", "de-saxce", "pgd", "cpg", "cpg1", "spg",
        "kucera", "apgd", "pivot", "lemke", "enumerate", "newton", "gs-newton", "multigrid"})
    BOOST_TEST(names.contains(name), name);
}

BOOST_AUTO_TEST_CASE(an_unknown_solver_is_answered_with_all_solvers) {
  const std::string message = refusal("wishful", {}, Law::cone);
  BOOST_TEST(contains(message, "'wishful'"));
  for (const auto& solver : registry()) BOOST_TEST(contains(message, solver.name), solver.name << " in: " << message);
}

BOOST_AUTO_TEST_CASE(a_law_that_a_solver_cannot_take_is_answered_with_those_that_can) {
  const std::string message = refusal("kucera", {}, Law::cone);
  BOOST_TEST(contains(message, "'kucera'"));
  BOOST_TEST(contains(message, "'cone'"));
  const std::string able = message.substr(message.rfind(':'));
  for (const char* name : {"npgs", "pgs", "jacobi"}) BOOST_TEST(contains(able, name), message);
  BOOST_TEST(!contains(able, "kucera"));
}

BOOST_AUTO_TEST_CASE(every_solver_is_made_for_every_law_that_it_lists_and_no_other) {
  for (const auto& solver : registry())
    for (const auto& info : problem::laws()) {
      const bool listed = std::ranges::find(solver.laws, info.law) != solver.laws.end();
      BOOST_TEST(refusal(solver.name, {}, info.law).empty() == listed, solver.name << ", " << info.name);
    }
}

BOOST_AUTO_TEST_CASE(an_unknown_option_is_answered_with_those_of_the_solver) {
  const std::string message = refusal("jacobi", {{"omga", 0.3}}, Law::cone);
  for (const char* part : {"'jacobi'", "'omga'", "omega", "lambda"}) BOOST_TEST(contains(message, part), message);
  BOOST_TEST(contains(refusal("pgs", {{"omega", 0.3}}, Law::cone), "'omega'"));
}

BOOST_AUTO_TEST_CASE(options_must_lie_in_their_ranges) {
  for (const auto& solver : registry())
    for (const auto& option : solver.options) {
      const Law law = solver.laws.front();
      const auto refused = [&](const OptionValue& value) {
        return !refusal(solver.name, {{option.name, value}}, law).empty();
      };
      BOOST_TEST_CONTEXT(solver.name << "." << option.name) {
        BOOST_TEST(!option.meaning.empty());
        BOOST_TEST(!refused(option.default_value));
        BOOST_TEST(refused("hope"));
        if (!option.choices.empty()) {
          BOOST_TEST(refused(1.0));
          for (const auto& choice : option.choices) BOOST_TEST(!refused(choice));
          continue;
        }
        BOOST_TEST(!refused(option.lowest));
        BOOST_TEST(!refused(option.highest));
        BOOST_TEST(refused(option.lowest - 1.0));
        BOOST_TEST(refused(2.0 * option.highest + 1.0));
        BOOST_TEST(refused(std::numeric_limits<double>::infinity()));
        BOOST_TEST(refused(option.lowest + 0.25) == option.whole);
      }
    }
}

BOOST_AUTO_TEST_CASE(the_refusal_of_a_value_names_option_solver_range_and_value) {
  const std::string message = refusal("jacobi", {{"omega", 1.5}}, Law::cone);
  for (const char* part : {"'omega'", "'jacobi'", "0", "1", "1.5"}) BOOST_TEST(contains(message, part), message);
  BOOST_TEST(contains(refusal("gpminres", {{"krylov_steps", 2.5}}, Law::box), "whole"));
}

BOOST_AUTO_TEST_CASE(an_inner_solver_is_named_by_an_option) {
  const std::string message = refusal("tresca", {{"inner", "sor"}}, Law::coulomb);
  for (const char* part : {"'inner'", "'tresca'", "npgs", "pgs", "jacobi", "'sor'"})
    BOOST_TEST(contains(message, part), message);
  const auto npgs = three_iterations(make_solver("de-saxce", {{"inner", "npgs"}}, Law::coulomb), Law::coulomb);
  const auto by_default = three_iterations(make_solver("de-saxce", {}, Law::coulomb), Law::coulomb);
  const auto jacobi = three_iterations(make_solver("de-saxce", {{"inner", "jacobi"}}, Law::coulomb), Law::coulomb);
  BOOST_TEST((npgs == by_default));
  BOOST_TEST(world().any(npgs != jacobi));
}

BOOST_AUTO_TEST_CASE(defaults_are_those_of_the_structs) {
  BOOST_TEST(default_of("npgs", "refresh_every") == solvers::NpgsOptions{}.refresh_every);
  BOOST_TEST(default_of("jacobi", "omega") == solvers::JacobiOptions{}.omega);
  BOOST_TEST(default_of("jacobi", "lambda") == solvers::JacobiOptions{}.lambda);
  const solvers::GpminresOptions gpminres;
  BOOST_TEST(default_of("gpminres", "eta1") == gpminres.eta1);
  BOOST_TEST(default_of("gpminres", "eta2") == gpminres.eta2);
  BOOST_TEST(default_of("gpminres", "armijo") == gpminres.armijo);
  BOOST_TEST(default_of("gpminres", "gradient_steps") == gpminres.gradient_steps);
  BOOST_TEST(default_of("gpminres", "krylov_steps") == gpminres.krylov_steps);
}

BOOST_AUTO_TEST_CASE(options_reach_the_method) {
  const auto by_default = three_iterations(make_solver("jacobi", {}, Law::cone), Law::cone);
  const auto stated = three_iterations(make_solver("jacobi", {{"omega", 0.3}, {"lambda", 1.0}}, Law::cone), Law::cone);
  const auto direct = three_iterations(
      [](const problem::ContactProblem& problem, Vec x, solvers::Monitor& monitor) {
        solvers::jacobi(problem, x, monitor, {.omega = 0.2, .lambda = 0.9});
      },
      Law::cone);
  const auto by_name = three_iterations(make_solver("jacobi", {{"omega", 0.2}, {"lambda", 0.9}}, Law::cone), Law::cone);
  BOOST_TEST((by_default == stated));
  BOOST_TEST((direct == by_name));
  BOOST_TEST(world().any(by_default != by_name));

  const auto few = three_iterations(make_solver("gpminres", {{"krylov_steps", 1}}, Law::box), Law::box);
  const auto many = three_iterations(make_solver("gpminres", {{"krylov_steps", 10}}, Law::box), Law::box);
  BOOST_TEST(world().any(few != many));
}
