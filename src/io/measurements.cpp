#include "scree/io/measurements.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "scree/io/atomic_file.hpp"
#include "scree/parallel/error.hpp"

namespace scree::io {

namespace {

using dynamics::Simulation;
using model::Vec3;
using parallel::Comm;
using Quantity = StateMeasure::Quantity;

constexpr std::size_t numbers_of_flow = 4;
constexpr double nothing = -std::numeric_limits<double>::infinity();  ///< the height of a bin without bodies

/// What a rank needs to know to measure; all of it after a step.
struct Moment {
  const Comm& comm;
  const Simulation& simulation;
  const dynamics::StepReport& report;
  const double* crossings;  ///< of this measurement, if it is a flow
};

Vec3 upward(const Vec3& gravity) { return gravity.isZero(0.0) ? Vec3(Vec3::UnitZ()) : Vec3(-gravity.normalized()); }

// ---- titles of columns, with units

std::vector<std::string> titles(const StateMeasure& state) {
  std::vector<std::string> all;
  for (const Quantity quantity : state.quantities) {
    switch (quantity) {
      case Quantity::bodies:
        all.emplace_back("bodies");
        break;
      case Quantity::kinetic_energy:
        all.emplace_back("kinetic energy (J)");
        break;
      case Quantity::potential_energy:
        all.emplace_back("potential energy (J)");
        break;
      case Quantity::momentum:
        for (const char axis : {'x', 'y', 'z'}) all.push_back(fmt::format("momentum {} (kg m/s)", axis));
        break;
      case Quantity::coordination:
        all.emplace_back("coordination number");
        break;
      case Quantity::penetration:
        all.emplace_back("largest penetration (m)");
        all.emplace_back("mean penetration (m)");
        break;
    }
  }
  return all;
}

std::vector<std::string> titles(const FlowMeasure& /*flow*/) {
  return {"bodies forward", "bodies backward", "mass forward (kg)", "mass backward (kg)"};
}

std::vector<std::string> titles(const ForceMeasure& force) {
  std::vector<std::string> all;
  for (const ForceMeasure::Target& target : force.targets)
    for (const char axis : {'x', 'y', 'z'}) all.push_back(fmt::format("force on {} {} (N)", target.name, axis));
  return all;
}

std::vector<std::string> titles(const ProfileMeasure& profile) {
  std::vector<std::string> all;
  const double width = (profile.upper - profile.lower) / profile.bins;
  for (int bin = 0; bin < profile.bins; ++bin)
    all.push_back(fmt::format("height at {} = {:.6g} m (m)", "xyz"[profile.axis], profile.lower + (bin + 0.5) * width));
  return all;
}

// ---- numbers, by reductions only

/// Pairs of touching partners seen from bodies, and overlaps of contacts.
struct ContactSums {
  double partners = 0.0, overlaps = 0.0, depth = 0.0;
};

ContactSums sum_contacts(const Simulation& simulation) {
  ContactSums sums;
  std::int32_t last_pair = -1;  // a pair may touch in several points, which stand side by side
  for (const auto& contact : simulation.contacts().contacts) {
    if (contact.gap < 0.0) {
      sums.overlaps += 1.0;
      sums.depth -= contact.gap;
    }
    if (contact.pair == last_pair || simulation.impulse_of(contact).isZero(0.0)) continue;
    last_pair = contact.pair;
    sums.partners += contact.b >= 0 ? 2.0 : 1.0;
  }
  return sums;
}

std::vector<double> measure(const StateMeasure& state, const Moment& now) {
  const model::Bodies& bodies = now.simulation.bodies();
  const ContactSums contacts = sum_contacts(now.simulation);
  double potential = 0.0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(bodies.owned()); ++k)
    potential -= bodies.mass[k] * now.simulation.options().gravity.dot(bodies.position[k]);
  std::array<double, 4> sums{potential, contacts.partners, contacts.overlaps, contacts.depth};
  now.comm.sum(sums);
  const auto count = static_cast<double>(now.report.bodies);
  std::vector<double> row;
  for (const Quantity quantity : state.quantities) {
    switch (quantity) {
      case Quantity::bodies:
        row.push_back(count);
        break;
      case Quantity::kinetic_energy:
        row.push_back(now.report.kinetic_energy);
        break;
      case Quantity::potential_energy:
        row.push_back(sums[0]);
        break;
      case Quantity::momentum:
        row.insert(row.end(), now.report.momentum.begin(), now.report.momentum.end());
        break;
      case Quantity::coordination:
        row.push_back(count > 0.0 ? sums[1] / count : 0.0);
        break;
      case Quantity::penetration:
        row.insert(row.end(), {now.report.max_penetration, sums[2] > 0.0 ? sums[3] / sums[2] : 0.0});
        break;
    }
  }
  return row;
}

std::vector<double> measure(const FlowMeasure& /*flow*/, const Moment& now) {
  return {now.crossings, now.crossings + numbers_of_flow};
}

std::vector<double> measure(const ForceMeasure& force, const Moment& now) {
  const model::Bodies& bodies = now.simulation.bodies();
  std::vector<double> row(3 * force.targets.size(), 0.0);
  const auto is_meant = [&](const ForceMeasure::Target& target, int partner) {
    if (partner < 0) return std::ranges::find(target.walls, -1 - partner) != target.walls.end();
    return target.body >= 0 && bodies.id[static_cast<std::size_t>(partner)] == target.body;
  };
  for (const auto& contact : now.simulation.contacts().contacts) {
    const Vec3 on_b = now.simulation.impulse_of(contact) / now.simulation.options().step;
    for (std::size_t k = 0; k < force.targets.size(); ++k) {
      if (is_meant(force.targets[k], contact.b)) Vec3::Map(&row[3 * k]) += on_b;
      if (is_meant(force.targets[k], contact.a)) Vec3::Map(&row[3 * k]) -= on_b;
    }
  }
  now.comm.sum(row);
  return row;
}

std::vector<double> measure(const ProfileMeasure& profile, const Moment& now) {
  const model::Bodies& bodies = now.simulation.bodies();
  const Vec3 up = upward(now.simulation.options().gravity);
  std::vector<double> top(static_cast<std::size_t>(profile.bins), nothing);
  for (std::size_t k = 0; k < static_cast<std::size_t>(bodies.owned()); ++k) {
    const double share = (bodies.position[k][profile.axis] - profile.lower) / (profile.upper - profile.lower);
    if (!(share >= 0.0 && share < 1.0)) continue;
    double& height = top[static_cast<std::size_t>(share * profile.bins)];
    height = std::max(height, up.dot(bodies.position[k]) + bodies.radius[k]);
  }
  now.comm.max(top);
  return top;
}

// ---- the files

std::string header_of(const Measurement& measurement) {
  const auto all = std::visit([](const auto& what) { return titles(what); }, measurement.what);
  return fmt::format("step,time (s),{}\n", fmt::join(all, ","));
}

std::string row_text(const dynamics::StepReport& report, const std::vector<double>& numbers) {
  std::string text = fmt::format("{},{}", report.step, report.time);
  for (const double number : numbers) text += number == nothing ? "," : fmt::format(",{}", number);
  return text + "\n";
}

/// The beginning of a file up to the row of a step. A row that was not written to its end is left out.
std::string rows_until(const std::filesystem::path& file, const std::string& header, std::int64_t step) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream content;
  content << stream.rdbuf();
  const std::string all = content.str();
  if (!all.starts_with(header))
    throw InputError(fmt::format("{}: has other columns than the scene asks for: move it away", file.string()));
  std::size_t end = header.size();
  for (std::size_t next = all.find('\n', end); next != std::string::npos; next = all.find('\n', end)) {
    if (std::stoll(all.substr(end, next - end)) > step) break;
    end = next + 1;
  }
  return all.substr(0, end);
}

}  // namespace

