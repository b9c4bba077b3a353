#include "scree/io/shared_hdf5.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "scree/io/atomic_file.hpp"
#include "scree/parallel/arrival.hpp"

namespace scree::io {

using parallel::Comm;

namespace {

/// Data sets begin where a page of a file system may, and small ones lie together.
constexpr hsize_t alignment = 4096, aligned_from = 1 << 16;

/// An empty file that has its room already. One rank does this by itself: whatever goes wrong concerns nobody else yet.
void make_empty_file(const std::filesystem::path& path, std::int64_t bytes) {
  H5Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose, "make the file");
  file.close("make the file");
  reserve_space(path, bytes);
}

}  // namespace

SharedHdf5 SharedHdf5::create(const Comm& comm, const std::filesystem::path& path, std::int64_t bytes) {
  parallel::all_or_none(comm, [&] {
    if (comm.is_root()) make_empty_file(path, bytes);
  });
  return {comm, path, H5F_ACC_RDWR};
}

SharedHdf5 SharedHdf5::open(const Comm& comm, const std::filesystem::path& path) {
  return {comm, path, H5F_ACC_RDONLY};
}

SharedHdf5::SharedHdf5(const Comm& comm, const std::filesystem::path& path, unsigned access)
    : comm_(comm),
      name_(path.string()),
      transfer_(property_list(H5P_DATASET_XFER)),
      layout_(property_list(H5P_DATASET_CREATE)),
      file_(open_file(path, access)) {
  parallel::all_or_none(comm_, [&] {
    checked(H5Pset_dxpl_mpio(transfer_.get(), H5FD_MPIO_COLLECTIVE), "choose collective transfers");
    checked(H5Pset_dxpl_mpio_collective_opt(transfer_.get(), H5FD_MPIO_INDIVIDUAL_IO), "choose how parts are written");
    // Every entry is written by some rank, so filling the file first would only double the traffic.
    checked(H5Pset_fill_time(layout_.get(), H5D_FILL_TIME_NEVER), "choose a layout");
  });
}

SharedHdf5::~SharedHdf5() {
  if (file_.is_open()) close_together();
}

template <typename Call>
void SharedHdf5::agreed(const std::string& what, Call&& call) const {
  parallel::all_or_none(comm_, [&] { checked(call(), what.c_str()); });
}

template <typename Open>
H5Handle SharedHdf5::opened(Open&& open, H5Handle::Close closer, const std::string& what) const {
  std::optional<H5Handle> handle;
  parallel::all_or_none(comm_, [&] { handle.emplace(open(), closer, what.c_str()); });
  return std::move(*handle);
}

H5Handle SharedHdf5::property_list(hid_t kind) const {
  return opened([&] { return H5Pcreate(kind); }, H5Pclose, "make a property list");
}

/// The first rank alone writes what describes the data, for it is the one that has seen that there is room.
H5Handle SharedHdf5::open_file(const std::filesystem::path& path, unsigned access) const {
  const H5Handle settings = property_list(H5P_FILE_ACCESS);
  agreed("share the file", [&] { return H5Pset_fapl_mpio(settings.get(), comm_.handle(), MPI_INFO_NULL); });
  agreed("align the file", [&] { return H5Pset_alignment(settings.get(), aligned_from, alignment); });
  agreed("choose who describes the data", [&] {
    H5AC_cache_config_t cache{};
    cache.version = H5AC__CURR_CACHE_CONFIG_VERSION;
    const herr_t known = H5Pget_mdc_config(settings.get(), &cache);
    cache.metadata_write_strategy = H5AC_METADATA_WRITE_STRATEGY__PROCESS_0_ONLY;
    return known < 0 ? known : H5Pset_mdc_config(settings.get(), &cache);
  });
  return opened([&] { return H5Fopen(path.c_str(), access, settings.get()); }, H5Fclose, "open the file");
}

H5Handle SharedHdf5::add_dataset(const std::string& name, hid_t type, const H5Handle& space) const {
  return opened(
      [&] { return H5Dcreate2(file_.get(), name.c_str(), type, space.get(), H5P_DEFAULT, layout_.get(), H5P_DEFAULT); },
      H5Dclose, "make " + name);
}

H5Handle SharedHdf5::open_dataset(const std::string& name) const {
  return opened([&] { return H5Dopen2(file_.get(), name.c_str(), H5P_DEFAULT); }, H5Dclose, "open " + name);
}

