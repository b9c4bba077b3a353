#include "scree/io/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <sstream>
#include <utility>
#include <vector>

#include "scree/io/atomic_file.hpp"
#include "scree/io/hdf5.hpp"
#include "scree/parallel/error.hpp"
#include "scree/version.hpp"

namespace scree::io {

namespace fs = std::filesystem;
using collision::ContactMemory;
using model::Body;
using parallel::Comm;

namespace {

constexpr std::size_t kept_checkpoints = 2;
constexpr std::int64_t format_number = 2;
constexpr std::int64_t room_for_structure = 1 << 16;  // bytes of names, types and counts

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
  return record;
}

H5Handle contact_type() {
  H5Handle record(H5Tcreate(H5T_COMPOUND, sizeof(ContactMemory)), H5Tclose, "make a type");
  const H5Handle two = array_type(H5T_NATIVE_INT64, 2), three = array_type(H5T_NATIVE_DOUBLE, 3);
  insert(record, "partners", offsetof(ContactMemory, contact), two.get());
  insert(record, "impulse", offsetof(ContactMemory, impulse), three.get());
  return record;
}

H5Handle open_in_parallel(const Comm& comm, const fs::path& file, bool create) {
  const H5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "make a property list");
  checked(H5Pset_fapl_mpio(access.get(), comm.handle(), MPI_INFO_NULL), "work in parallel");
  return {create ? H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get())
                 : H5Fopen(file.c_str(), H5F_ACC_RDONLY, access.get()),
          H5Fclose, create ? "create the file" : "open the file"};
}

/// This rank's part of a data set.
struct Slab {
  hsize_t first;
  hsize_t count;
  hsize_t total;
};

/// Where this rank's `count` records stand among those of all ranks. Collective.
Slab slab_after_lower_ranks(const Comm& comm, std::size_t count) {
  const auto mine = static_cast<std::int64_t>(count);
  return {static_cast<hsize_t>(comm.sum_below(mine)), static_cast<hsize_t>(count),
          static_cast<hsize_t>(comm.sum(mine))};
}

using Transfer = std::function<herr_t(hid_t memory, hid_t selection, hid_t collective)>;

/// Calls a collective read or write with this rank's slab selected; a slab may be empty.
void transfer_slab(const H5Handle& data, const Slab& slab, const char* what, const Transfer& transfer) {
  if (slab.total == 0) return;  // HDF5 refuses to transfer nothing at all
  const H5Handle space(H5Dget_space(data.get()), H5Sclose, what);
  const H5Handle memory(H5Screate_simple(1, &slab.count, nullptr), H5Sclose, what);
  if (slab.count > 0) {
    checked(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, &slab.first, nullptr, &slab.count, nullptr), what);
  } else {
    checked(H5Sselect_none(space.get()), what);
    checked(H5Sselect_none(memory.get()), what);
  }
  const H5Handle collective(H5Pcreate(H5P_DATASET_XFER), H5Pclose, what);
  checked(H5Pset_dxpl_mpio(collective.get(), H5FD_MPIO_COLLECTIVE), what);
  checked(transfer(memory.get(), space.get(), collective.get()), what);
}

