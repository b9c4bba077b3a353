#include "scree/io/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "scree/io/atomic_file.hpp"
#include "scree/io/shared_hdf5.hpp"
#include "scree/parallel/error.hpp"
#include "scree/parallel/even_split.hpp"
#include "scree/version.hpp"

namespace scree::io {

namespace fs = std::filesystem;
using collision::ContactMemory;
using model::Body;
using model::Joint;
using parallel::Comm;

namespace {

// A new kind of state needs four things here: its records in Progress, a type for them below, a place in
// write_checkpoint and read_progress, and a share in the checksum. Random numbers need none: they follow from the seed
// and a body's number.
constexpr std::size_t kept_checkpoints = 2;
constexpr std::int64_t format_number = 5;

H5Handle array_type(hid_t element, hsize_t count) {
  return {H5Tarray_create2(element, 1, &count), H5Tclose, "make a type"};
}

void insert(const H5Handle& record, const char* name, std::size_t offset, hid_t type) {
  checked(H5Tinsert(record.get(), name, offset, type), "make a type");
}

H5Handle body_type() {
  H5Handle record(H5Tcreate(H5T_COMPOUND, sizeof(Body)), H5Tclose, "make a type");
  const H5Handle three = array_type(H5T_NATIVE_DOUBLE, 3), four = array_type(H5T_NATIVE_DOUBLE, 4);
  insert(record, "id", offsetof(Body, id), H5T_NATIVE_INT64);
  insert(record, "position", offsetof(Body, position), three.get());
  insert(record, "attitude", offsetof(Body, attitude), four.get());
  insert(record, "velocity", offsetof(Body, velocity), three.get());
  insert(record, "spin", offsetof(Body, spin), three.get());
  insert(record, "inertia", offsetof(Body, inertia), three.get());
  insert(record, "mass", offsetof(Body, mass), H5T_NATIVE_DOUBLE);
  insert(record, "radius", offsetof(Body, radius), H5T_NATIVE_DOUBLE);
  insert(record, "material", offsetof(Body, material), H5T_NATIVE_INT64);
  insert(record, "shape", offsetof(Body, shape), H5T_NATIVE_INT64);
  return record;
}

H5Handle contact_type() {
  H5Handle record(H5Tcreate(H5T_COMPOUND, sizeof(ContactMemory)), H5Tclose, "make a type");
  const H5Handle two = array_type(H5T_NATIVE_INT64, 2), three = array_type(H5T_NATIVE_DOUBLE, 3);
  insert(record, "partners", offsetof(ContactMemory, contact), two.get());
  insert(record, "place", offsetof(ContactMemory, place), H5T_NATIVE_INT64);
  insert(record, "impulse", offsetof(ContactMemory, impulse), three.get());
  return record;
}

H5Handle joint_type() {
  H5Handle record(H5Tcreate(H5T_COMPOUND, sizeof(Joint)), H5Tclose, "make a type");
  const auto integers = {std::pair("id", offsetof(Joint, id)), std::pair("kind", offsetof(Joint, kind)),
                         std::pair("first", offsetof(Joint, first)), std::pair("second", offsetof(Joint, second)),
                         std::pair("collides", offsetof(Joint, collides))};
  for (const auto& [name, offset] : integers) insert(record, name, offset, H5T_NATIVE_INT64);
  const auto numbers = {std::pair("length", offsetof(Joint, length)),
                        std::pair("lower", offsetof(Joint, lower)),
                        std::pair("upper", offsetof(Joint, upper)),
                        std::pair("motor_speed", offsetof(Joint, motor_speed)),
                        std::pair("motor_limit", offsetof(Joint, motor_limit)),
                        std::pair("compliance", offsetof(Joint, compliance)),
                        std::pair("angular_compliance", offsetof(Joint, angular_compliance)),
                        std::pair("damping", offsetof(Joint, damping)),
                        std::pair("angle", offsetof(Joint, angle))};
  for (const auto& [name, offset] : numbers) insert(record, name, offset, H5T_NATIVE_DOUBLE);
  const H5Handle anchors = array_type(H5T_NATIVE_DOUBLE, 6), frames = array_type(H5T_NATIVE_DOUBLE, 8);
  const H5Handle impulses = array_type(H5T_NATIVE_DOUBLE, Joint::max_rows);
  insert(record, "anchors", offsetof(Joint, anchor), anchors.get());
  insert(record, "frames", offsetof(Joint, frame), frames.get());
  insert(record, "impulse", offsetof(Joint, impulse), impulses.get());
  return record;
}

/// What is known of a run as a whole.
struct Scalars {
  std::int64_t step;
  double mean_radius, balance_loss, balance_price, balance_cut_share;
};

/// A sum over records that does not depend on their order, so that any number of ranks can verify it.
template <typename Record>
std::int64_t local_checksum(const std::vector<Record>& records) {
  std::uint64_t sum = 0;
  for (const Record& record : records) {
    std::uint64_t hash = 0xCBF29CE484222325ULL;
    for (std::size_t k = 0; k < sizeof(Record); k += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, reinterpret_cast<const std::byte*>(&record) + k, sizeof word);
      hash = (hash ^ word) * 0x100000001B3ULL;
      hash ^= hash >> 29U;
    }
    sum += hash >> 16U;  // room for the sum of very many
  }
  return static_cast<std::int64_t>(sum);
}
static_assert(sizeof(Body) % 8 == 0 && sizeof(ContactMemory) % 8 == 0 && sizeof(Joint) % 8 == 0 &&
                  sizeof(Scalars) == 40,
              "the checksum reads whole words");

std::int64_t checksum(const Comm& comm, const std::vector<Body>& bodies, const dynamics::Progress& progress) {
  const Scalars scalars{progress.step, progress.mean_radius, progress.balance.loss, progress.balance.price,
                        progress.balance.cut_share};
  return comm.sum(local_checksum(bodies)) ^ comm.sum(local_checksum(progress.memories)) ^
         comm.sum(local_checksum(progress.joints)) ^ local_checksum(progress.flow.sources) ^
         local_checksum(progress.flow.sinks) ^ local_checksum(std::vector{scalars});
}

/// The part of `total` records that this rank takes: as many as the rank that wrote them, else an equal share.
Slab slab_to_read(const Comm& comm, const std::vector<std::int64_t>& written, std::int64_t total) {
  if (static_cast<int>(written.size()) != comm.size()) {
    const parallel::EvenSplit split{total, comm.size()};
    return {split.first(comm.rank()), split.count(comm.rank())};
  }
  const std::int64_t count = written[static_cast<std::size_t>(comm.rank())];
  return {comm.sum_below(count), count};
}

/// The counts that the writing ranks noted, if there were as many ranks as now; else nothing.
std::vector<std::int64_t> counts_by_rank(const Comm& comm, const SharedHdf5& file, const char* name) {
  const std::int64_t ranks = file.shape_of(name).length;
  if (ranks != comm.size()) return {};
  return file.read_entries<std::int64_t>(name, {0, ranks});
}

/// What flows through sources, then through sinks, and what measurements counted: known to all, written by one.
struct FlowRecords {
  std::vector<std::int64_t> bodies;
  std::vector<double> masses, crossings;
};

FlowRecords records_of(const dynamics::FlowState& flow, const std::vector<double>& crossings) {
  FlowRecords records{{}, {}, crossings};
  for (const auto* tallies : {&flow.sources, &flow.sinks})
    for (const dynamics::FlowTally& tally : *tallies) {
      records.bodies.push_back(tally.bodies);
      records.masses.push_back(tally.mass);
    }
  return records;
}

template <typename Number>
std::vector<Number> read_all(const SharedHdf5& in, const char* name) {
  return in.read_entries<Number>(name, {0, in.shape_of(name).length});
}

dynamics::FlowState read_flow(const SharedHdf5& in) {
  dynamics::FlowState flow{in.read_attribute<std::int64_t>("next_id"), {}, {}};
  const auto bodies = read_all<std::int64_t>(in, "flow_bodies");
  const auto masses = read_all<double>(in, "flow_masses");
  const auto sources = static_cast<std::size_t>(in.read_attribute<std::int64_t>("sources"));
  if (masses.size() != bodies.size()) throw std::runtime_error("its sources and sinks are incomplete");
  for (std::size_t k = 0; k < bodies.size(); ++k)
    (k < sources ? flow.sources : flow.sinks).push_back({bodies[k], masses[k]});
  return flow;
}

dynamics::Progress read_progress(const Comm& comm, const SharedHdf5& in) {
  const Slab slab = slab_to_read(comm, counts_by_rank(comm, in, "contacts_by_rank"), in.shape_of("contacts").length);
  return {.step = in.read_attribute<std::int64_t>("step"),
          .mean_radius = in.read_attribute<double>("mean_radius"),
          .memories = in.read_records<ContactMemory>("contacts", contact_type().get(), slab),
          .balance = {.loss = in.read_attribute<double>("balance_loss"),
                      .price = in.read_attribute<double>("balance_price"),
                      .cut_share = in.read_attribute<double>("balance_cut_share")},
          .joints = in.read_records<Joint>("joints", joint_type().get(),
                                           slab_to_read(comm, {}, in.shape_of("joints").length)),
          .flow = read_flow(in)};
}

/// As data sets: attributes are limited to 64 kB.
void write_text(const Comm& comm, SharedHdf5& file, const char* name, std::string_view text) {
  file.add_entries(name, comm.is_root() ? std::span(text) : std::span<const char>());
}

}  // namespace