/// Ranks without records take part in the collective transfer with nothing selected.
void SharedHdf5::select(const std::string& name, const H5Handle& space, Slab slab) const {
  agreed("select the part of " + name, [&] {
    hsize_t extent[2] = {1, 1};  // a table is read in whole rows
    if (H5Sget_simple_extent_ndims(space.get()) > 2) return -1;
    const int dimensions = H5Sget_simple_extent_dims(space.get(), extent, nullptr);
    const auto width = static_cast<std::int64_t>(dimensions == 2 ? extent[1] : 1);
    if (slab.count == 0) return H5Sselect_none(space.get());
    if (slab.first % width != 0 || slab.count % width != 0) return -1;
    const hsize_t first[2] = {static_cast<hsize_t>(slab.first / width), 0};
    const hsize_t count[2] = {static_cast<hsize_t>(slab.count / width), static_cast<hsize_t>(width)};
    return static_cast<int>(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, first, nullptr, count, nullptr));
  });
}

void SharedHdf5::add_group(const std::string& name) {
  const H5Handle group =
      opened([&] { return H5Gcreate2(file_.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT); }, H5Gclose,
             "make the group " + name);
}

void SharedHdf5::write(const std::string& name, hid_t type, const void* own, std::size_t count, int components) {
  const auto entries = static_cast<std::int64_t>(count);
  const Slab slab{comm_.sum_below(entries), entries};
  const auto width = static_cast<hsize_t>(components), here = static_cast<hsize_t>(count);
  const hsize_t total[] = {static_cast<hsize_t>(comm_.sum(entries)) / width, width};
  const H5Handle space =
      opened([&] { return H5Screate_simple(components > 1 ? 2 : 1, total, nullptr); }, H5Sclose, "size " + name);
  const H5Handle memory = opened([&] { return H5Screate_simple(1, &here, nullptr); }, H5Sclose, "size " + name);
  const H5Handle dataset = add_dataset(name, type, space);
  if (total[0] == 0) return;  // HDF5 refuses to transfer nothing at all
  select(name, space, slab);
  agreed("write " + name + ", is the disk full or a limit reached?",
         [&] { return H5Dwrite(dataset.get(), type, memory.get(), space.get(), transfer_.get(), own); });
}

void SharedHdf5::add_number(const std::string& name, std::int64_t value) {
  const auto number = static_cast<std::int32_t>(value);
  add_entries(name, std::span(&number, comm_.is_root() ? 1U : 0U));
}

void SharedHdf5::add_text(const std::string& name, const std::string& text) {
  const H5Handle type = opened([] { return H5Tcopy(H5T_C_S1); }, H5Tclose, "describe " + name);
  agreed("size " + name, [&] { return H5Tset_size(type.get(), text.size() + 1); });
  const H5Handle space = opened([] { return H5Screate(H5S_SCALAR); }, H5Sclose, "size " + name);
  const H5Handle dataset = add_dataset(name, type.get(), space);
  agreed("write " + name,
         [&] { return H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, transfer_.get(), text.c_str()); });
}

void SharedHdf5::write_attribute(const std::string& name, hid_t type, const void* value) {
  const H5Handle space = opened([] { return H5Screate(H5S_SCALAR); }, H5Sclose, "size " + name);
  const H5Handle attribute =
      opened([&] { return H5Acreate2(file_.get(), name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT); },
             H5Aclose, "make " + name);
  agreed("write " + name, [&] { return H5Awrite(attribute.get(), type, value); });
}

