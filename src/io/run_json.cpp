#include "scree/io/run_json.hpp"

#include <algorithm>

#include "scree/io/atomic_file.hpp"
#include "scree/io/json.hpp"
#include "scree/parallel/memory.hpp"
#include "scree/version.hpp"

namespace scree::io {

double RunSummary::seconds_of(const std::string& phase) const {
  const auto found = std::ranges::find(phases, phase, &parallel::PhaseTimer::Spread::name);
  return found == phases.end() ? 0.0 : found->max;
}

double RunSummary::contact_updates_per_second() const {
  const double seconds_solving = seconds_of("solve");
  return seconds_solving > 0.0 ? static_cast<double>(contact_updates) / seconds_solving : 0.0;
}

void RunTally::add(const dynamics::StepReport& report) {
  ++steps_;
  if (report.converged) {
    ++converged_steps_;
  } else {
    reason_ = report.reason;
  }
  if (!report.rebalance) return;
  ++rebalances_;
  moved_bodies_ += report.rebalance->moved_bodies;
  rebalance_seconds_ += report.rebalance->seconds;
}

std::string rebalance_text(const dynamics::BalanceOptions& options) {
  switch (options.when) {
    case dynamics::Rebalance::off:
      return "off";
    case dynamics::Rebalance::periodic:
      return std::to_string(options.period);
    case dynamics::Rebalance::by_imbalance:
      break;
  }
  return "imbalance";
}

namespace {

std::vector<FlowSummary> summarise_sources(const dynamics::Simulation& simulation) {
  const dynamics::Flow& flow = simulation.flow();
  const double time = static_cast<double>(simulation.steps_made()) * simulation.options().step;
  std::vector<FlowSummary> all;
  for (std::size_t k = 0; k < flow.sources().size(); ++k)
    all.push_back({flow.sources()[k].name, flow.state().sources[k], flow.waiting(k, time)});
  return all;
}

std::vector<FlowSummary> summarise_sinks(const dynamics::Simulation& simulation) {
  const dynamics::Flow& flow = simulation.flow();
  std::vector<FlowSummary> all;
  for (std::size_t k = 0; k < flow.sinks().size(); ++k) all.push_back({flow.sinks()[k].name, flow.state().sinks[k], 0});
  return all;
}

}  // namespace

RunSummary RunTally::summarise(const parallel::Comm& comm, const Scene& scene, dynamics::Simulation& simulation,
                               double seconds, const Written& written) const {
  const parallel::Traffic traffic = comm.traffic();
  return {.version = std::string(version),
          .scene = scene.name,
          .solver = scene.solver.name,
          .law = std::string(problem::name_of(scene.solver.law)),
          .ranks = comm.size(),
          .steps = steps_,
          .converged_steps = converged_steps_,
          .reason = reason_,
          .last = simulation.report(),
          .sources = summarise_sources(simulation),
          .sinks = summarise_sinks(simulation),
          .seconds = comm.max(seconds),
          .phases = simulation.timer().over_ranks(),
          .iterations = simulation.total_iterations(),
          .contact_updates = simulation.contact_updates(),
          .balance = scene.balance,
          .partition = simulation.partition_quality(),
          .ghosts = simulation.ghost_spread(),
          .rebalances = rebalances_,
          .moved_bodies = moved_bodies_,
          .rebalance_seconds = rebalance_seconds_,
          .messages = comm.sum(traffic.messages),
          .bytes = comm.sum(traffic.bytes),
          .peak_memory = dynamics::spread_of(comm, parallel::peak_memory()),
          .written = {comm.sum(written.output_bytes), comm.sum(written.checkpoint_bytes)}};
}

namespace {

void write_spread(JsonWriter& json, const std::string& key, const dynamics::Spread& spread) {
  json.key(key);
  json.begin_object();
  json.field("min", spread.min);
  json.field("avg", spread.avg);
  json.field("max", spread.max);
  json.end_object();
}

void write_throughput(JsonWriter& json, const std::string& key, std::int64_t bytes, double seconds) {
  json.key(key);
  json.begin_object();
  json.field("bytes", bytes);
  json.field("bytes_per_second", seconds > 0.0 ? static_cast<double>(bytes) / seconds : 0.0);
  json.end_object();
}

void write_flow(JsonWriter& json, const std::string& key, const std::vector<FlowSummary>& all, bool has_waiting) {
  json.key(key);
  json.begin_array();
  for (const FlowSummary& one : all) {
    json.begin_object();
    json.field("name", one.name);
    json.field("bodies", one.tally.bodies);
    json.field("mass", one.tally.mass);
    if (has_waiting) json.field("waiting", one.waiting);
    json.end_object();
  }
  json.end_array();
}

void write_decomposition(JsonWriter& json, const RunSummary& summary) {
  json.key("decomposition");
  json.begin_object();
  json.field("partitioner", summary.balance.partitioner);
  json.field("rebalance", rebalance_text(summary.balance));
  json.field("threshold", summary.balance.threshold);
  json.field("rebalances", summary.rebalances);
  json.field("moved_bodies", summary.moved_bodies);
  json.field("rebalance_seconds", summary.rebalance_seconds);
  json.field("imbalance", summary.partition.imbalance);
  json.field("edge_cut", summary.partition.edge_cut);
  write_spread(json, "ghosts", summary.ghosts);
  json.end_object();
}

}  // namespace

std::string to_json(const RunSummary& summary) {
  JsonWriter json;
  json.begin_object();
  json.field("version", summary.version);
  json.field("scene", summary.scene);
  json.field("solver", summary.solver);
  json.field("law", summary.law);
  json.field("ranks", summary.ranks);
  json.field("steps", summary.steps);
  json.field("time", summary.last.time);
  json.field("bodies", summary.last.bodies);
  json.field("contacts", summary.last.contacts);
  json.field("joints", summary.last.joints);
  json.field("max_penetration", summary.last.max_penetration);
  json.field("max_joint_gap", summary.last.max_joint_gap);
  json.field("kinetic_energy", summary.last.kinetic_energy);
  json.field("momentum", std::span<const double>(summary.last.momentum.data(), 3));
  json.field("lost_bodies", summary.last.lost_bodies);
  write_flow(json, "sources", summary.sources, true);
  write_flow(json, "sinks", summary.sinks, false);
  json.field("residual", summary.last.residual);
  json.field("converged_steps", summary.converged_steps);
  json.field("reason", summary.reason);
  json.key("seconds");
  json.begin_object();
  json.field("total", summary.seconds);
  for (const auto& phase : summary.phases) {
    json.key(phase.name);
    json.begin_object();
    json.field("min", phase.min);
    json.field("avg", phase.avg);
    json.field("max", phase.max);
    json.end_object();
  }
  json.end_object();
  json.key("traffic");
  json.begin_object();
  for (const auto& phase : summary.phases) {
    json.key(phase.name);
    json.begin_object();
    json.field("messages", phase.traffic.messages);
    json.field("bytes", phase.traffic.bytes);
    json.field("reductions", phase.traffic.reductions);
    json.field("waiting", phase.traffic.waiting);
    json.end_object();
  }
  json.end_object();
  json.field("stages", summary.last.stages);
  json.field("seconds_per_step", summary.steps > 0 ? summary.seconds / static_cast<double>(summary.steps) : 0.0);
  json.field("contact_updates", summary.contact_updates);
  json.field("contact_updates_per_second", summary.contact_updates_per_second());
  json.field("iterations", summary.iterations);
  write_decomposition(json, summary);
  json.field("messages", summary.messages);
  json.field("bytes", summary.bytes);
  write_spread(json, "peak_memory", summary.peak_memory);
  write_throughput(json, "output", summary.written.output_bytes, summary.seconds_of("output"));
  write_throughput(json, "checkpoints", summary.written.checkpoint_bytes, summary.seconds_of("checkpoint"));
  json.end_object();
  return json.text();
}

void write_json(const parallel::Comm& comm, const std::filesystem::path& file, const RunSummary& summary) {
  write_file(comm, file, to_json(summary));
}

}  // namespace scree::io
