#include "scree/solvers/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <type_traits>

#include "scree/parallel/error.hpp"
#include "scree/solvers/gpminres.hpp"
#include "scree/solvers/jacobi.hpp"
#include "scree/solvers/npgs.hpp"
#include "scree/solvers/pgs.hpp"

namespace scree::solvers {

using problem::Law;

namespace {

/// Ties an option to a field of a solver's options struct, so that its default stands once.
template <typename Options>
struct Field {
  OptionInfo info;
  std::function<void(Options&, double)> set;
};

template <typename Options, typename T>
Field<Options> field(std::string name, T Options::*member, double lowest, double highest, std::string meaning) {
  return {{std::move(name), std::move(meaning), static_cast<double>(Options{}.*member), lowest, highest,
           std::is_integral_v<T>},
          [member](Options& options, double value) { options.*member = static_cast<T>(value); }};
}

template <typename Options>
using Method = void (*)(const problem::ContactProblem&, Vec, Monitor&, const Options&);

template <typename Options>
SolverInfo describe(std::string name, std::string description, std::vector<Law> laws, Method<Options> method,
                    std::vector<Field<Options>> fields) {
  SolverInfo info{std::move(name), std::move(description), std::move(laws), {}, {}};
  for (const auto& f : fields) info.options.push_back(f.info);
  info.make = [method, fields = std::move(fields)](const OptionValues& values) -> SolveFunction {
    Options options;
    for (const auto& f : fields)
      if (const auto given = values.find(f.info.name); given != values.end()) f.set(options, given->second);
    return [method, options](const problem::ContactProblem& problem, Vec x, Monitor& monitor) {
      method(problem, x, monitor, options);
    };
  };
  return info;
}

struct NoOptions {};
void run_pgs(const problem::ContactProblem& problem, Vec x, Monitor& monitor, const NoOptions&) {
  pgs(problem, x, monitor);
}

std::vector<SolverInfo> build_registry() {
  const std::vector<Law> all = {Law::frictionless, Law::box, Law::cone};
  const std::vector<Law> bounds = {Law::frictionless, Law::box};
  return {
      describe<NpgsOptions>("npgs", "Gauss-Seidel sweeps with Nesterov acceleration, restarted and safeguarded", all,
                            npgs,
                            {field("refresh_every", &NpgsOptions::refresh_every, 1, 1e9,
                                   "sweeps between recomputations of velocities from impulses")}),
      describe<NoOptions>("pgs", "projected block Gauss-Seidel sweeps", all, run_pgs, {}),
      describe<JacobiOptions>("jacobi", "projected Jacobi iteration (Heyn et al., eq. 12)", all, jacobi,
                              {field("omega", &JacobiOptions::omega, 0, 1, "step length"),
                               field("lambda", &JacobiOptions::lambda, 0, 1, "share of the new iterate")}),
      describe<GpminresOptions>(
          "gpminres", "gradient projection with minimum-residual Krylov steps (Heyn et al.)", bounds, gpminres,
          {field("eta1", &GpminresOptions::eta1, 0, 1, "gradient steps end below this share of the best gain (eq. 18)"),
           field("eta2", &GpminresOptions::eta2, 0, 1, "Krylov steps end below this share of the best gain (eq. 20)"),
           field("armijo", &GpminresOptions::armijo, 0, 0.5, "sufficient-decrease parameter mu (eq. 16)"),
           field("gradient_steps", &GpminresOptions::gradient_steps, 1, 1e6, "gradient steps per iteration, at most"),
           field("krylov_steps", &GpminresOptions::krylov_steps, 1, 1e6, "Krylov steps per iteration, at most")}),
  };
}

/// "a, b, c" of the names in a range.
template <typename Range, typename Name>
std::string list_of(const Range& range, Name&& name) {
  std::string list;
  for (const auto& item : range) list += (list.empty() ? "" : ", ") + std::string(name(item));
  return list;
}

void check_option(const SolverInfo& solver, const std::string& key, double value) {
  const auto option = std::ranges::find(solver.options, key, &OptionInfo::name);
  if (option == solver.options.end())
    throw InputError(fmt::format("solver '{}' has no option '{}'; its options are: {}", solver.name, key,
                                 list_of(solver.options, [](const auto& o) { return o.name; })));
  const bool in_range = value >= option->lowest && value <= option->highest;  // false for NaN
  if (!in_range || (option->whole && value != std::floor(value)))
    throw InputError(fmt::format("option '{}' of solver '{}' must be a {}number from {} to {}, is {}", key, solver.name,
                                 option->whole ? "whole " : "", option->lowest, option->highest, value));
}

}  // namespace

const std::vector<SolverInfo>& registry() {
  static const std::vector<SolverInfo> all = build_registry();
  return all;
}

SolveFunction make_solver(const std::string& name, const OptionValues& options, Law law) {
  const auto names = [](const std::vector<SolverInfo>& solvers) {
    return list_of(solvers, [](const auto& s) { return s.name; });
  };
  const auto solver = std::ranges::find(registry(), name, &SolverInfo::name);
  if (solver == registry().end())
    throw InputError(fmt::format("unknown solver '{}'; the solvers are: {}", name, names(registry())));
  const auto takes_law = [law](const SolverInfo& s) { return std::ranges::find(s.laws, law) != s.laws.end(); };
  if (!takes_law(*solver)) {
    std::vector<SolverInfo> able;
    std::ranges::copy_if(registry(), std::back_inserter(able), takes_law);
    throw InputError(
        fmt::format("solver '{}' cannot take the law '{}'; those that can are: {}", name, name_of(law), names(able)));
  }
  for (const auto& [key, value] : options) check_option(*solver, key, value);
  return solver->make(options);
}

}  // namespace scree::solvers