/// Inside of HDF5 ranks wait for each other here. One that fails leaves the others there for ever, which cannot be
/// mended: the program must end. The room that is set aside for new files keeps this from happening on most file
/// systems.
void SharedHdf5::close_together() {
  constexpr double patience = 30.0;  // s
  std::string trouble;
  if (H5Fflush(file_.get(), H5F_SCOPE_GLOBAL) < 0) trouble = "HDF5 could not store the file";
  try {
    file_.close("close the file");
  } catch (const std::runtime_error& error) {
    if (trouble.empty()) trouble = error.what();
  }
  if (!parallel::all_arrive(comm_.handle(), trouble.empty() ? std::numeric_limits<double>::infinity() : patience)) {
    fmt::print(stderr, "error: rank {}: {}: {}, and the other ranks cannot go on without it\n", comm_.rank(), name_,
               trouble);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  failure_ = trouble;
}

void SharedHdf5::close() {
  close_together();
  parallel::all_or_none(comm_, [&] {
    if (!failure_.empty()) throw std::runtime_error(failure_);
  });
}

bool SharedHdf5::has(const std::string& name) const {
  // HDF5 takes a path whose beginning does not exist for an error.
  for (std::size_t end = name.find('/', 1);; end = name.find('/', end + 1)) {
    bool exists = false;
    agreed("look for " + name, [&] {
      const htri_t found = H5Lexists(file_.get(), name.substr(0, end).c_str(), H5P_DEFAULT);
      exists = found > 0;
      return found;
    });
    if (!exists) return false;
    if (end == std::string::npos) return true;
  }
}

DatasetShape SharedHdf5::shape_of(const std::string& name) const {
  const H5Handle dataset = open_dataset(name);
  const H5Handle space = opened([&] { return H5Dget_space(dataset.get()); }, H5Sclose, "size " + name);
  const H5Handle type = opened([&] { return H5Dget_type(dataset.get()); }, H5Tclose, "understand " + name);
  DatasetShape shape{};
  parallel::all_or_none(comm_, [&] {
    shape.length = checked(H5Sget_simple_extent_npoints(space.get()), ("size " + name).c_str());
    shape.bytes = static_cast<std::int64_t>(H5Dget_storage_size(dataset.get()));
    shape.kind = H5Tget_class(type.get());
    const hid_t standard[] = {H5T_STD_I32LE,  H5T_STD_I32BE,  H5T_STD_I64LE,  H5T_STD_I64BE,
                              H5T_IEEE_F32LE, H5T_IEEE_F32BE, H5T_IEEE_F64LE, H5T_IEEE_F64BE};
    shape.has_standard_type =
        std::ranges::any_of(standard, [&](hid_t known) { return H5Tequal(type.get(), known) > 0; });
  });
  return shape;
}

void SharedHdf5::read(const std::string& name, hid_t type, Slab slab, void* records) const {
  if (comm_.max(slab.count) == 0) return;
  const auto here = static_cast<hsize_t>(slab.count);
  const H5Handle dataset = open_dataset(name);
  const H5Handle space = opened([&] { return H5Dget_space(dataset.get()); }, H5Sclose, "size " + name);
  const H5Handle memory = opened([&] { return H5Screate_simple(1, &here, nullptr); }, H5Sclose, "size " + name);
  // A rank that asks for too much would fail before the collective transfer, and the others wait in it for ever.
  agreed("find the part of " + name, [&] {
    const hssize_t length = H5Sget_simple_extent_npoints(space.get());
    return slab.first >= 0 && slab.count <= length - slab.first ? 0 : -1;
  });
  select(name, space, slab);
  agreed("read " + name,
         [&] { return H5Dread(dataset.get(), type, memory.get(), space.get(), transfer_.get(), records); });
}

void SharedHdf5::read_attribute(const std::string& name, hid_t type, void* value) const {
  const H5Handle attribute =
      opened([&] { return H5Aopen(file_.get(), name.c_str(), H5P_DEFAULT); }, H5Aclose, "open " + name);
  agreed("read " + name, [&] { return H5Aread(attribute.get(), type, value); });
}

void write_shared_hdf5(const Comm& comm, const std::filesystem::path& path, std::int64_t bytes,
                       const std::function<void(SharedHdf5&)>& fill) {
  constexpr std::int64_t room_for_structure = 1 << 16;  // names, types and counts
  const QuietHdf5 quiet;
  std::filesystem::path temporary = path;
  temporary += ".tmp";
  try {
    {
      SharedHdf5 file = SharedHdf5::create(comm, temporary, bytes + room_for_structure);
      fill(file);
      file.close();
    }
    parallel::all_or_none(comm, [&] { store_on_disk(temporary); });
    parallel::all_or_none(comm, [&] {
      if (!comm.is_root()) return;
      std::filesystem::rename(temporary, path);
      store_on_disk(std::filesystem::absolute(path).parent_path());
    });
  } catch (const std::exception& error) {
    std::error_code ignored;
    if (comm.is_root()) std::filesystem::remove(temporary, ignored);
    throw std::runtime_error(fmt::format("{}: cannot be written: {}", path.string(), error.what()));
  }
}

}  // namespace scree::io