std::int64_t write_checkpoint(const Comm& comm, const fs::path& file, dynamics::Simulation& simulation,
                              const std::string& scene_text, const std::vector<double>& crossings) {
  const dynamics::Progress progress = simulation.pause();
  std::vector<Body> bodies;
  bodies.reserve(static_cast<std::size_t>(simulation.bodies().owned()));
  for (int k = 0; k < simulation.bodies().owned(); ++k) bodies.push_back(simulation.bodies().get(k));
  const std::int64_t sum = checksum(comm, bodies, progress);
  const std::int64_t counts[] = {std::ssize(bodies), std::ssize(progress.memories)};
  const auto records =
      static_cast<std::int64_t>(bodies.size() * sizeof(Body) + progress.memories.size() * sizeof(ContactMemory) +
                                progress.joints.size() * sizeof(Joint));
  write_shared_hdf5(comm, file, comm.sum(records) + std::ssize(scene_text), [&](SharedHdf5& out) {
    out.add_attribute("format", format_number);
    out.add_attribute("step", progress.step);
    out.add_attribute("mean_radius", progress.mean_radius);
    out.add_attribute("balance_loss", progress.balance.loss);
    out.add_attribute("balance_price", progress.balance.price);
    out.add_attribute("balance_cut_share", progress.balance.cut_share);
    out.add_attribute("checksum", sum);
    out.add_records("bodies", body_type().get(), std::span<const Body>(bodies));
    out.add_records("contacts", contact_type().get(), std::span<const ContactMemory>(progress.memories));
    out.add_records("joints", joint_type().get(), std::span<const Joint>(progress.joints));
    const FlowRecords flow = comm.is_root() ? records_of(progress.flow, crossings) : FlowRecords{};
    out.add_attribute("next_id", progress.flow.next_id);
    out.add_entries("flow_bodies", std::span<const std::int64_t>(flow.bodies));
    out.add_entries("flow_masses", std::span<const double>(flow.masses));
    out.add_entries("crossings", std::span<const double>(flow.crossings));
    out.add_attribute("sources", std::ssize(progress.flow.sources));
    out.add_entries("bodies_by_rank", std::span(counts).first(1));
    out.add_entries("contacts_by_rank", std::span(counts).last(1));
    write_text(comm, out, "scene", scene_text);
    write_text(comm, out, "version", version);
  });
  return records;
}

