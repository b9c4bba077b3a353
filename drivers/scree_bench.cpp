// scree-bench: the speed of Scree's kernels against the memory bandwidth of the machine, measured in the same run.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "scree/collision/contacts.hpp"
#include "scree/dynamics/search.hpp"
#include "scree/io/atomic_file.hpp"
#include "scree/io/json.hpp"
#include "scree/io/program.hpp"
#include "scree/parallel/error.hpp"
#include "scree/problem/body_operator.hpp"
#include "scree/problem/contact_problem.hpp"
#include "scree/solvers/npgs.hpp"

namespace {

using namespace scree;
using model::Vec3;
using problem::Law;

struct KernelResult {
  std::string name;
  std::int64_t contacts;
  double updates_per_second;
  double bytes_per_update;
  double roofline_share;
};

/// Collective: the shortest time of several runs of `work`, each as long as its slowest rank (s).
double best_seconds(const parallel::Comm& comm, int repeats, const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  double best = std::numeric_limits<double>::infinity();
  for (int k = 0; k < repeats; ++k) {
    (void)comm.any(false);  // all start together
    const auto start = Clock::now();
    work();
    best = std::min(best, comm.max(std::chrono::duration<double>(Clock::now() - start).count()));
  }
  return best;
}

/// Collective: bandwidth of a = b + s c on all ranks together (GB/s), on arrays far larger than any cache.
double triad_bandwidth(const parallel::Comm& comm) {
  constexpr std::size_t length = 8'000'000;
  std::vector<double> a(length, 0.0), b(length, 1.0), c(length, 2.0);
  double scale = 0.5;
  const double seconds = best_seconds(comm, 8, [&] {
    for (std::size_t k = 0; k < length; ++k) a[k] = b[k] + scale * c[k];
    scale = a[length / 2];  // keeps the loop from being optimised away
  });
  return 3.0 * sizeof(double) * static_cast<double>(length) * comm.size() / seconds / 1e9;
}

/// A block of spheres in hexagonal layers with slightly random places, six contacts a body, this rank's slice of it.
model::Bodies make_block(const parallel::Comm& comm, std::int64_t bodies) {
  const auto side = static_cast<std::int64_t>(std::ceil(std::cbrt(static_cast<double>(bodies))));
  const double radius = 0.1;
  model::Bodies block;
  std::uint64_t random = 88172645463325252ULL + static_cast<std::uint64_t>(comm.rank());
  const auto jitter = [&] {
    random ^= random << 13U, random ^= random >> 7U, random ^= random << 17U;
    return 0.02 * radius * (static_cast<double>(random % 2001) / 1000.0 - 1.0);
  };
  for (std::int64_t id = bodies * comm.rank() / comm.size(); id < bodies * (comm.rank() + 1) / comm.size(); ++id) {
    const std::int64_t layer = id / (side * side), row = id / side % side, place = id % side;
    const double shift = static_cast<double>(layer % 2);
    const Vec3 centre(2.0 * static_cast<double>(place) + static_cast<double>(row % 2) + shift,
                      std::sqrt(3.0) * (static_cast<double>(row) + shift / 3.0),
                      std::sqrt(8.0 / 3.0) * static_cast<double>(layer));
    block.add_owned(model::make_sphere(id, radius * centre + Vec3(jitter(), jitter(), jitter()), radius, 1500.0, 0));
  }
  return block;
}

/// A contact problem as a step of a dense bed gives it: spheres fall onto a floor.
class Bench {
 public:
  Bench(const parallel::Comm& comm, std::int64_t contacts) : comm_(comm), bodies_(make_block(comm, contacts / 6)) {
    const std::vector<model::Wall> floor = {{"floor", model::Plane{Vec3(0, 0, -0.1), Vec3::UnitZ()}, 0}};
    const double margin = 0.01;
    dynamics::distribute(comm, bodies_, margin);
    neighbourhood_ = dynamics::search(comm, bodies_, floor, {margin, margin}, {});
    contacts_ = find_contacts(bodies_, floor, neighbourhood_.pairs, margin, 0.0);
    total_ = comm.sum(static_cast<std::int64_t>(contacts_.size()));
  }

  [[nodiscard]] std::vector<KernelResult> run(double triad) {
    std::vector<KernelResult> results;
    const double bodies = static_cast<double>(comm_.sum(static_cast<std::int64_t>(bodies_.owned())));
    // A contact is read with its offset and its impulse, which is written back; a body's cache line moves in and out.
    const double contact_bytes = 32.0 + 24.0 + 2.0 * 24.0, body_bytes = 128.0 * bodies / static_cast<double>(total_);
    const auto add = [&](const std::string& name, double bytes, double seconds_per_pass) {
      const double rate = static_cast<double>(total_) / seconds_per_pass;
      results.push_back({name, total_, rate, bytes, rate * bytes / (triad * 1e9)});
    };
    add("sweep-cone", contact_bytes + 8.0 + body_bytes, seconds_per_sweep(Law::cone));
    add("sweep-box", contact_bytes + 8.0 + body_bytes, seconds_per_sweep(Law::box));
    add("sweep-frictionless", contact_bytes + body_bytes, seconds_per_sweep(Law::frictionless));
    add("npgs-cone", contact_bytes + 8.0 + body_bytes, seconds_per_npgs_iteration());
    add("apply", 2.0 * (32.0 + 24.0 + body_bytes), seconds_per_product());
    return results;
  }

