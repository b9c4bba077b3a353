#include "scree/io/run_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <iterator>
#include <string_view>

namespace scree::io {

namespace {

volatile std::sig_atomic_t user_signal = 0, end_signal = 0;

void note_user_signal(int) { user_signal = 1; }
void note_end_signal(int) { end_signal = 1; }

void handle(int number, void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(number, &action, nullptr);
}

/// What ranks tell each other, and how many of them do: any may have got a signal, the first alone looks at the clock.
enum Told { told_end_signal, told_user_signal, told_deadline, told_checkpoint, told_count };
constexpr const char* reasons[] = {"SIGTERM", "SIGUSR1", "the time limit"};

}  // namespace

std::optional<std::chrono::system_clock::time_point> end_of_slurm_job() {
  const char* const text = std::getenv("SLURM_JOB_END_TIME");
  if (text == nullptr) return std::nullopt;
  const std::string_view digits = text;
  std::int64_t seconds = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), seconds);
  if (error != std::errc() || stop != digits.data() + digits.size()) return std::nullopt;
  return std::chrono::system_clock::time_point(std::chrono::seconds(seconds));
}

RunSchedule::RunSchedule(const parallel::Comm& comm, const ScheduleOptions& options) : comm_(comm), options_(options) {
  user_signal = 0;
  end_signal = 0;
  handle(SIGUSR1, note_user_signal, SA_RESTART);
  handle(SIGTERM, note_end_signal, SA_RESTART | static_cast<int>(SA_RESETHAND));
}

RunSchedule::~RunSchedule() {
  handle(SIGUSR1, SIG_DFL, 0);
  handle(SIGTERM, SIG_DFL, 0);
}

/// There must be time for one more step, and to write a checkpoint; both may take longer than before.
bool RunSchedule::deadline_is_near() const {
  constexpr auto reserve = std::chrono::seconds(5);
  if (!options_.deadline) return false;
  return std::chrono::system_clock::now() + reserve + 2 * (longest_step_ + longest_checkpoint_) > *options_.deadline;
}

Orders RunSchedule::after_step(std::int64_t step, bool last) {
  const Clock::time_point now = Clock::now();
  longest_step_ = std::max(longest_step_, now - last_event_);
  last_event_ = now;
  const auto interval = options_.checkpoint_interval;
  const bool interval_is_over = interval.count() > 0.0 && now - last_checkpoint_ >= interval;
  std::int64_t told[told_count] = {};
  told[told_user_signal] = user_signal;
  told[told_end_signal] = end_signal;
  told[told_deadline] = comm_.is_root() && deadline_is_near() ? 1 : 0;
  told[told_checkpoint] = comm_.is_root() && interval_is_over ? 1 : 0;
  comm_.sum(told);

  Orders orders{.checkpoint = told[told_checkpoint] > 0, .stop_reason = {}};
  for (std::size_t k = 0; k < std::size(reasons) && !last && orders.stop_reason.empty(); ++k)
    if (told[k] > 0) orders.stop_reason = reasons[k];
  const bool by_steps = options_.checkpoint_steps > 0 && step % options_.checkpoint_steps == 0;
  const bool at_end = last && (options_.checkpoint_steps > 0 || interval.count() > 0.0);
  orders.checkpoint = orders.checkpoint || by_steps || at_end || !orders.stop_reason.empty();
  return orders;
}

void RunSchedule::checkpoint_done() {
  const Clock::time_point now = Clock::now();
  longest_checkpoint_ = std::max(longest_checkpoint_, now - last_event_);
  last_checkpoint_ = last_event_ = now;
}

}  // namespace scree::io