Checkpoint read_checkpoint(const Comm& comm, const fs::path& file) {
  parallel::all_or_none(comm, [&] {
    if (!fs::exists(file)) throw InputError(file.string() + ": no such checkpoint: check the name");
  });
  Checkpoint checkpoint;
  std::vector<Body> bodies;
  std::int64_t expected = 0;
  try {
    const QuietHdf5 quiet;
    const SharedHdf5 in = SharedHdf5::open(comm, file);
    if (in.read_attribute<std::int64_t>("format") != format_number)
      throw std::runtime_error("it was written by another version");
    checkpoint.progress = read_progress(comm, in);
    checkpoint.crossings = read_all<double>(in, "crossings");
    expected = in.read_attribute<std::int64_t>("checksum");
    const auto by_rank = counts_by_rank(comm, in, "bodies_by_rank");
    checkpoint.progress.in_place = !by_rank.empty();
    bodies =
        in.read_records<Body>("bodies", body_type().get(), slab_to_read(comm, by_rank, in.shape_of("bodies").length));
  } catch (const std::exception& error) {
    throw InputError(fmt::format("{}: not a good checkpoint ({}): take another one", file.string(), error.what()));
  }
  if (checksum(comm, bodies, checkpoint.progress) != expected)
    throw InputError(file.string() + ": the checkpoint is damaged, its checksum differs: take another one");
  for (const Body& body : bodies) checkpoint.bodies.add_owned(body);
  return checkpoint;
}

/// Collective: the first rank looks and tells the others, for a file may vanish while others still look.
std::vector<fs::path> CheckpointSeries::newest_first(const Comm& comm) const {
  std::string names;
  parallel::all_or_none(comm, [&] {
    if (!comm.is_root() || !fs::is_directory(directory_)) return;
    std::vector<std::pair<fs::file_time_type, std::string>> found;
    for (const auto& entry : fs::directory_iterator(directory_)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("checkpoint-") && name.ends_with(".h5")) found.emplace_back(entry.last_write_time(), name);
    }
    std::ranges::sort(found, std::greater<>());
    for (const auto& [time, name] : found) names += name + "\n";
  });
  comm.broadcast(names);
  std::vector<fs::path> files;
  std::istringstream lines(names);
  for (std::string name; std::getline(lines, name);) files.push_back(directory_ / name);
  return files;
}

std::int64_t CheckpointSeries::write(const Comm& comm, dynamics::Simulation& simulation, const std::string& scene_text,
                                     const std::vector<double>& crossings) const {
  make_directory(comm, directory_);
  const std::int64_t step = simulation.steps_made();
  const std::int64_t bytes = write_checkpoint(comm, directory_ / fmt::format("checkpoint-{:012d}.h5", step), simulation,
                                              scene_text, crossings);
  const std::vector<fs::path> files = newest_first(comm);
  parallel::all_or_none(comm, [&] {
    if (!comm.is_root()) return;
    for (std::size_t k = kept_checkpoints; k < files.size(); ++k) fs::remove(files[k]);
  });
  return bytes;
}

std::optional<Checkpoint> CheckpointSeries::read_newest(const Comm& comm) const {
  for (const fs::path& file : newest_first(comm)) {
    try {
      return read_checkpoint(comm, file);
    } catch (const InputError&) {
      // damaged: the one before is the newest good one
    }
  }
  return std::nullopt;
}

}  // namespace scree::io
