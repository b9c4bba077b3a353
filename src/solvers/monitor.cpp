#include "scree/solvers/monitor.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace scree::solvers {

using parallel::petsc;

Monitor::Monitor(const problem::ContactProblem& problem, StopRule rule)
    : problem_(problem), rule_(rule), meter_(problem), start_(std::chrono::steady_clock::now()), work_before_(work()) {}

std::int64_t Monitor::work() const { return problem_.N->applications() + problem_.N->sweeps(); }

bool Monitor::is_due() const { return iterations_ % rule_.check_every == 0 || iterations_ == rule_.max_iterations; }

bool Monitor::wants_more(Vec x, const FillVelocity& fill_w) {
  if (is_due()) {
    if (w_ == nullptr) w_ = problem_.make_vector();
    fill_w(w_, From::motion);
    judge(
        x, w_, [&] { return measure(x, w_); }, [&] { fill_w(w_, From::impulses); });
  }
  return count();
}

bool Monitor::wants_more(Vec x, problem::Motion& motion) {
  const problem::ContactOperator& N = *problem_.N;
  if (wants_all_measures() || !is_natural(rule_.measure))
    return wants_more(x, [&](Vec w, From from) {
      if (from == From::impulses) N.set_motion(x, motion);
      N.contact_velocity(x, motion, problem_.r, w);
    });
  if (is_due())
    judge(
        x, nullptr, [&] { return meter_.natural(x, motion); }, [&] { N.set_motion(x, motion); });
  return count();
}

bool Monitor::wants_more(Vec x, Vec w) {
  judge(
      x, w, [&] { return measure(x, w); },
      [&] {
        problem_.N->apply(x, w);
        petsc(VecAXPY(w, 1.0, problem_.r));
      });
  return count();
}

problem::ErrorMeasures Monitor::measure(Vec x, Vec w) {
  return wants_all_measures() ? meter_.all(x, w) : meter_.one(x, w, rule_.measure);
}

void Monitor::note(std::string text) { notes_.push_back(std::move(text)); }

bool Monitor::count() {
  if (converged_ || interrupted_ || iterations_ == rule_.max_iterations) return false;
  ++iterations_;
  return true;
}

void Monitor::judge(Vec x, Vec w, const std::function<problem::ErrorMeasures()>& measure,
                    const std::function<void()>& compute_anew) {
  problem::ErrorMeasures errors = measure();
  if (value_of(errors, rule_.measure) <= rule_.tolerance) {  // or is it only that velocities have drifted?
    compute_anew();
    errors = measure();
  }
  const double value = value_of(errors, rule_.measure);
  trend_.push_back({iterations_, value, errors.natural_q});
  if (value < best_value_) {  // false for NaN
    best_value_ = value;
    best_errors_ = errors;
    best_.keep(x);
  }
  converged_ = value <= rule_.tolerance;
  if (rule_.keep_history) record(x, w, errors);
  interrupted_ = interruption_ && interruption_();
}

void Monitor::record(Vec x, Vec w, const problem::ErrorMeasures& errors) {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  HistoryEntry entry{iterations_, work() - work_before_, elapsed.count(), errors};
  const Activity activity = local_activity(x);
  {
    const parallel::ReadArray impulse(x), velocity(w), r(problem_.r);
    double work = 0.0;  // 1/2 x.N x + r.x = 1/2 x.(w + r)
    for (int k = 0; k < impulse.size(); ++k) work += 0.5 * impulse[k] * (velocity[k] + r[k]);
    double sums[3] = {work, static_cast<double>(activity.active), static_cast<double>(activity.changes)};
    problem_.N->comm().sum(sums);
    entry.objective = sums[0];
    entry.active = std::llround(sums[1]);
    entry.active_changes = std::llround(sums[2]);
  }
  if (reference_) {  // |v - v_ref|_M^2 = dx.N dx = dx.dw
    const parallel::ReadArray at(x), velocity(w), there(reference_->x), reference(reference_->w);
    double sum = 0.0;
    for (int k = 0; k < at.size(); ++k) sum += (at[k] - there[k]) * (velocity[k] - reference[k]);
    entry.velocity_error = std::sqrt(std::max(0.0, problem_.N->comm().sum(sum)) / reference_->energy);
  }
  // A method that takes over judges the iterate that it starts from once more.
  if (!history_.empty() && history_.back().iteration == entry.iteration) history_.pop_back();
  history_.push_back(entry);
}

Monitor::Activity Monitor::local_activity(Vec x) {
  const parallel::ReadArray at(x);
  const bool first = history_.empty();
  faces_.resize(static_cast<std::size_t>(at.size()) / 3);
  Activity activity;
  for (std::size_t k = 0; k < faces_.size(); ++k) {
    const auto block = static_cast<int>(k);
    const problem::ActiveFace now = problem_.K[block].active_face(model::Vec3(at.data() + 3 * block));
    for (std::size_t c = 0; c < 3; ++c) {
      if (now[c] != 0) ++activity.active;
      if (!first && now[c] != faces_[k][c]) ++activity.changes;
    }
    faces_[k] = now;
  }
  return activity;
}

void Monitor::compare_with(Vec solution) {
  Reference reference{problem_.make_vector(), problem_.make_vector(), 0.0};
  petsc(VecCopy(solution, reference.x));
  problem_.N->apply(solution, reference.w);
  petsc(VecDot(reference.x, reference.w, &reference.energy));
  petsc(VecAXPY(reference.w, 1.0, problem_.r));
  reference_ = std::move(reference);
}

void Monitor::finish(Vec x) {
  if (std::isfinite(best_value_)) best_.restore(x);
}

}  // namespace scree::solvers