Measurements::Measurements(const Comm& comm, const std::vector<Measurement>& measurements,
                           const std::filesystem::path& directory, const Simulation& simulation,
                           const std::vector<double>& crossings)
    : comm_(comm), measurements_(measurements), directory_(directory / "measurements"), crossings_(crossings) {
  std::size_t flows = 0;
  for (const Measurement& one : measurements) flows += std::holds_alternative<FlowMeasure>(one.what) ? 1 : 0;
  if (crossings_.size() != numbers_of_flow * flows) crossings_.assign(numbers_of_flow * flows, 0.0);
  if (measurements.empty()) return;
  make_directory(comm, directory_);
  parallel::all_or_none(comm, [&] {
    if (!comm.is_root()) return;
    for (const Measurement& one : measurements) open(one, simulation.steps_made());
  });
}

std::filesystem::path Measurements::file_of(const Measurement& measurement) const {
  return directory_ / (measurement.name + ".csv");
}

/// The titles alone, or what a run up to this step has left.
void Measurements::open(const Measurement& measurement, std::int64_t step) const {
  const std::filesystem::path file = file_of(measurement);
  const std::string header = header_of(measurement);
  const bool goes_on = step > 0 && std::filesystem::exists(file);
  write_file(file, goes_on ? rows_until(file, header, step) : header);
}

/// A step moves a body by h v, so where it was before follows from where it is: nothing is to be remembered.
void Measurements::count_crossings(const Simulation& simulation) {
  if (crossings_.empty()) return;
  const model::Bodies& bodies = simulation.bodies();
  const double h = simulation.options().step;
  std::vector<double> counted(crossings_.size(), 0.0);
  double* count = counted.data();
  for (const Measurement& measurement : measurements_) {
    const auto* flow = std::get_if<FlowMeasure>(&measurement.what);
    if (flow == nullptr) continue;
    for (std::size_t k = 0; k < static_cast<std::size_t>(bodies.owned()); ++k) {
      const Vec3 from_point = bodies.position[k] - flow->plane.point;
      const double now = from_point.dot(flow->plane.normal);
      const double before = now - h * bodies.velocity[k].dot(flow->plane.normal);
      if ((now >= 0.0) == (before >= 0.0)) continue;
      if ((from_point - now * flow->plane.normal).norm() > flow->radius) continue;
      const int backward = now >= 0.0 ? 0 : 1;
      count[backward] += 1.0;
      count[2 + backward] += bodies.mass[k];
    }
    count += numbers_of_flow;
  }
  comm_.sum(counted);
  for (std::size_t k = 0; k < counted.size(); ++k) crossings_[k] += counted[k];
}

void Measurements::after_step(Simulation& simulation, const dynamics::StepReport& report) {
  if (measurements_.empty()) return;
  const auto scope = simulation.timer().measure("measurements");
  if (report.step > 0) count_crossings(simulation);
  const double* crossings = crossings_.data();
  for (const Measurement& measurement : measurements_) {
    const Moment now{comm_, simulation, report, crossings};
    if (std::holds_alternative<FlowMeasure>(measurement.what)) crossings += numbers_of_flow;
    if (report.step % measurement.every != 0) continue;
    const std::vector<double> row = std::visit([&](const auto& what) { return measure(what, now); }, measurement.what);
    parallel::all_or_none(comm_, [&] {
      if (!comm_.is_root()) return;
      const std::filesystem::path file = file_of(measurement);
      std::ofstream stream(file, std::ios::binary | std::ios::app);
      stream << row_text(report, row) << std::flush;
      if (!stream) throw std::runtime_error(file.string() + ": cannot be written");
    });
  }
}

}  // namespace scree::io
