#include "scree/solvers/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <type_traits>

#include "scree/parallel/error.hpp"
#include "scree/problem/local_solvers.hpp"
#include "scree/solvers/adaptive_bounds.hpp"
#include "scree/solvers/apgd.hpp"
#include "scree/solvers/automatic.hpp"
#include "scree/solvers/cpg.hpp"
#include "scree/solvers/cpg1.hpp"
#include "scree/solvers/de_saxce.hpp"
#include "scree/solvers/enumerate.hpp"
#include "scree/solvers/gpminres.hpp"
#include "scree/solvers/gpminres_p.hpp"
#include "scree/solvers/ipm.hpp"
#include "scree/solvers/jacobi.hpp"
#include "scree/solvers/kucera.hpp"
#include "scree/solvers/lemke.hpp"
#include "scree/solvers/multigrid.hpp"
#include "scree/solvers/newton.hpp"
#include "scree/solvers/npgs.hpp"
#include "scree/solvers/nsgs.hpp"
#include "scree/solvers/pgd.hpp"
#include "scree/solvers/pgs.hpp"
#include "scree/solvers/pivot.hpp"
#include "scree/solvers/proximal.hpp"
#include "scree/solvers/sor.hpp"
#include "scree/solvers/spg.hpp"
#include "scree/solvers/tresca.hpp"

