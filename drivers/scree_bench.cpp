// scree-bench: the speed of Scree's kernels against the memory of the machine, measured in the same run.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "scree/io/atomic_file.hpp"
#include "scree/io/json.hpp"
#include "scree/io/program.hpp"
#include "scree/parallel/error.hpp"
#include "scree_bench/kernels.hpp"
#include "scree_bench/machine.hpp"

namespace {

using namespace scree;
using bench::Kernel;
using bench::Work;

struct Options {
  std::vector<std::int64_t> sizes = {16'000, 128'000, 1'000'000};
  std::vector<std::string> kernels;  ///< none: all
  double budget = 0.4;               ///< for each kernel and size (s)
  int passes = 0;                    ///< exactly so many, and nothing of the machine is measured; 0: by the budget
  std::string file;
};

struct Machine {
  double triad = 0.0;    ///< GB/s
  double gathers = 0.0;  ///< cache lines a second
};

struct Result {
  std::string name;
  std::int64_t contacts;
  std::int64_t updates;
  double updates_per_second;
  double bytes_per_update;
  double roofline_share;
};

/// Collective. A function of its own, so that a profiler can count what happens inside of it only.
[[gnu::noinline]] double seconds_of_passes(const parallel::Comm& comm, const Options& options, const Work& work) {
  const std::function<double()> clock = work.clock ? work.clock : bench::wall_clock;
  if (options.passes == 0) return bench::best_seconds(comm, options.budget, work.pass, clock);
  const double start = clock();
  for (int k = 0; k < options.passes; ++k) work.pass();
  return comm.max(clock() - start) / options.passes;
}

std::optional<Result> measure(const parallel::Comm& comm, const Options& options, const Machine& machine,
                              const Kernel& kernel, std::int64_t contacts) {
  const std::optional<Work> work = kernel.prepare(comm, contacts);
  if (!work) return std::nullopt;
  const double rate = static_cast<double>(work->updates) / seconds_of_passes(comm, options, *work);
  const double share = machine.triad > 0.0 ? rate * work->bytes / (machine.triad * 1e9) : 0.0;
  return Result{kernel.name, work->contacts, work->updates, rate, work->bytes, share};
}

std::string to_json(int ranks, const Machine& machine, const std::vector<Result>& results) {
  io::JsonWriter json;
  json.begin_object();
  json.field("ranks", ranks);
  json.field("triad_gb_per_s", machine.triad);
  json.field("gathers_per_second", machine.gathers);
  json.key("kernels");
  json.begin_array();
  for (const Result& result : results) {
    json.begin_object();
    json.field("name", result.name);
    json.field("contacts", result.contacts);
    json.field("updates", result.updates);
    json.field("updates_per_second", result.updates_per_second);
    json.field("bytes_per_update", result.bytes_per_update);
    json.field("roofline_share", result.roofline_share);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.text();
}

/// The kernels of these names; throws InputError for one that does not exist.
std::vector<Kernel> chosen(const std::vector<std::string>& names) {
  if (names.empty()) return bench::kernels();
  std::vector<Kernel> result;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(bench::kernels(), name, &Kernel::name);
    if (found == bench::kernels().end())
      throw InputError(fmt::format("--kernels: no kernel is named '{}'; --list-kernels prints all", name));
    result.push_back(*found);
  }
  return result;
}

int run(const parallel::Comm& comm, const io::Arguments& arguments) {
  Options options;
  bool list_kernels = false;
  CLI::App app("Measures Scree's kernels against the machine's own memory.", "scree-bench");
  app.add_option("--contacts", options.sizes, "numbers of contacts, about")
      ->delimiter(',')
      ->check(CLI::Range(100, 100'000'000));
  app.add_option("--kernels", options.kernels, "names of kernels; all if there are none")->delimiter(',');
  app.add_flag("--list-kernels", list_kernels, "print the kernels with a line each");
  app.add_option("--seconds", options.budget, "for each kernel and size, at least two passes")
      ->check(CLI::Range(0.0, 1e6));
  app.add_option("--passes", options.passes, "exactly so many of each kernel, and nothing else: to count instructions")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--json", options.file, "file for the numbers");
  if (!parse_command_line(comm, app, arguments)) return 0;
  if (list_kernels) {
    for (const Kernel& kernel : bench::kernels())
      if (comm.is_root()) fmt::print("{:<24}{}\n", kernel.name, kernel.description);
    return 0;
  }
  const std::vector<Kernel> kernels = chosen(options.kernels);
  if (!options.file.empty()) io::require_writable_file(comm, options.file);

  Machine machine;
  if (options.passes == 0) machine = {bench::triad_bandwidth(comm), bench::gather_rate(comm)};
  if (comm.is_root())
    fmt::print("{} ranks, triad {:.1f} GB/s, {:.0f} million gathers/s\n{:<24}{:>12}{:>20}{:>14}{:>10}\n", comm.size(),
               machine.triad, machine.gathers / 1e6, "kernel", "contacts", "million updates/s", "bytes/update",
               "roofline");
  std::vector<Result> all;
  for (const std::int64_t size : options.sizes)
    for (const Kernel& kernel : kernels) {
      const std::optional<Result> result = measure(comm, options, machine, kernel, size);
      if (!result) continue;
      all.push_back(*result);
      if (comm.is_root())
        fmt::print("{:<24}{:>12}{:>20.2f}{:>14.0f}{:>10.3f}\n", result->name, result->contacts,
                   result->updates_per_second / 1e6, result->bytes_per_update, result->roofline_share);
    }
  parallel::all_or_none(comm, [&] {
    if (comm.is_root() && !options.file.empty()) io::write_file(options.file, to_json(comm.size(), machine, all));
  });
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return scree::io::run_program("scree-bench", argc, argv, run); }
