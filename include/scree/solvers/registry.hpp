#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "scree/problem/contact_problem.hpp"
#include "scree/solvers/monitor.hpp"

namespace scree::solvers {

/// Options by name, as they come from a scene or a command line: "omega" -> 0.3.
using OptionValues = std::map<std::string, double>;

/// A method ready to run: its options are bound. Collective. `x` is the start on entry, the result on exit.
using SolveFunction = std::function<void(const problem::ContactProblem&, Vec x, Monitor&)>;

/// What a user may set: name, meaning with unit, default, and the range that makes sense.
struct OptionInfo {
  std::string name;
  std::string meaning;
  double default_value;
  double lowest;
  double highest;
  bool whole;  ///< only whole numbers
};

struct SolverInfo {
  std::string name;
  std::string description;         ///< one line
  std::vector<problem::Law> laws;  ///< those it can take
  std::vector<OptionInfo> options;
  std::function<SolveFunction(const OptionValues&)> make;
};

/// All solvers, in the order in which they are listed to users.
[[nodiscard]] const std::vector<SolverInfo>& registry();

/// Throws InputError that lists the solvers if there is none of that name, and for options it does not have.
[[nodiscard]] SolveFunction make_solver(const std::string& name, const OptionValues& options, problem::Law law);

}  // namespace scree::solvers