namespace scree::solvers {

using problem::Law;
using problem::LawSet;

std::string OptionValue::shown() const {
  return text() != nullptr ? "'" + *text() + "'" : fmt::format("{}", *number());
}

namespace {

/// Ties an option to a field of a solver's options struct, so that its default stands once.
template <typename Options>
struct Field {
  OptionInfo info;
  std::function<void(Options&, const OptionValue&)> set;
};

template <typename Options, typename T>
Field<Options> field(std::string name, T Options::*member, double lowest, double highest, std::string meaning) {
  return {{std::move(name),
           std::move(meaning),
           static_cast<double>(Options{}.*member),
           lowest,
           highest,
           std::is_integral_v<T>,
           {}},
          [member](Options& options, const OptionValue& value) { options.*member = static_cast<T>(*value.number()); }};
}

/// An option that names one of several things.
template <typename Options>
Field<Options> choice(std::string name, std::string Options::*member, std::vector<std::string> choices,
                      std::string meaning) {
  return {{std::move(name), std::move(meaning), Options{}.*member, 0.0, 0.0, false, std::move(choices)},
          [member](Options& options, const OptionValue& value) { options.*member = *value.text(); }};
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
template <auto method>
void run(const problem::ContactProblem& problem, Vec x, Monitor& monitor, const NoOptions&) {
  method(problem, x, monitor);
}

std::vector<Law> all_laws() {
  std::vector<Law> all;
  for (const auto& info : problem::laws()) all.push_back(info.law);
  return all;
}

std::vector<Law> convex_laws() {
  std::vector<Law> convex;
  for (const auto& info : problem::laws())
    if (is_convex(info.law)) convex.push_back(info.law);
  return convex;
}

/// Methods of gradients.
void add_gradient_methods(const std::vector<Law>& convex, std::vector<SolverInfo>& solvers) {
  const std::vector<Law> fixed_sections = {Law::frictionless, Law::box, Law::prism, Law::cylinder, Law::bilateral};
  solvers.push_back(describe<ApgdOptions>(
      "apgd", "accelerated projected gradients in the metric of the diagonal, restarted", convex, apgd,
      {field("relaxation", &ApgdOptions::relaxation, 0.5, 1, "factor of the bound of curvatures after an iteration")}));
  solvers.push_back(describe<SpgOptions>(
      "spg", "preconditioned spectral projected gradients with fallback (Heyn et al.)", convex, spg,
      {choice("scaling", &SpgOptions::scaling, {"averaged", "anisotropic"},
              "diagonal that preconditions: a mean for each contact, or normal and tangential parts apart"),
       field("memory", &SpgOptions::memory, 1, 1e6, "objectives of which the largest bounds the next"),
       field("armijo", &SpgOptions::armijo, 0, 0.5, "sufficient-decrease parameter xi")}));
  solvers.push_back(describe<KuceraOptions>(
      "kucera", "conjugate gradients on free components, proportioned (Heyn et al., eq. 25-29)", fixed_sections, kucera,
      {field("gamma", &KuceraOptions::gamma, 1e-3, 1e3, "share of the free gradient above which bounds are kept"),
       field("step", &KuceraOptions::step, 0.1, 2, "length of projected steps by 1 / norm of N"),
       field("norm_steps", &KuceraOptions::norm_steps, 1, 1000, "Lanczos steps that estimate the norm of N")}));
  solvers.push_back(
      describe<NoOptions>("pgd", "projected gradient descent (Preclik et al., algorithm 1)", convex, run<pgd>, {}));
  solvers.push_back(describe<NoOptions>("cpg", "conjugate projected gradients (Preclik et al., algorithm 2)",
                                        {Law::frictionless, Law::box, Law::cylinder, Law::bilateral}, run<cpg>, {}));
  solvers.push_back(describe<NoOptions>("cpg1", "conjugate projected gradients with one product an iteration", convex,
                                        run<cpg1>, {}));
}

/// Methods that solve a problem of bounds directly.
void add_direct_methods(std::vector<SolverInfo>& solvers) {
  const std::vector<Law> bounds = {Law::frictionless, Law::box, Law::bilateral};
  solvers.push_back(describe<PivotOptions>(
      "pivot", "block principal pivoting with Murty's rule, exact to rounding, the whole problem on every rank", bounds,
      pivot,
      {field("smallest_shift", &PivotOptions::smallest_shift, 1e-14, 1,
             "of the last proximal problems, relative to the diagonal of N"),
       field("patience", &PivotOptions::patience, 0, 1e6, "block pivots without gain before single pivots begin"),
       field("memory", &PivotOptions::memory, 0, 1, "share of a rank's memory that the factorisation may take")}));
  solvers.push_back(describe<LemkeOptions>(
      "lemke", "Lemke's method on a dense table, for hundreds of contacts", bounds, lemke,
      {field("memory", &LemkeOptions::memory, 0, 1, "share of a rank's memory that the table may take")}));
  solvers.push_back(describe<NoOptions>("enumerate", "every set of active bounds in turn, for up to a dozen rows",
                                        bounds, run<enumerate>, {}));
}

/// Of newton and gs-newton.
template <typename Options>
std::vector<Field<Options>> newton_fields() {
  using Base = NewtonOptions;
  return {
      choice<Options>("equation", &Base::equation, {"min-max", "normal-map"},
                      "whose root is the solution (eq. 18, 21)"),
      choice<Options>("bounds", &Base::bounds, {"variable", "adapted"},
                      "Coulomb's friction bounds in the derivative, or taken as constant in each iteration"),
      choice<Options>("subsystem", &Base::subsystem, {"mumps", "cholmod", "cg", "minres", "gmres"},
                      "solver of the linear systems: factorisations or Krylov methods"),
      field<Options, double>("linear_tolerance", &Base::linear_tolerance, 0, 1, "of cg, minres and gmres"),
      field<Options, double>("shift", &Base::shift, 0, 1, "added to the diagonal of the subsystem, relative to it"),
      field<Options, double>("minimum_step", &Base::minimum_step, 1e-6, 1, "of the line search"),
      field<Options, int>("patience", &Base::patience, 0, 1e6, "steps without gain in a row before it gives up"),
      field<Options, double>("memory", &Base::memory, 0, 1, "share of a rank's memory that a factorisation may take")};
}

void add_newton_methods(const std::vector<Law>& all, std::vector<SolverInfo>& solvers) {
  solvers.push_back(describe<NewtonOptions>("newton", "generalized Newton with line search (Preclik et al., eq. 18-21)",
                                            all, newton, newton_fields<NewtonOptions>()));
  auto fields = newton_fields<GsNewtonOptions>();
  fields.push_back(field("sweeps", &GsNewtonOptions::sweeps, 1, 1e6, "of npgs before the first Newton steps"));
  fields.push_back(field("newton_steps", &GsNewtonOptions::newton_steps, 1, 1e6, "in a row, at most"));
  solvers.push_back(describe<GsNewtonOptions>("gs-newton", "sweeps to find the active set, then generalized Newton",
                                              all, gs_newton, std::move(fields)));
}

void add_multigrid(std::vector<SolverInfo>& solvers) {
  solvers.push_back(describe<MultigridOptions>(
      "multigrid", "sweeps with corrections from coarser problems (Preclik et al., section 3.4)",
      {Law::frictionless, Law::box}, multigrid,
      {choice("transfer", &MultigridOptions::transfer, {"impulses", "velocities"},
              "coarse levels of interpolated impulses, or of bodies that move together"),
       choice("cycle", &MultigridOptions::cycle, {"v", "w"}, "visits of coarse levels: one or two"),
       choice("correction", &MultigridOptions::correction, {"search", "project", "reject"},
              "the best step along the projected correction, all of it, or only rows that stay between their bounds"),
       field("nu1", &MultigridOptions::nu1, 0, 1e6, "sweeps before a coarse correction"),
       field("nu2", &MultigridOptions::nu2, 1, 1e6, "sweeps after a coarse correction"),
       field("first_sweeps", &MultigridOptions::first_sweeps, 0, 1e6, "sweeps before coarse levels are made"),
       field("strength", &MultigridOptions::strength, 0, 1, "coupling from which impulses interpolate each other"),
       field("coarsest", &MultigridOptions::coarsest, 1, 1e5, "blocks that are solved directly"),
       field("levels", &MultigridOptions::levels, 1, 100, "at most"),
       field("memory", &MultigridOptions::memory, 0, 1, "share of a rank's memory that N may take as a matrix")}));
}

std::vector<std::string> local_solver_names() {
  std::vector<std::string> names;
  for (const auto& info : problem::local_solvers()) names.emplace_back(info.name);
  return names;
}

/// Of gpminres and of those that build on it.
template <typename Options>
std::vector<Field<Options>> gpminres_fields() {
  using Base = GpminresOptions;
  return {
      field<Options, double>("eta1", &Base::eta1, 0, 1,
                             "gradient steps end below this share of the best gain (eq. 18)"),
      field<Options, double>("eta2", &Base::eta2, 0, 1, "Krylov steps end below this share of the best gain (eq. 20)"),
      field<Options, double>("armijo", &Base::armijo, 0, 0.5, "sufficient-decrease parameter mu (eq. 16)"),
      field<Options, int>("gradient_steps", &Base::gradient_steps, 1, 1e6, "gradient steps per iteration, at most"),
      field<Options, int>("krylov_steps", &Base::krylov_steps, 1, 1e6, "Krylov steps per iteration, at most")};
}

std::vector<Field<GpminresPOptions>> gpminres_p_fields() {
  auto fields = gpminres_fields<GpminresPOptions>();
  fields.push_back(choice("preconditioner", &GpminresPOptions::preconditioner, {"bjacobi", "gamg", "cholesky"},
                          "of the free block: incomplete Cholesky per rank, multigrid or complete Cholesky"));
  fields.push_back(field("shift", &GpminresPOptions::shift, 0, 1,
                         "added to the diagonal of the free block, relative to its largest entry"));
  return fields;
}

/// Methods that solve a problem by themselves.
std::vector<SolverInfo> plain_solvers() {
  const std::vector<Law> all = all_laws(), convex = convex_laws();
  std::vector<Law> without_polygons = convex;
  std::erase_if(without_polygons, [](Law law) { return law == Law::prism || law == Law::polyhedral; });
  return {
      describe<NpgsOptions>("npgs", "Gauss-Seidel sweeps with Nesterov acceleration, restarted and safeguarded", all,
                            npgs,
                            {field("refresh_every", &NpgsOptions::refresh_every, 1, 1e9,
                                   "sweeps between recomputations of velocities from impulses"),
                             choice("sweep", &NpgsOptions::sweep, {"forward", "symmetric"},
                                    "one sweep a step, or forward and backward as one")}),
      describe<NoOptions>("pgs", "projected block Gauss-Seidel sweeps", all, run<pgs>, {}),
      describe<NsgsOptions>("nsgs", "block Gauss-Seidel with a choice of contactwise solvers (Preclik et al.)", all,
                            nsgs,
                            {choice("local", &NsgsOptions::local, local_solver_names(), "solver of one block"),
                             choice("bounds", &NsgsOptions::bounds, {"continuous", "outer"},
                                    "Coulomb's friction bounds follow x_n within a sweep, or in an outer loop"),
                             field("inner_iterations", &NsgsOptions::inner_iterations, 1, 1e6,
                                   "sweeps per iteration of the outer loop, at most")}),
      describe<SorOptions>("sor", "projected over-relaxation, component by component (Lacoursiere; Tasora)",
                           {Law::frictionless, Law::box, Law::coulomb, Law::bilateral}, sor,
                           {field("omega", &SorOptions::omega, 0, 2, "over-relaxation")}),
      describe<AdaptiveBoundsOptions>("adaptive-bounds", "Gauss-Seidel sweeps with friction bounds that follow x_n",
                                      {Law::coulomb}, adaptive_bounds,
                                      {field("sweeps_per_update", &AdaptiveBoundsOptions::sweeps_per_update, 1, 1e6,
                                             "sweeps after which the bounds follow")}),
      describe<JacobiOptions>("jacobi", "projected Jacobi iteration (Heyn et al., eq. 12)", convex, jacobi,
                              {field("omega", &JacobiOptions::omega, 0, 1, "step length"),
                               field("lambda", &JacobiOptions::lambda, 0, 1, "share of the new iterate")}),
      describe<GpminresOptions>("gpminres", "gradient projection with minimum-residual Krylov steps (Heyn et al.)",
                                without_polygons, gpminres, gpminres_fields<GpminresOptions>()),
      describe<GpminresPOptions>("gpminres-p", "gpminres with Krylov steps preconditioned by the free block of N",
                                 {Law::frictionless, Law::box, Law::cylinder, Law::bilateral}, gpminres_p,
                                 gpminres_p_fields()),
  };
}

bool takes(const SolverInfo& solver, LawSet laws) {
  return std::ranges::all_of(laws.listed(), [&](Law law) { return std::ranges::count(solver.laws, law) > 0; });
}

std::vector<SolverInfo> build_registry() {
  std::vector<SolverInfo> solvers = {describe<AutomaticOptions>(
      "auto", "chooses by size, law and tolerance: npgs, or proximal where sweeps are too slow", all_laws(), automatic,
      {field("tight", &AutomaticOptions::tight, 0, 1,
             "tolerances up to this are not left to sweeps if Newton is cheap")})};
  for (SolverInfo& solver : plain_solvers()) solvers.push_back(std::move(solver));
  add_gradient_methods(convex_laws(), solvers);
  add_direct_methods(solvers);
  add_newton_methods(all_laws(), solvers);
  add_multigrid(solvers);
  const auto able = [&](Law law) {
    std::vector<std::string> names;
    for (const SolverInfo& solver : solvers)
      if (takes(solver, law)) names.push_back(solver.name);
    return names;
  };
  const char* const at_most = "inner iterations per iteration, at most";
  const char* const space_of_newton = "where Newton's linear systems are solved; auto: by contacts if they are few";
  const char* const linear_of_newton = "preconditioner or factors of the systems of bodies";
  solvers.push_back(describe<ProximalOptions>(
      "proximal", "proximal points by semismooth Newton with factors: accurate, for Coulomb's law above all",
      all_laws(), proximal,
      {field("sweeps", &ProximalOptions::sweeps, 0, 1e6, "Gauss-Seidel sweeps to begin with, at most"),
       field("alpha", &ProximalOptions::alpha, 1e-9, 10, "first weight of the proximal term, relative to the diagonal"),
       field("newton_steps", &ProximalOptions::newton_steps, 1, 1000, "Newton steps per proximal step, at most"),
       field("patience", &ProximalOptions::patience, 1, 1e9, "proximal steps without progress before it gives up"),
       choice("subsystem", &ProximalOptions::subsystem, {"auto", "contacts", "bodies"}, space_of_newton),
       choice("linear", &ProximalOptions::linear, {"schwarz", "gamg", "mumps"}, linear_of_newton)}));
  solvers.push_back(describe<IpmOptions>(
      "ipm", "primal-dual interior point method with factors, then npgs",
      {Law::frictionless, Law::box, Law::cone, Law::coulomb}, ipm,
      {field("step", &IpmOptions::step, 0.1, 0.9999, "share of the way to the boundary"),
       field("least_centring", &IpmOptions::least_centring, 0, 0.9, "least centring parameter sigma"),
       field("patience", &IpmOptions::patience, 1, 1e6, "iterations without progress before npgs takes over"),
       choice("subsystem", &IpmOptions::subsystem, {"auto", "contacts", "bodies"}, space_of_newton),
       choice("linear", &IpmOptions::linear, {"schwarz", "gamg", "mumps"}, linear_of_newton)}));
  const auto cylinder = able(Law::cylinder), cone = able(Law::cone);
  solvers.push_back(describe<TrescaOptions>(
      "tresca", "fixed point of the friction bounds around a solver for cylinders", {Law::coulomb}, tresca,
      {choice("inner", &TrescaOptions::inner, cylinder, "solver of the problems with fixed bounds"),
       field("inner_iterations", &TrescaOptions::inner_iterations, 1, 1e6, at_most)}));
  solvers.push_back(describe<DeSaxceOptions>(
      "de-saxce", "fixed point of De Saxce's shift mu |w_T| around a solver for convex cones", {Law::coulomb}, de_saxce,
      {choice("inner", &DeSaxceOptions::inner, cone, "solver of the convex problems"),
       field("inner_iterations", &DeSaxceOptions::inner_iterations, 1, 1e6, at_most)}));
  return solvers;
}

/// "a, b, c" of the names in a range.
template <typename Range, typename Name>
std::string list_of(const Range& range, Name&& name) {
  std::string list;
  for (const auto& item : range) list += (list.empty() ? "" : ", ") + std::string(name(item));
  return list;
}

void check_option(const SolverInfo& solver, const std::string& key, const OptionValue& value) {
  const auto option = std::ranges::find(solver.options, key, &OptionInfo::name);
  if (option == solver.options.end())
    throw InputError(fmt::format("solver '{}' has no option '{}'; its options are: {}", solver.name, key,
                                 list_of(solver.options, [](const auto& o) { return o.name; })));
  if (!option->choices.empty()) {
    if (value.text() != nullptr && std::ranges::find(option->choices, *value.text()) != option->choices.end()) return;
    throw InputError(fmt::format("option '{}' of solver '{}' must be one of: {}; is {}", key, solver.name,
                                 list_of(option->choices, [](const auto& c) { return c; }), value.shown()));
  }
  const double number = value.number() != nullptr ? *value.number() : std::numeric_limits<double>::quiet_NaN();
  const bool in_range = std::isfinite(number) && number >= option->lowest && number <= option->highest;
  if (!in_range || (option->whole && number != std::floor(number)))
    throw InputError(fmt::format("option '{}' of solver '{}' must be a {}number from {} to {}, is {}", key, solver.name,
                                 option->whole ? "whole " : "", option->lowest, option->highest, value.shown()));
}

/// "the law 'a'" or "the laws 'a' and 'b' together".
std::string described(LawSet laws) {
  std::string list;
  for (const Law law : laws.listed()) list += fmt::format("{}'{}'", list.empty() ? "" : " and ", name_of(law));
  return laws.listed().size() == 1 ? "the law " + list : "the laws " + list + " together";
}

}  // namespace

const std::vector<SolverInfo>& registry() {
  static const std::vector<SolverInfo> all = build_registry();
  return all;
}

SolveFunction make_solver(const std::string& name, const OptionValues& options, LawSet laws) {
  const auto names = [](const std::vector<SolverInfo>& solvers) {
    return list_of(solvers, [](const auto& s) { return s.name; });
  };
  const auto solver = std::ranges::find(registry(), name, &SolverInfo::name);
  if (solver == registry().end())
    throw InputError(fmt::format("unknown solver '{}'; the solvers are: {}", name, names(registry())));
  const auto takes_law = [laws](const SolverInfo& s) { return takes(s, laws); };
  if (!takes_law(*solver)) {
    std::vector<SolverInfo> able;
    std::ranges::copy_if(registry(), std::back_inserter(able), takes_law);
    throw InputError(
        fmt::format("solver '{}' cannot take {}; those that can are: {}", name, described(laws), names(able)));
  }
  for (const auto& [key, value] : options) check_option(*solver, key, value);
  return solver->make(options);
}

}  // namespace scree::solvers
