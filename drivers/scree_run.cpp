// scree-run: computes how the bodies of a scene move.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <optional>
#include <ratio>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "command_line.hpp"
#include "scree/dynamics/simulation.hpp"
#include "scree/io/atomic_file.hpp"
#include "scree/io/checkpoint.hpp"
#include "scree/io/fclib.hpp"
#include "scree/io/measurements.hpp"
#include "scree/io/program.hpp"
#include "scree/io/results.hpp"
#include "scree/io/run_json.hpp"
#include "scree/io/run_log.hpp"
#include "scree/io/run_schedule.hpp"
#include "scree/io/scene.hpp"
#include "scree/parallel/error.hpp"

namespace {

using namespace scree;

struct Options {
  std::string scene;
  std::string out;
  std::string json;
  std::vector<std::string> dumps;
  std::string restart;
  double time_limit = 0.0;  ///< min; 0: none
  bool dry_run = false;
  std::vector<io::Override> overrides;
};

// Options that stand for one key of the scene.
struct Shorthand {
  const char* option;
  const char* key;
  const char* help;
};
constexpr Shorthand shorthands[] = {
    {"--steps", "time.steps", "time steps to make"},
    {"--solver", "solver.name", "solver of the contact problems (see --list)"},
    {"--tolerance", "solver.tolerance", "residual at which a step is solved"},
    {"--max-iterations", "solver.max_iterations", "iterations a step at most"},
    {"--output-every", "output.every", "steps between outputs, 0: only the final state"},
    {"--checkpoint-every", "output.checkpoint_every", "steps between checkpoints, 0: none"},
    {"--checkpoint-minutes", "output.checkpoint_minutes", "wall time between checkpoints, 0: none"},
};

/// Reads the command line. Nothing: all is done already (help, version, list).
std::optional<Options> parse(const parallel::Comm& comm, const io::Arguments& arguments) {
  Options options;
  std::vector<std::string> assignments;
  std::vector<std::string> given(std::size(shorthands));
  CLI::App app("Computes how the rigid bodies of a scene move. What follows -- goes to PETSc.", "scree-run");
  auto* scene = app.add_option("SCENE", options.scene, "scene file (YAML, see docs/scenes.md)");
  app.add_option("--out", options.out, "directory of the results [results/<scene name>]");
  for (std::size_t k = 0; k < given.size(); ++k) {
    app.add_option(shorthands[k].option, given[k], shorthands[k].help);
  }
  app.add_option("--set", assignments, "key.path=value: replaces a value of the scene, may be repeated")
      ->take_all()
      ->expected(1);
  app.add_option("--json", options.json, "file for the numbers of the run");
  app.add_option("--dump-problem", options.dumps,
                 "STEP:FILE: write the contact problem of a step as FCLIB HDF5, may be repeated")
      ->take_all()
      ->expected(1);
  app.add_option("--restart", options.restart, "go on from this checkpoint; auto: from the newest good one, if any");
  app.add_option("--time-limit", options.time_limit,
                 "minutes after which to stop with a checkpoint [the end of the SLURM job, if it is known]")
      ->check(CLI::PositiveNumber);
  app.add_flag("--dry-run", options.dry_run, "judge the scene and print what a run would compute, without its bodies");
  if (!parse_command_line(comm, app, arguments)) return std::nullopt;
  if (scene->empty()) throw InputError("SCENE is required: see scree-run --help");
  for (const std::string& assignment : assignments) options.overrides.push_back(io::parse_override(assignment));
  for (std::size_t k = 0; k < given.size(); ++k) {
    if (app.get_option(shorthands[k].option)->empty()) continue;
    options.overrides.push_back({shorthands[k].key, given[k], fmt::format("{} {}", shorthands[k].option, given[k])});
  }
  return options;
}

/// The checkpoint that the user asks for.
std::optional<io::Checkpoint> find_checkpoint(const parallel::Comm& comm, const std::string& restart,
                                              const io::CheckpointSeries& series) {
  if (restart.empty()) return std::nullopt;
  return restart == "auto" ? series.read_newest(comm) : io::read_checkpoint(comm, restart);
}

/// Has the problems that each STEP:FILE asks for written when the simulation comes to those steps.
void dump_problems(const parallel::Comm& comm, const std::vector<std::string>& requests,
                   dynamics::Simulation& simulation, std::int64_t last_step) {
  std::vector<io::ProblemDump> dumps;
  for (const std::string& request : requests) {
    dumps.push_back(io::parse_problem_dump(request, simulation.report().step + 1, last_step));
    io::require_writable_file(comm, dumps.back().file);
  }
  simulation.watch_problems([&comm, dumps](std::int64_t step, const dynamics::StepProblem& problem) {
    for (const io::ProblemDump& dump : dumps) {
      if (step != dump.step) continue;
      io::make_directory(comm, std::filesystem::absolute(dump.file).parent_path());
      io::write_global_problem(comm, dump.file, problem);
    }
  });
}

/// What is known of a run before any of its bodies is made.
void print_counts(const parallel::Comm& comm, const io::Scene& scene) {
  if (!comm.is_root()) return;
  const std::int64_t ranks = comm.size();
  fmt::print("scene   {}\nbodies  {} in all; per rank at most {} at the start\n", scene.name, scene.body_count,
             (scene.body_count + ranks - 1) / ranks);
  for (const io::Fill& fill : scene.fills) {
    const bool is_random = fill.lattice == io::Fill::Lattice::random;
    fmt::print("fill    {} bodies, {}\n", fill.count,
               is_random ? "at random" : fmt::format("{} would fit", io::FillSites(fill).capacity()));
  }
  for (const io::FileFill& fill : scene.files) fmt::print("file    {} bodies in {}\n", fill.count, fill.file.string());
  for (const dynamics::Source& source : scene.sources)
    fmt::print("source  {}: {:.6g} {} a second\n", source.name, source.rate, source.by_mass ? "kg" : "bodies");
  fmt::print("walls   {}\nsteps   {} of {:.6g} s\n", scene.walls.size(), scene.steps, scene.step.step);
}

bool holds_bodies_together(const io::Scene& scene) {
  const model::SurfaceTable surfaces(scene.materials, scene.material_pairs);
  return !scene.joints.empty() || dynamics::laws_of_run(scene.solver.law, surfaces).contains(model::Law::bilateral);
}

io::ScheduleOptions schedule_options(const Options& options, const io::Scene& scene) {
  io::ScheduleOptions schedule{
      .checkpoint_steps = scene.output.checkpoint_every,
      .checkpoint_interval = std::chrono::duration<double, std::ratio<60>>(scene.output.checkpoint_minutes),
      .deadline = io::end_of_slurm_job()};
  using Clock = std::chrono::system_clock;
  const std::chrono::duration<double, std::ratio<60>> limit(options.time_limit);
  if (options.time_limit > 0.0) schedule.deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(limit);
  return schedule;
}

/// The steps of a run with all that is written after them.
struct Run {
  const parallel::Comm& comm;
  const io::Scene& scene;
  const io::CheckpointSeries& checkpoints;
  dynamics::Simulation& simulation;
  io::Results& results;
  io::Measurements& measurements;
  io::RunLog& log;
  io::RunTally tally;
  std::int64_t checkpoint_bytes = 0;  ///< of this rank

