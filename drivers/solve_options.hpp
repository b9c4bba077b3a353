#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "scree/io/solve.hpp"
#include "scree/parallel/error.hpp"

namespace scree {

/// The words of a command line that say how to solve problems.
struct SolveOptions {
  std::string law = "coulomb";
  std::string measure = "natural";
  double tolerance = io::SolveRequest{}.stop.tolerance;
  int max_iterations = io::SolveRequest{}.stop.max_iterations;
  std::vector<std::string> assignments;

  void add_to(CLI::App& app) {
    app.add_option("--law", law, "law between impulses and velocities (see --list)")->capture_default_str();
    app.add_option("--measure", measure, "measure of the error that decides (see --list)")->capture_default_str();
    app.add_option("--tolerance", tolerance, "error at which a problem is solved")->capture_default_str();
    app.add_option("--max-iterations", max_iterations, "iterations at most")->capture_default_str();
    app.add_option("--set", assignments, "option=value: an option of the solver (see --list), may be repeated")
        ->take_all()
        ->expected(1);
  }

  /// Throws InputError if a word makes no sense.
  [[nodiscard]] io::SolveRequest request(int least_iterations = 1) const {
    io::SolveRequest result;
    result.law = entry_named(problem::laws(), law, "--law").law;
    result.stop.measure = entry_named(problem::measures(), measure, "--measure").measure;
    if (!(tolerance >= 0.0) || !std::isfinite(tolerance))
      throw InputError(fmt::format("--tolerance {}: must be a number, not negative", tolerance));
    if (max_iterations < least_iterations)
      throw InputError(fmt::format("--max-iterations {}: must be at least {}", max_iterations, least_iterations));
    result.stop.tolerance = tolerance;
    result.stop.max_iterations = max_iterations;
    for (const std::string& assignment : assignments) result.options.insert(parse_assignment(assignment));
    return result;
  }

 private:
  template <typename Entries>
  static const typename Entries::value_type& entry_named(const Entries& entries, const std::string& name,
                                                         const char* option) {
    for (const auto& entry : entries)
      if (entry.name == name) return entry;
    std::vector<std::string_view> names;
    for (const auto& entry : entries) names.push_back(entry.name);
    throw InputError(fmt::format("{} {}: must be one of {}", option, name, fmt::join(names, ", ")));
  }

  static std::pair<std::string, solvers::OptionValue> parse_assignment(const std::string& text) {
    const std::size_t sign = text.find('=');
    if (sign == std::string::npos || sign == 0 || sign + 1 == text.size())
      throw InputError(fmt::format("--set {}: must be option=value", text));
    const std::string word = text.substr(sign + 1);
    double number = 0.0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    const bool is_number = error == std::errc{} && stop == word.data() + word.size();
    return {text.substr(0, sign), is_number ? solvers::OptionValue(number) : solvers::OptionValue(word)};
  }
};

}  // namespace scree
