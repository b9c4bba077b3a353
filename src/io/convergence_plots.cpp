#include "scree/io/convergence_plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <string>

#include "scree/io/atomic_file.hpp"

namespace scree::io {

namespace {

std::string history_file(const SolveReport& report) { return fmt::format("{}-{}.csv", report.problem, report.solver); }

/// The least objective that any iterate of any solver reached: the others are drawn by their distance to it.
double least_objective(const std::vector<SolveReport>& reports) {
  double least = std::numeric_limits<double>::infinity();
  for (const SolveReport& report : reports)
    for (const solvers::HistoryEntry& entry : report.history) least = std::min(least, entry.objective);
  return least;
}

/// Colours that people who see few of them tell apart (Okabe and Ito); after eight curves the dashes change.
std::string line_style(std::size_t curve) {
  constexpr const char* colours[] = {"#000000", "#E69F00", "#56B4E9", "#009E73",
                                     "#D55E00", "#0072B2", "#CC79A7", "#999999"};
  return fmt::format("linewidth 2 linecolor rgb '{}' dashtype {}", colours[curve % std::size(colours)],
                     1 + curve / std::size(colours));
}

/// One panel: a curve for each solver of column `y`, an expression of gnuplot, over column `x`.
std::string panel(const std::vector<SolveReport>& reports, const std::string& x, const std::string& y,
                  const std::string& x_label, const std::string& y_label) {
  std::string text = fmt::format("set xlabel '{}'\nset ylabel '{}' noenhanced\nplot ", x_label, y_label);
  for (std::size_t k = 0; k < reports.size(); ++k)
    text += fmt::format("{}'{}' using (column('{}')):({}) with lines {} title '{}'", k > 0 ? ", \\\n     " : "",
                        history_file(reports[k]), x, y, line_style(k), reports[k].solver);
  return text + "\n";
}

std::string script_of(const std::vector<SolveReport>& reports, problem::Measure measure) {
  const std::string error = fmt::format("column('{}')", name_of(measure));
  const std::string above = fmt::format("column('objective') - ({:.17g})", least_objective(reports));
  const std::string error_label = fmt::format("{} error", name_of(measure)),
                    above_label = "objective above the least (J)";
  std::string panels = fmt::format("set multiplot layout 2,2 title '{}, law {}, {} contacts' noenhanced\n",
                                   reports[0].problem, reports[0].law, reports[0].contacts);
  for (const auto& [y, label] : {std::pair(error, error_label), std::pair(above, above_label)})
    panels += "unset key\n" + panel(reports, "products", y, "products with N and sweeps (number)", label) +
              "set key outside right noenhanced\n" + panel(reports, "seconds", y, "time (s)", label);
  panels += "unset multiplot\n";

  std::string text =
      "set datafile separator ','\nset encoding utf8\nset logscale xy\nset format xy '10^{%L}'\nset grid\n";
  const auto draw = [&](const std::string& terminal, const std::string& ending) {
    text += fmt::format("set terminal {}\nset output '{}.{}'\n{}unset output\n", terminal, reports[0].problem, ending,
                        panels);
  };
  draw("pngcairo size 1400,1000 enhanced", "png");
  draw("svg size 1400,1000 dynamic enhanced", "svg");
  return text;
}

bool run_gnuplot(const std::filesystem::path& directory, const std::string& script) {
  const auto quoted = [](std::string text) {
    for (auto at = text.find('\''); at != std::string::npos; at = text.find('\'', at + 4)) text.replace(at, 1, "'\\''");
    return "'" + text + "'";
  };
  const std::string command =
      fmt::format("cd {} && gnuplot {} >/dev/null 2>&1", quoted(directory.string()), quoted(script));
  return std::system(command.c_str()) == 0;  // NOLINT: a program of the user's machine, with names of the user's own
}

}  // namespace

bool write_convergence_plots(const parallel::Comm& comm, const std::filesystem::path& directory,
                             const std::vector<SolveReport>& reports, problem::Measure measure) {
  if (reports.empty()) return true;
  make_directory(comm, directory);
  for (const SolveReport& report : reports)
    write_file(comm, directory / history_file(report), history_csv(report.history));
  const std::string script = reports[0].problem + ".gp";
  write_file(comm, directory / script, script_of(reports, measure));
  return !comm.any(comm.is_root() && !run_gnuplot(directory, script));
}

}  // namespace scree::io
