#include "scree/solvers/monitor.hpp"

#include <chrono>
#include <cmath>

namespace scree::solvers {

using parallel::petsc;

Monitor::Monitor(const problem::ContactProblem& problem, StopRule rule)
    : problem_(problem),
      rule_(rule),
      w_(problem.make_vector()),
      best_(problem.make_vector()),
      start_(std::chrono::steady_clock::now()) {}

bool Monitor::wants_more(Vec x, const std::function<void(Vec)>& fill_w) {
  if (iterations_ % rule_.check_every == 0 || iterations_ == rule_.max_iterations) {
    fill_w(w_);
    judge(x, w_);
  }
  return count();
}

bool Monitor::wants_more(Vec x, Vec w) {
  judge(x, w);
  return count();
}

bool Monitor::count() {
  if (converged_ || iterations_ == rule_.max_iterations) return false;
  ++iterations_;
  return true;
}

void Monitor::judge(Vec x, Vec w) {
  const problem::ErrorMeasures errors = measure_errors(problem_, x, w);
  const double value = value_of(errors, rule_.measure);
  if (value < best_value_) {  // false for NaN
    best_value_ = value;
    best_errors_ = errors;
    petsc(VecCopy(x, best_));
  }
  converged_ = value <= rule_.tolerance;
  if (rule_.keep_history) {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
    history_.push_back({iterations_, problem_.N->applications() + problem_.N->sweeps(), elapsed.count(), errors});
  }
}

void Monitor::finish(Vec x) {
  if (std::isfinite(best_value_)) petsc(VecCopy(best_, x));
}

}  // namespace scree::solvers