template <typename Record>
void write_records(const Comm& comm, const H5Handle& file, const char* name, const H5Handle& type,
                   const std::vector<Record>& records) {
  const Slab slab = slab_after_lower_ranks(comm, records.size());
  const H5Handle space(H5Screate_simple(1, &slab.total, nullptr), H5Sclose, "write data");
  const H5Handle data(H5Dcreate2(file.get(), name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                      H5Dclose, "write data");
  transfer_slab(data, slab, "write data", [&](hid_t memory, hid_t selection, hid_t collective) {
    return H5Dwrite(data.get(), type.get(), memory, selection, collective, records.data());
  });
}

template <typename Record>
std::vector<Record> read_records(const H5Handle& file, const char* name, const H5Handle& type, const Slab& slab) {
  const H5Handle data(H5Dopen2(file.get(), name, H5P_DEFAULT), H5Dclose, "read data");
  std::vector<Record> records(slab.count);
  transfer_slab(data, slab, "read data", [&](hid_t memory, hid_t selection, hid_t collective) {
    return H5Dread(data.get(), type.get(), memory, selection, collective, records.data());
  });
  return records;
}

template <typename T>
void write_attribute(const H5Handle& file, const char* name, hid_t type, const T& value) {
  const H5Handle space(H5Screate(H5S_SCALAR), H5Sclose, "write an attribute");
  const H5Handle attribute(H5Acreate2(file.get(), name, type, space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                           "write an attribute");
  checked(H5Awrite(attribute.get(), type, &value), "write an attribute");
}

/// As a data set: attributes are limited to 64 kB.
void write_text(const Comm& comm, const H5Handle& file, const char* name, const std::string& text) {
  const H5Handle type(H5Tcopy(H5T_NATIVE_CHAR), H5Tclose, "make a type");
  const std::vector<char> letters(text.begin(), text.end());
  write_records(comm, file, name, type, comm.is_root() ? letters : std::vector<char>());
}

template <typename T>
T read_attribute(const H5Handle& file, const char* name, hid_t type) {
  const H5Handle attribute(H5Aopen(file.get(), name, H5P_DEFAULT), H5Aclose, "read an attribute");
  T value{};
  checked(H5Aread(attribute.get(), type, &value), "read an attribute");
  return value;
}

hsize_t length_of(const H5Handle& file, const char* name) {
  const H5Handle data(H5Dopen2(file.get(), name, H5P_DEFAULT), H5Dclose, "read data");
  const H5Handle space(H5Dget_space(data.get()), H5Sclose, "read data");
  return static_cast<hsize_t>(checked(H5Sget_simple_extent_npoints(space.get()), "read data"));
}

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
static_assert(sizeof(Body) % 8 == 0 && sizeof(ContactMemory) % 8 == 0, "the checksum reads whole words");

std::int64_t checksum(const Comm& comm, const std::vector<Body>& bodies, const std::vector<ContactMemory>& contacts) {
  return comm.sum(local_checksum(bodies)) ^ comm.sum(local_checksum(contacts));
}

/// The part of `total` records that this rank takes: as many as the rank that wrote them, else an equal share.
Slab slab_to_read(const Comm& comm, const std::vector<std::int64_t>& written, hsize_t total) {
  if (static_cast<int>(written.size()) == comm.size())
    return slab_after_lower_ranks(comm, static_cast<std::size_t>(written[static_cast<std::size_t>(comm.rank())]));
  const auto ranks = static_cast<hsize_t>(comm.size()), rank = static_cast<hsize_t>(comm.rank());
  return {total * rank / ranks, total * (rank + 1) / ranks - total * rank / ranks, total};
}

/// The counts that the writing ranks noted, if there were as many ranks as now; else nothing.
std::vector<std::int64_t> counts_by_rank(const Comm& comm, const H5Handle& file, const char* name) {
  const H5Handle type(H5Tcopy(H5T_NATIVE_INT64), H5Tclose, "make a type");
  const hsize_t ranks = length_of(file, name);
  if (ranks != static_cast<hsize_t>(comm.size())) return {};
  return read_records<std::int64_t>(file, name, type, {0, ranks, ranks});
}

dynamics::Progress read_progress(const Comm& comm, const H5Handle& in) {
  const Slab slab = slab_to_read(comm, counts_by_rank(comm, in, "contacts_by_rank"), length_of(in, "contacts"));
  return {.step = read_attribute<std::int64_t>(in, "step", H5T_NATIVE_INT64),
          .mean_radius = read_attribute<double>(in, "mean_radius", H5T_NATIVE_DOUBLE),
          .memories = read_records<ContactMemory>(in, "contacts", contact_type(), slab),
          .balance = {.loss = read_attribute<double>(in, "balance_loss", H5T_NATIVE_DOUBLE),
                      .price = read_attribute<double>(in, "balance_price", H5T_NATIVE_DOUBLE),
                      .cut_share = read_attribute<double>(in, "balance_cut_share", H5T_NATIVE_DOUBLE)}};
}

}  // namespace

void write_checkpoint(const Comm& comm, const fs::path& file, dynamics::Simulation& simulation,
                      const std::string& scene_text) {
  const dynamics::Progress progress = simulation.pause();
  std::vector<Body> bodies;
  for (int k = 0; k < simulation.bodies().owned(); ++k) bodies.push_back(simulation.bodies().get(k));
  const std::int64_t sum = checksum(comm, bodies, progress.memories);
  const fs::path temporary = file.string() + ".tmp";
  const auto records =
      static_cast<std::int64_t>(bodies.size() * sizeof(Body) + progress.memories.size() * sizeof(ContactMemory));
  require_space(comm, temporary, comm.sum(records) + std::ssize(scene_text) + room_for_structure);
  parallel::all_or_none(comm, [&] {
    const QuietHdf5 quiet;
    try {
      const H5Handle count_type(H5Tcopy(H5T_NATIVE_INT64), H5Tclose, "make a type");
      H5Handle out = open_in_parallel(comm, temporary, true);
      write_attribute(out, "format", H5T_NATIVE_INT64, format_number);
      write_attribute(out, "step", H5T_NATIVE_INT64, progress.step);
      write_attribute(out, "mean_radius", H5T_NATIVE_DOUBLE, progress.mean_radius);
      write_attribute(out, "balance_loss", H5T_NATIVE_DOUBLE, progress.balance.loss);
      write_attribute(out, "balance_price", H5T_NATIVE_DOUBLE, progress.balance.price);
      write_attribute(out, "balance_cut_share", H5T_NATIVE_DOUBLE, progress.balance.cut_share);
      write_attribute(out, "checksum", H5T_NATIVE_INT64, sum);
      write_records(comm, out, "bodies", body_type(), bodies);
      write_records(comm, out, "contacts", contact_type(), progress.memories);
      write_records<std::int64_t>(comm, out, "bodies_by_rank", count_type, {std::ssize(bodies)});
      write_records<std::int64_t>(comm, out, "contacts_by_rank", count_type, {std::ssize(progress.memories)});
      write_text(comm, out, "scene", scene_text);
      write_text(comm, out, "version", std::string(version));
      checked(H5Fflush(out.get(), H5F_SCOPE_GLOBAL), "write the file");
      out.close("write the file");
    } catch (const std::exception& error) {
      throw std::runtime_error(
          fmt::format("{}: {}: check the space and the rights there", file.string(), error.what()));
    }
  });
  parallel::all_or_none(comm, [&] {
    if (comm.is_root()) fs::rename(temporary, file);
  });
}

Checkpoint read_checkpoint(const Comm& comm, const fs::path& file) {
  parallel::all_or_none(comm, [&] {
    if (!fs::exists(file)) throw InputError(file.string() + ": no such checkpoint: check the name");
  });
  Checkpoint checkpoint;
  std::vector<Body> bodies;
  std::int64_t expected = 0;
  parallel::all_or_none(comm, [&] {
    const QuietHdf5 quiet;
    try {
      const H5Handle in = open_in_parallel(comm, file, false);
      if (read_attribute<std::int64_t>(in, "format", H5T_NATIVE_INT64) != format_number)
        throw std::runtime_error("it was written by another version");
      checkpoint.progress = read_progress(comm, in);
      expected = read_attribute<std::int64_t>(in, "checksum", H5T_NATIVE_INT64);
      const auto by_rank = counts_by_rank(comm, in, "bodies_by_rank");
      checkpoint.progress.in_place = !by_rank.empty();
      bodies = read_records<Body>(in, "bodies", body_type(), slab_to_read(comm, by_rank, length_of(in, "bodies")));
    } catch (const std::exception& error) {
      throw InputError(fmt::format("{}: not a good checkpoint ({}): take another one", file.string(), error.what()));
    }
  });
  if (checksum(comm, bodies, checkpoint.progress.memories) != expected)
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

void CheckpointSeries::write(const Comm& comm, dynamics::Simulation& simulation, const std::string& scene_text) const {
  make_directory(comm, directory_);
  const std::int64_t step = simulation.steps_made();
  write_checkpoint(comm, directory_ / fmt::format("checkpoint-{:012d}.h5", step), simulation, scene_text);
  const std::vector<fs::path> files = newest_first(comm);
  parallel::all_or_none(comm, [&] {
    if (!comm.is_root()) return;
    for (std::size_t k = kept_checkpoints; k < files.size(); ++k) fs::remove(files[k]);
  });
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