  /// Until the last step, or until the run must stop: returns why.
  std::string go(const io::ScheduleOptions& options) {
    io::RunSchedule schedule(comm, options);
    write([&] { results.write_if_due(simulation, simulation.report(), scene.steps == 0); });
    if (simulation.steps_made() == 0) write([&] { measurements.after_step(simulation, simulation.report()); });
    while (simulation.steps_made() < scene.steps) {
      const dynamics::StepReport report = step();
      const bool last = report.step == scene.steps;
      tally.add(report);
      log.step(report);
      write([&] { results.write_if_due(simulation, report, last); });
      write([&] { measurements.after_step(simulation, report); });
      const io::Orders orders = schedule.after_step(report.step, last);
      if (orders.checkpoint) {
        const auto scope = simulation.timer().measure("checkpoint");
        write([&] { checkpoint_bytes += checkpoints.write(comm, simulation, scene.text, measurements.crossings()); });
        schedule.checkpoint_done();
      }
      if (orders.stop_reason.empty()) continue;
      log.note(fmt::format("stopped by {} after step {}: go on with --restart auto", orders.stop_reason, report.step));
      return orders.stop_reason;
    }
    return "";
  }

  /// A state that must not go on is kept to be looked at.
  dynamics::StepReport step() {
    try {
      return simulation.step();
    } catch (const StateError&) {
      write([&] { results.write_failed(simulation); });
      throw;
    }
  }

  /// What cannot be written ends the run, or not, as the scene has it.
  template <typename Writer>
  void write(Writer&& writer) {
    try {
      writer();
    } catch (const std::runtime_error& error) {
      if (scene.output.stop_on_error) throw;
      log.note(fmt::format("warning: {}", error.what()));
    }
  }
};

int run(const parallel::Comm& comm, const io::Arguments& arguments) {
  const auto options = parse(comm, arguments);
  if (!options) return 0;
  const io::Scene scene = io::load_scene(comm, options->scene, options->overrides);
  if (options->dry_run) {
    print_counts(comm, scene);
    return 0;
  }
  const std::filesystem::path out = options->out.empty() ? "results/" + scene.name : options->out;
  io::require_writable(comm, out);
  if (!options->json.empty()) io::require_writable_file(comm, options->json);
  const io::CheckpointSeries checkpoints(out / "checkpoints");
  std::optional<io::Checkpoint> checkpoint = find_checkpoint(comm, options->restart, checkpoints);
  const std::vector<double> crossings = checkpoint ? checkpoint->crossings : std::vector<double>();
  dynamics::Simulation simulation(comm, io::make_setup(comm, scene, std::move(checkpoint)));
  if (!options->dumps.empty() && holds_bodies_together(scene))
    throw InputError(
        fmt::format("--dump-problem {}: FCLIB files know neither joints nor bilateral contacts: take a scene without",
                    options->dumps.front()));
  if (!options->dumps.empty()) dump_problems(comm, options->dumps, simulation, scene.steps);

  io::Results results(comm, scene, out, simulation.steps_made());
  io::Measurements measurements(comm, scene.measurements, out, simulation, crossings);
  io::RunLog log(comm, scene, out / "run.log", simulation.steps_made() > 0);
  log.header(simulation);
  const auto start = std::chrono::steady_clock::now();
  Run course{comm, scene, checkpoints, simulation, results, measurements, log, {}, 0};
  const std::string stopped = course.go(schedule_options(*options, scene));
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;

  const io::Written written{results.bytes_written(), course.checkpoint_bytes};
  const io::RunSummary summary = course.tally.summarise(comm, scene, simulation, elapsed.count(), written);
  log.finish(summary);
  if (!stopped.empty()) return io::interrupted;
  if (!options->json.empty()) io::write_json(comm, options->json, summary);
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return scree::io::run_program("scree-run", argc, argv, run); }
