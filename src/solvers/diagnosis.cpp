#include "scree/solvers/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

namespace scree::solvers {

namespace {

constexpr std::string_view try_another =
    "try another solver or, where contacts are redundant or masses differ much, npgs with sweep: symmetric";

/// The first judgement in the second half of the iterations: by then a method shows how it goes on.
const Judgement& half_way(const Monitor& monitor) {
  const auto& trend = monitor.trend();
  return *std::ranges::find_if(trend, [&](const Judgement& j) { return 2 * j.iteration >= monitor.iterations(); });
}

/// The least error among the iterates up to half way.
double least_until_half(const Monitor& monitor) {
  const auto& trend = monitor.trend();
  const int half = half_way(monitor).iteration;
  const auto later = std::ranges::find_if(trend, [half](const Judgement& j) { return j.iteration > half; });
  return std::ranges::min_element(trend.begin(), later, {}, &Judgement::error)->error;
}

/// To two digits, for more would promise too much.
double rounded(double count) {
  const double unit = std::pow(10.0, std::max(0.0, std::floor(std::log10(std::max(count, 1.0))) - 1.0));
  return unit * std::ceil(count / unit);
}

}  // namespace

double iterations_to_go(const Monitor& monitor) {
  if (monitor.converged()) return 0.0;
  const auto& trend = monitor.trend();
  const double before = least_until_half(monitor), now = std::ranges::min(trend, {}, &Judgement::error).error;
  const double gain = std::log(before / now), tolerance = monitor.rule().tolerance;
  if (!(gain > 0.0) || !(tolerance > 0.0)) return std::numeric_limits<double>::infinity();
  return std::log(now / tolerance) / gain * (trend.back().iteration - half_way(monitor).iteration);
}

Diagnosis diagnose(const Monitor& monitor) {
  if (monitor.converged()) return {Ending::converged, "converged"};
  if (!monitor.gave_up_because().empty()) return {Ending::gave_up, monitor.gave_up_because()};
  const auto& trend = monitor.trend();
  const std::string_view measure = name_of(monitor.rule().measure);
  const auto broken = std::ranges::find_if(trend, [](const Judgement& j) { return !std::isfinite(j.error); });
  if (broken != trend.end())
    return {Ending::not_finite,
            fmt::format("the {} error was no finite number at iteration {}: the start or the problem has entries that "
                        "are far too large, or the method blew up; check the input, then try npgs",
                        measure, broken->iteration)};

  const Judgement first = trend.front(), last = trend.back(), half = half_way(monitor);
  const Judgement best = *std::ranges::min_element(trend, {}, &Judgement::error);
  constexpr double far_worse = 10.0;
  const double growth = last.natural_q / std::ranges::min_element(trend, {}, &Judgement::natural_q)->natural_q;
  if (growth > far_worse && last.natural_q >= 0.5 * first.natural_q)
    return {Ending::diverged,
            fmt::format("the method diverges here: at its best the {} error was {:.2g}, at iteration {}, and what "
                        "violates the law grew {:.2g} times since; {}, or a shorter step if the method has one",
                        measure, best.error, best.iteration, growth, try_another)};

  constexpr double hardly_less = 0.8;
  const double before = least_until_half(monitor);
  if (best.error > hardly_less * before)
    return {Ending::stalled,
            fmt::format("the {} error hardly fell after iteration {} and stays at {:.2g}: {}; if all stop there, the "
                        "tolerance may be below what rounding allows, or the problem may have no solution",
                        measure, half.iteration, best.error, try_another)};

  const double tolerance = monitor.rule().tolerance;
  if (!(tolerance > 0.0)) return {Ending::falling, "all iterations were asked for: the tolerance is 0"};
  const double left = iterations_to_go(monitor);
  return {Ending::falling, fmt::format("the {} error still fell, from {:.2g} at iteration {} to {:.2g}: about {:.0f} "
                                       "more iterations would do; raise max_iterations, start warm or {}",
                                       measure, before, half.iteration, best.error, rounded(left), try_another)};
}

}  // namespace scree::solvers