 private:
  [[nodiscard]] problem::ContactProblem make_problem(Law law) const {
    const auto count = static_cast<std::size_t>(contacts_.size());
    auto N = std::make_unique<problem::BodyOperator>(comm_, neighbourhood_.halo, bodies_,
                                                     problem::BodyConstraints{contacts_});
    problem::Motion motion = N->motion_at_rest();
    problem::BodyMotion* const fall = problem::BodyOperator::bodies_of(motion);
    for (std::size_t k = 0; k < static_cast<std::size_t>(bodies_.owned()); ++k) {
      fall[k].v[2] = -0.05 - 0.01 * std::sin(static_cast<double>(bodies_.id[k]));
      fall[k].v[0] = 0.02 * std::cos(static_cast<double>(bodies_.id[k]));
    }
    parallel::Vector r(comm_, contacts_.size());
    N->relative_velocity(motion, r);
    return {std::move(N), std::move(r), {law, std::vector<double>(count, 0.3), std::vector<double>(count, 0.05)}};
  }

  [[nodiscard]] int passes() const { return static_cast<int>(std::clamp<std::int64_t>(4'000'000 / total_, 2, 100)); }

  double seconds_per_sweep(Law law) const {
    const auto problem = make_problem(law);
    const auto x = problem.make_vector();
    auto motion = problem.N->motion_at_rest();
    return best_seconds(comm_, 8,
                        [&] {
                          for (int k = 0; k < passes(); ++k) problem.N->sweep(problem.r, problem.K, x, motion);
                        }) /
           passes();
  }

  double seconds_per_npgs_iteration() const {
    const auto problem = make_problem(Law::cone);
    const auto x = problem.make_vector();
    const int iterations = std::max(passes(), 50);  // makes the two judgements of the monitor count little
    const solvers::StopRule rule{.tolerance = 0.0, .max_iterations = iterations, .check_every = 1'000'000};
    return best_seconds(comm_, 4,
                        [&] {
                          solvers::Monitor monitor(problem, rule);
                          npgs(problem, x, monitor, {});
                        }) /
           iterations;
  }

  double seconds_per_product() const {
    const auto problem = make_problem(Law::cone);
    const auto y = problem.make_vector();
    return best_seconds(comm_, 8,
                        [&] {
                          for (int k = 0; k < passes(); ++k) problem.N->apply(problem.r, y);
                        }) /
           passes();
  }

  const parallel::Comm& comm_;
  model::Bodies bodies_;
  dynamics::Neighbourhood neighbourhood_;
  collision::ContactSet contacts_;
  std::int64_t total_ = 0;
};

std::string to_json(int ranks, double triad, const std::vector<KernelResult>& kernels) {
  io::JsonWriter json;
  json.begin_object();
  json.field("ranks", ranks);
  json.field("triad_gb_per_s", triad);
  json.key("kernels");
  json.begin_array();
  for (const KernelResult& kernel : kernels) {
    json.begin_object();
    json.field("name", kernel.name);
    json.field("contacts", kernel.contacts);
    json.field("updates_per_second", kernel.updates_per_second);
    json.field("bytes_per_update", kernel.bytes_per_update);
    json.field("roofline_share", kernel.roofline_share);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.text();
}

int run(const parallel::Comm& comm, const io::Arguments& arguments) {
  std::vector<std::int64_t> sizes = {16'000, 128'000, 1'000'000};
  std::string file;
  CLI::App app("Measures Scree's kernels against the machine's own memory bandwidth.", "scree-bench");
  app.add_option("--contacts", sizes, "numbers of contacts, about")
      ->delimiter(',')
      ->check(CLI::Range(100, 100'000'000));
  app.add_option("--json", file, "file for the numbers");
  if (!parse_command_line(comm, app, arguments)) return 0;
  if (!file.empty()) io::require_writable(comm, std::filesystem::absolute(file).parent_path());

  const double triad = triad_bandwidth(comm);
  if (comm.is_root())
    fmt::print("{} ranks, triad {:.1f} GB/s\n{:<20}{:>12}{:>20}{:>14}{:>10}\n", comm.size(), triad, "kernel",
               "contacts", "million updates/s", "bytes/update", "roofline");
  std::vector<KernelResult> all;
  for (const std::int64_t size : sizes)
    for (const KernelResult& kernel : Bench(comm, size).run(triad)) {
      all.push_back(kernel);
      if (comm.is_root())
        fmt::print("{:<20}{:>12}{:>20.2f}{:>14.0f}{:>10.3f}\n", kernel.name, kernel.contacts,
                   kernel.updates_per_second / 1e6, kernel.bytes_per_update, kernel.roofline_share);
    }
  parallel::all_or_none(comm, [&] {
    if (comm.is_root() && !file.empty()) io::write_file(file, to_json(comm.size(), triad, all));
  });
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return scree::io::run_program("scree-bench", argc, argv, run); }
