// ranks: 1 2 3 4
// Contacts of one problem that obey different laws.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "scree/parallel/error.hpp"
#include "scree/solvers/registry.hpp"
#include "support/frozen.hpp"
#include "support/support.hpp"

using namespace scree;
using namespace scree::test;
using problem::Law;
using problem::LawSet;

namespace {

/// A bed whose contacts take their laws from the list in turns, by their ids: alike on all ranks. One in forty is
/// bilateral, few enough for a solution to exist.
Frozen freeze_mixed(const parallel::Comm& comm, const FrozenScene& scene, Placement placement,
                    const std::vector<Law>& laws) {
  Frozen frozen = freeze(comm, scene, placement, laws[0]);
  problem::ConstraintSet& K = frozen.problem.K;
  for (const Law law : laws)
    if (law != laws[0]) K.exceptions.insert(law);
  K.exceptions.insert(Law::bilateral);
  for (const collision::ContactId& id : frozen.ids) {
    const auto number = static_cast<std::size_t>(3 * id.first + 7 * (id.second + 10));
    const Law law = number % 40 == 0 ? Law::bilateral : laws[number % laws.size()];
    K.own_law.push_back(law == laws[0] ? std::nullopt : std::optional(law));
  }
  return frozen;
}

bool takes(const solvers::SolverInfo& solver, LawSet laws) {
  return std::ranges::all_of(laws.listed(), [&](Law law) { return std::ranges::count(solver.laws, law) > 0; });
}

/// Plain methods have one step length for bilateral and loaded contacts; cpg, which has no safeguard, jams on boxes
/// beside discs (natural error 2e-2).
bool is_out_of_reach(const std::string& solver) { return solver == "pgd" || solver == "jacobi" || solver == "cpg"; }

struct Solved {
  Judged judged;
  bool converged;
};

Solved solve(const std::string& solver, const Frozen& frozen) {
  solvers::Monitor monitor(frozen.problem, {.tolerance = 1e-7, .max_iterations = 20000});
  const parallel::Vector x = frozen.problem.make_vector();
  solvers::make_solver(solver, {}, frozen.problem.K.all_laws())(frozen.problem, x, monitor);
  return {judge(frozen.problem, x), monitor.converged()};
}

std::int64_t contacts_with(const Frozen& frozen, Law law) {
  std::int64_t count = 0;
  for (int k = 0; k < frozen.problem.K.contact_count(); ++k) count += frozen.problem.K.law_of(k) == law ? 1 : 0;
  return frozen.problem.N->comm().sum(count);
}

}  // namespace

BOOST_AUTO_TEST_CASE(solvers_agree_on_convex_mixtures) {
  const std::vector<Law> mixtures[] = {{Law::cone, Law::frictionless},
                                       {Law::cylinder, Law::box, Law::frictionless},
                                       {Law::box, Law::pyramid, Law::prism, Law::polyhedral, Law::cylinder, Law::cone}};
  const parallel::Comm self(MPI_COMM_SELF);
  const FrozenScene scene = bed(5, 4, 3, 3);
  for (const auto& laws : mixtures) {
    const Frozen whole = freeze_mixed(self, scene, Placement::slabs, laws);
    for (const Law law : laws) BOOST_TEST(contacts_with(whole, law) > 0, name_of(law));
    BOOST_TEST(contacts_with(whole, Law::bilateral) > 0);
    const Solved reference = solve("pgs", whole);
    int able = 0;
    for (const auto& solver : solvers::registry()) {
      if (!takes(solver, whole.problem.K.all_laws())) continue;
      if (is_out_of_reach(solver.name)) continue;
      ++able;
      for (const Placement placement : {Placement::slabs, Placement::scattered, Placement::even_ranks}) {
        BOOST_TEST_CONTEXT(solver.name << " on " << laws.size() << " laws, " << name_of(placement)) {
          const Frozen frozen = freeze_mixed(world(), scene, placement, laws);
          const Solved solved = solve(solver.name, frozen);
          BOOST_TEST(solved.converged);
          BOOST_TEST(solved.judged.natural <= 1.0001e-7);
          BOOST_TEST(solved.judged.outside <= 1e-14);
          const Distance distance = compare(frozen, solved.judged, whole, reference.judged);
          BOOST_TEST(distance.velocities <= distance.allowed + 1e-12 * distance.scale);
          BOOST_TEST(distance.velocities <= 1e-4 * distance.scale);
        }
      }
    }
    BOOST_TEST(able >= 4);
  }
}

BOOST_AUTO_TEST_CASE(contacts_with_coulombs_law_may_stand_among_others) {
  for (const std::vector<Law>& laws : {std::vector{Law::coulomb, Law::frictionless},
                                       std::vector{Law::coulomb, Law::cone}, std::vector{Law::box, Law::coulomb}}) {
    const Frozen frozen = freeze_mixed(world(), bed(4, 4, 2, 5), Placement::slabs, laws);
    for (const std::string solver : {"npgs", "pgs"}) {
      const Solved solved = solve(solver, frozen);
      BOOST_TEST(solved.converged, solver << " on " << name_of(laws[1]));
      BOOST_TEST(solved.judged.natural <= 1.0001e-7);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_solver_must_take_all_laws_of_a_mixture) {
  LawSet laws = Law::coulomb;
  laws.insert(Law::frictionless);
  const auto says_so = [](const InputError& error) {
    const std::string message = error.what();
    return message.find("'frictionless' and 'coulomb' together") != std::string::npos &&
           message.find("npgs") != std::string::npos;
  };
  BOOST_CHECK_EXCEPTION((void)solvers::make_solver("apgd", {}, laws), InputError, says_so);
  BOOST_CHECK_NO_THROW((void)solvers::make_solver("npgs", {}, laws));
}

BOOST_AUTO_TEST_CASE(only_bilateral_contacts_are_a_linear_problem) {
  // A column stands on the floor, thrown upwards: were its contacts not bilateral, it would fly.
  FrozenScene scene = column(6);
  for (model::Body& body : scene.bodies) body.velocity[2] = 0.3, body.velocity[0] = 0.1;
  const Frozen frozen = freeze(world(), scene, Placement::scattered, Law::bilateral);
  for (const auto& solver : solvers::registry()) {
    if (!takes(solver, Law::bilateral) || is_out_of_reach(solver.name)) continue;
    const Solved solved = solve(solver.name, frozen);
    BOOST_TEST(solved.converged, solver.name);
    for (const double w : solved.judged.w) BOOST_TEST(std::abs(w) <= 1e-5, solver.name);
  }
}
