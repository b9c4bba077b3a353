#pragma once

#include <petscvec.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scree/parallel/petsc.hpp"
#include "scree/problem/contact_problem.hpp"
#include "scree/problem/error_measure.hpp"
#include "scree/solvers/kept_iterate.hpp"

namespace scree::solvers {

struct StopRule {
  problem::Measure measure = problem::Measure::natural;
  double tolerance = 1e-4;  ///< stop when the measure is at most this; 0: run all iterations
  int max_iterations = 1000;
  int check_every = 10;  ///< iterations between evaluations of the measure, for methods that do not have w at hand
  bool keep_history = false;
  bool all_measures = true;  ///< else only `natural`, `natural_q` and the one that stops, which is faster
};

/// What was found of one iterate.
struct Judgement {
  int iteration;
  double error;      ///< by the measure that decides
  double natural_q;  ///< its scale stays the same: it shows when impulses grow without bound
};

/// One line of a solver's history.
struct HistoryEntry {
  int iteration;
  std::int64_t operator_applications;
  double seconds;
  problem::ErrorMeasures errors;
  double objective = 0.0;           ///< 1/2 x.N x + r.x (J)
  std::int64_t active = 0;          ///< faces of admissible sets that x lies on: bounds that are attained
  std::int64_t active_changes = 0;  ///< of these entered or left since the entry before (seed 000 fig. 4)
  /// |v - v_reference|_M / |v_reference|_M; NaN without a reference (seed 000 fig. 3)
  double velocity_error = problem::ErrorMeasures::unknown;
};

/// Stopping, history and the best iterate: what every solver needs and none contains.
///
///     while (monitor.wants_more(x, motion)) { ... improve x ... }
///     monitor.finish(x);
///
/// Methods update velocities along with impulses, and in time these drift apart. So nothing counts as converged before
/// its velocities have been computed anew from the impulses.
class Monitor {
 public:
  /// Where a method takes velocities from: what it keeps up to date, or the impulses alone, to which it then returns.
  enum class From { motion, impulses };
  /// Writes w = N x + r.
  using FillVelocity = std::function<void(Vec w, From from)>;

  Monitor(const problem::ContactProblem& problem, StopRule rule);

  /// Collective. Judges x and tells whether to go on. `fill_w` is called only when the measure is due.
  [[nodiscard]] bool wants_more(Vec x, const FillVelocity& fill_w);

  /// The same for methods that keep the motion of x up to date, which comes back computed anew if that was done.
  [[nodiscard]] bool wants_more(Vec x, problem::Motion& motion);

  /// The same for methods that have w at hand, judged at every iteration; it comes back computed anew if that was done.
  [[nodiscard]] bool wants_more(Vec x, Vec w);

  /// For methods that run others: from now on, `wants_more` also says no when an iterate was judged and `condition`,
  /// the same on all ranks, holds. None: it does not.
  void interrupt_when(std::function<bool()> condition) {
    interruption_ = std::move(condition);
    interrupted_ = false;
  }
  [[nodiscard]] bool interrupted() const { return interrupted_; }

  /// What a method decided and why, for the log. The same on all ranks.
  void note(std::string text);
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

  /// A method that cannot go on says why, in one line with what to try, and ends its loop.
  void give_up(std::string why) { gave_up_because_ = std::move(why); }
  /// Empty: no method gave up.
  [[nodiscard]] const std::string& gave_up_because() const { return gave_up_because_; }

  /// Collective. From now on the history tells how far iterates are from this solution of the problem.
  void compare_with(Vec reference);

  /// Collective. Replaces x by the best iterate that was judged.
  void finish(Vec x);

  /// x <- the best iterate so far; zero before the first was judged.
  void restore_best(Vec x) const { best_.restore(x); }

  [[nodiscard]] bool converged() const { return converged_; }
  [[nodiscard]] int iterations() const { return iterations_; }
  [[nodiscard]] const problem::ErrorMeasures& errors() const { return best_errors_; }
  /// All iterates that were judged.
  [[nodiscard]] const std::vector<Judgement>& trend() const { return trend_; }
  [[nodiscard]] const std::vector<HistoryEntry>& history() const { return history_; }
  [[nodiscard]] const StopRule& rule() const { return rule_; }

 private:
  [[nodiscard]] bool is_due() const;
  [[nodiscard]] bool wants_all_measures() const { return rule_.all_measures || rule_.keep_history; }
  /// `measure` and `compute_anew` know how to do so; w is for the history, if one is kept.
  void judge(Vec x, Vec w, const std::function<problem::ErrorMeasures()>& measure,
             const std::function<void()>& compute_anew);
  [[nodiscard]] problem::ErrorMeasures measure(Vec x, Vec w);
  void record(Vec x, Vec w, const problem::ErrorMeasures& errors);
  /// This rank's numbers of active faces and of those that changed; remembers the faces.
  struct Activity {
    std::int64_t active = 0, changes = 0;
  };
  [[nodiscard]] Activity local_activity(Vec x);
  [[nodiscard]] bool count();
  [[nodiscard]] std::int64_t work() const;

  /// A solution to compare with.
  struct Reference {
    parallel::Vector x, w;
    double energy;  ///< x.N x = |v|_M^2 (J)
  };

  const problem::ContactProblem& problem_;
  StopRule rule_;
  problem::ErrorMeter meter_;
  parallel::Vector w_;  ///< once it is needed
  KeptIterate best_;
  problem::ErrorMeasures best_errors_;
  double best_value_ = std::numeric_limits<double>::infinity();
  std::chrono::steady_clock::time_point start_;
  std::int64_t work_before_;  ///< products and sweeps of the operator when the solve began
  int iterations_ = 0;
  bool converged_ = false;
  std::function<bool()> interruption_;
  bool interrupted_ = false;
  std::vector<std::string> notes_;
  std::string gave_up_because_;
  std::vector<Judgement> trend_;
  std::vector<HistoryEntry> history_;
  std::vector<problem::ActiveFace> faces_;  ///< of the iterate that was judged last; kept for the history only
  std::optional<Reference> reference_;
};

}  // namespace scree::solvers
