#include "scree/io/run_log.hpp"

#include <fmt/format.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>

#include "scree/version.hpp"

namespace scree::io {

namespace {

constexpr const char* titles =
    "    step         time      bodies    contacts  iterations    residual  penetration  kinetic energy      s/step\n"
    "                    s                                                            m               J           s";

std::string spread_text(const dynamics::Spread& spread) {
  return fmt::format("{} min, {:.1f} avg, {} max", spread.min, spread.avg, spread.max);
}

std::string decomposition_text(const Scene& scene, int ranks) {
  if (ranks == 1) return "one domain";
  const dynamics::BalanceOptions& balance = scene.balance;
  std::string when = "never rebalanced";
  if (balance.when == dynamics::Rebalance::periodic) when = fmt::format("rebalanced every {} steps", balance.period);
  if (balance.when == dynamics::Rebalance::by_imbalance)
    when = fmt::format("rebalanced above imbalance {}", balance.threshold);
  return fmt::format("{} subdomains, one per rank, by {}, {}; sweeps coupled by {}", ranks, balance.partitioner, when,
                     problem::name_of(scene.solver.sweeps.coupling));
}

/// A line between those of the steps.
std::string rebalance_line(std::int64_t step, const dynamics::RebalanceReport& rebalance) {
  return fmt::format(
      "rebalance in step {}: imbalance {:.3f} -> {:.3f}, {} bodies moved, edge cut {} -> {}, ghosts {}, {:.4f} s", step,
      rebalance.before.imbalance, rebalance.after.imbalance, rebalance.moved_bodies, rebalance.before.edge_cut,
      rebalance.after.edge_cut, spread_text(rebalance.ghosts), rebalance.seconds);
}

double seconds_between(std::chrono::steady_clock::time_point start, std::chrono::steady_clock::time_point end) {
  return std::chrono::duration<double>(end - start).count();
}

}  // namespace

RunLog::RunLog(const parallel::Comm& comm, const Scene& scene, const std::filesystem::path& file, bool resumed)
    : comm_(comm), scene_(scene), file_(file), start_(Clock::now()), last_drawn_(start_), last_line_(start_) {
  parallel::all_or_none(comm, [&] {
    if (!comm.is_root()) return;
    const auto to_stdout = std::make_shared<spdlog::sinks::stdout_sink_st>();
    const auto to_file = std::make_shared<spdlog::sinks::basic_file_sink_st>(file.string(), !resumed);
    logger_ = std::make_shared<spdlog::logger>("run", spdlog::sinks_init_list{to_stdout, to_file});
    logger_->set_pattern("%v");
    logger_->flush_on(spdlog::level::info);  // so that a run can be watched
    logger_->set_error_handler([this](const std::string& what) { failure_ = what; });
    shows_progress_ = ::isatty(STDERR_FILENO) != 0;
  });
}

RunLog::~RunLog() { clear_progress(); }

void RunLog::header(const dynamics::Simulation& simulation) {
  const std::string owned = spread_text(simulation.owned_spread());
  const std::string ghosts = spread_text(simulation.ghost_spread());
  const dynamics::PartitionQuality partition = simulation.partition_quality();
  const dynamics::SolverChoice& solver = scene_.solver;
  say(fmt::format("Scree {}", version));
  say(fmt::format("scene           {} ({})", scene_.name, scene_.file));
  say(fmt::format("ranks           {}", comm_.size()));
  say(fmt::format("decomposition   {}", decomposition_text(scene_, comm_.size())));
  say(fmt::format("bodies          {} in all; per rank {}", scene_.body_count, owned));
  say(fmt::format("ghosts          per rank {}", ghosts));
  say(fmt::format("partition       imbalance {:.3f}, edge cut {}", partition.imbalance, partition.edge_cut));
  say(fmt::format("walls           {}", scene_.walls.size()));
  if (!scene_.sources.empty()) say(fmt::format("sources         {}", scene_.sources.size()));
  if (!scene_.sinks.empty()) say(fmt::format("sinks           {}", scene_.sinks.size()));
  if (!scene_.joints.empty()) say(fmt::format("joints          {}", scene_.joints.size()));
  say(fmt::format("solver          {}, law {}, tolerance {}, at most {} iterations", solver.name,
                  problem::name_of(solver.law), solver.stop.tolerance, solver.stop.max_iterations));
  for (const model::MaterialPair& pair : scene_.material_pairs)
    if (pair.surface.law)
      say(fmt::format("                between {} and {}: {}", scene_.materials[static_cast<std::size_t>(pair.a)].name,
                      scene_.materials[static_cast<std::size_t>(pair.b)].name, problem::name_of(*pair.surface.law)));
  say(fmt::format("time            {} steps of {} s", scene_.steps, scene_.step.step));
  if (const auto made = simulation.steps_made(); made > 0) say(fmt::format("resumed         after step {}", made));
  last_line_step_ = simulation.steps_made();
  say("");
  say(titles);
  last_line_ = Clock::now();
}

void RunLog::step(const dynamics::StepReport& report) {
  if (!comm_.is_root()) return;
  draw_progress(report);
  if (report.rebalance) say(rebalance_line(report.step, *report.rebalance));
  say_decisions(report);
  const bool last = report.step == scene_.steps;
  if (!last && report.step % scene_.output.log_every != 0) return;
  const auto now = Clock::now();
  const double seconds_per_step =
      seconds_between(last_line_, now) / static_cast<double>(std::max<std::int64_t>(1, report.step - last_line_step_));
  say(fmt::format("{:8d} {:12.6g} {:11d} {:11d} {:11d} {:11.3e} {:12.3e} {:15.6e} {:11.4g}", report.step, report.time,
                  report.bodies, report.contacts, report.iterations, report.residual, report.max_penetration,
                  report.kinetic_energy, seconds_per_step));
  last_line_ = now;
  last_line_step_ = report.step;
}

void RunLog::say_decisions(const dynamics::StepReport& report) {
  std::string decisions;  // what was decided, without the figures that lead to it
  for (const std::string& note : report.notes) decisions += note.substr(0, note.find(','));
  if (decisions == decisions_) return;
  for (const std::string& note : report.notes) say(fmt::format("step {}: {}", report.step, note));
  decisions_ = decisions;
}

void RunLog::finish(const RunSummary& summary) {
  clear_progress();
  say("");
  say("phase             min (s)     avg (s)     max (s)   share  waiting     messages        bytes");
  for (const auto& phase : summary.phases) {
    const double share = summary.seconds > 0.0 ? 100.0 * phase.avg / summary.seconds : 0.0;
    const double waiting = phase.avg > 0.0 ? 100.0 * phase.traffic.waiting / phase.avg : 0.0;
    say(fmt::format("{:<14} {:10.4f}  {:10.4f}  {:10.4f}  {:5.1f} %  {:5.1f} %  {:11}  {:11}", phase.name, phase.min,
                    phase.avg, phase.max, share, waiting, phase.traffic.messages, phase.traffic.bytes));
  }
  say(fmt::format("{:<14} {:>10}  {:>10}  {:10.4f}  {:5.1f} %", "total", "", "", summary.seconds, 100.0));
  say("");
  say(fmt::format("{} steps, {} iterations, {:.4g} million contact updates a second in the solver", summary.steps,
                  summary.iterations, 1e-6 * summary.contact_updates_per_second()));
  if (const auto others = summary.steps - summary.converged_steps; others > 0)
    say(fmt::format("{} steps did not reach the tolerance. The last of them: {}", others, summary.reason));
  for (const FlowSummary& source : summary.sources)
    say(fmt::format("source {}: {} bodies, {:.6g} kg, {} more wait for room", source.name, source.tally.bodies,
                    source.tally.mass, source.waiting));
  for (const FlowSummary& sink : summary.sinks)
    say(fmt::format("sink {}: {} bodies, {:.6g} kg", sink.name, sink.tally.bodies, sink.tally.mass));
  say(fmt::format("{} messages, {} bytes between ranks", summary.messages, summary.bytes));
  const double memory = summary.peak_memory.avg * summary.ranks;
  say(fmt::format("{:.4g} MB of memory at most on a rank; in all {:.4g} MB, {:.4g} kB a body",
                  1e-6 * static_cast<double>(summary.peak_memory.max), 1e-6 * memory,
                  1e-3 * memory / static_cast<double>(std::max<std::int64_t>(1, summary.last.bodies))));
  say_throughput("output", summary.written.output_bytes, summary.seconds_of("output"));
  say_throughput("checkpoints", summary.written.checkpoint_bytes, summary.seconds_of("checkpoint"));
  parallel::all_or_none(comm_, [&] {
    if (!failure_.empty()) throw std::runtime_error(fmt::format("{}: {}", file_.string(), failure_));
  });
}

void RunLog::say_throughput(const std::string& what, std::int64_t bytes, double seconds) {
  if (bytes == 0) return;
  const double megabytes = 1e-6 * static_cast<double>(bytes);
  say(fmt::format("{:.4g} MB of {} written in {:.4g} s, {:.4g} MB/s", megabytes, what, seconds,
                  seconds > 0.0 ? megabytes / seconds : 0.0));
}

void RunLog::say(const std::string& line) {
  if (!logger_) return;
  clear_progress();
  logger_->info(line);
}

void RunLog::draw_progress(const dynamics::StepReport& report) {
  constexpr double refresh_interval = 0.2;
  constexpr int bar_width = 40;
  const auto now = Clock::now();
  if (!shows_progress_ || seconds_between(last_drawn_, now) < refresh_interval) return;
  last_drawn_ = now;
  const double done = static_cast<double>(report.step) / static_cast<double>(std::max<std::int64_t>(1, scene_.steps));
  const double left = seconds_between(start_, now) * (1.0 / std::max(done, 1e-9) - 1.0);
  const int filled = std::clamp(static_cast<int>(done * bar_width), 0, bar_width);
  fmt::print(stderr, "\r\033[K[{}{}] {:3.0f} %  {:.0f} s left", std::string(filled, '#'),
             std::string(bar_width - filled, ' '), 100.0 * done, left);
  std::fflush(stderr);
  progress_is_drawn_ = true;
}

void RunLog::clear_progress() {
  if (!progress_is_drawn_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  progress_is_drawn_ = false;
}

}  // namespace scree::io
