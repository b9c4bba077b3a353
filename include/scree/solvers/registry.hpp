#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "scree/problem/contact_problem.hpp"
#include "scree/solvers/monitor.hpp"

namespace scree::solvers {

/// A number, or a text such as the name of another solver.
class OptionValue {
 public:
  OptionValue(double number) : value_(number) {}                                       // NOLINT: stands for its value
  OptionValue(int number) : value_(static_cast<double>(number)) {}                     // NOLINT
  OptionValue(std::string text) : value_(std::move(text)) {}                           // NOLINT
  OptionValue(const char* text) : value_(std::string(text)) {}                         // NOLINT
  [[nodiscard]] const double* number() const { return std::get_if<double>(&value_); }  ///< null if it is a text
  [[nodiscard]] const std::string* text() const { return std::get_if<std::string>(&value_); }
  /// As a user would write it; a text in quotes.
  [[nodiscard]] std::string shown() const;

 private:
  std::variant<double, std::string> value_;
};

/// Options by name, as they come from a scene or a command line: "omega" -> 0.3.
using OptionValues = std::map<std::string, OptionValue>;

/// A method ready to run: its options are bound. Collective. `x` is the start on entry, the result on exit.
using SolveFunction = std::function<void(const problem::ContactProblem&, Vec x, Monitor&)>;

/// What a user may set: name, meaning with unit, default, and what makes sense: a range of numbers, or some texts.
struct OptionInfo {
  std::string name;
  std::string meaning;
  OptionValue default_value;
  double lowest = 0.0;
  double highest = 0.0;
  bool whole = false;                ///< only whole numbers
  std::vector<std::string> choices;  ///< for texts
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
[[nodiscard]] SolveFunction make_solver(const std::string& name, const OptionValues& options, problem::LawSet laws);

}  // namespace scree::solvers
