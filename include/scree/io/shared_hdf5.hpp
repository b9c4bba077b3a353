#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "scree/io/hdf5.hpp"
#include "scree/parallel/comm.hpp"

namespace scree::io {

/// A rank's part of a data set.
struct Slab {
  std::int64_t first;
  std::int64_t count;
};

template <typename Number>
[[nodiscard]] hid_t native_type();
template <>
[[nodiscard]] inline hid_t native_type<double>() {
  return H5T_NATIVE_DOUBLE;
}
template <>
[[nodiscard]] inline hid_t native_type<std::int32_t>() {
  return H5T_NATIVE_INT32;
}
template <>
[[nodiscard]] inline hid_t native_type<std::int64_t>() {
  return H5T_NATIVE_INT64;
}
template <>
[[nodiscard]] inline hid_t native_type<char>() {
  return H5T_NATIVE_CHAR;
}

/// What a data set says about itself.
struct DatasetShape {
  std::int64_t length;     ///< entries, whatever their arrangement
  std::int64_t bytes;      ///< that it takes in the file
  H5T_class_t kind;        ///< of its entries
  bool has_standard_type;  ///< integers of 4 or 8 bytes, IEEE numbers; false for anything else
};

/// An HDF5 file that all ranks write or read together. Every call is collective and fails on all ranks alike, with
/// std::runtime_error: after one that failed on some of them only, the others would wait in the next for ever.
///
/// Each rank writes its own contiguous part by itself within the collective call: where MPI gathers the parts on some
/// ranks first, OpenMPI tells nobody that one of those could not write.
class SharedHdf5 {
 public:
  /// A new file for which `bytes` are set aside, so that the disk cannot become full under it.
  [[nodiscard]] static SharedHdf5 create(const parallel::Comm& comm, const std::filesystem::path& path,
                                         std::int64_t bytes);
  [[nodiscard]] static SharedHdf5 open(const parallel::Comm& comm, const std::filesystem::path& path);
  ~SharedHdf5();
  SharedHdf5(SharedHdf5&&) noexcept = default;
  SharedHdf5& operator=(SharedHdf5&&) = delete;

  void add_group(const std::string& name);
  /// The records of all ranks, rank by rank.
  template <typename Record>
  void add_records(const std::string& name, hid_t type, std::span<const Record> own) {
    write(name, type, own.data(), own.size());
  }
  /// Numbers of all ranks, rank by rank: a list, or rows of several components each.
  template <typename Number>
  void add_entries(const std::string& name, std::span<const Number> own, int components = 1) {
    write(name, native_type<Number>(), own.data(), own.size(), components);
  }
  /// One 32-bit number that all ranks know, in a data set of its own.
  void add_number(const std::string& name, std::int64_t value);
  void add_text(const std::string& name, const std::string& text);
  /// A number that all ranks know, of the file as a whole.
  template <typename Number>
  void add_attribute(const std::string& name, Number value) {
    write_attribute(name, native_type<Number>(), &value);
  }
  /// Hands all over to the file system, which may find only now that it has no room.
  void close();

  [[nodiscard]] bool has(const std::string& name) const;
  [[nodiscard]] DatasetShape shape_of(const std::string& name) const;
  template <typename Record>
  [[nodiscard]] std::vector<Record> read_records(const std::string& name, hid_t type, Slab slab) const {
    std::vector<Record> records;
    parallel::all_or_none(comm_, [&] { records.resize(static_cast<std::size_t>(slab.count)); });
    read(name, type, slab, records.data());
    return records;
  }
  template <typename Number>
  [[nodiscard]] std::vector<Number> read_entries(const std::string& name, Slab slab) const {
    return read_records<Number>(name, native_type<Number>(), slab);
  }
  template <typename Number>
  [[nodiscard]] Number read_attribute(const std::string& name) const {
    Number value{};
    read_attribute(name, native_type<Number>(), &value);
    return value;
  }

 private:
  SharedHdf5(const parallel::Comm& comm, const std::filesystem::path& path, unsigned access);

  void write(const std::string& name, hid_t type, const void* own, std::size_t count, int components = 1);
  void read(const std::string& name, hid_t type, Slab slab, void* records) const;
  void write_attribute(const std::string& name, hid_t type, const void* value);
  void read_attribute(const std::string& name, hid_t type, void* value) const;

  template <typename Call>
  void agreed(const std::string& what, Call&& call) const;
  template <typename Open>
  [[nodiscard]] H5Handle opened(Open&& open, H5Handle::Close closer, const std::string& what) const;
  [[nodiscard]] H5Handle property_list(hid_t kind) const;
  [[nodiscard]] H5Handle open_file(const std::filesystem::path& path, unsigned access) const;
  void close_together();
  [[nodiscard]] H5Handle add_dataset(const std::string& name, hid_t type, const H5Handle& space) const;
  [[nodiscard]] H5Handle open_dataset(const std::string& name) const;
  void select(const std::string& name, const H5Handle& space, Slab slab) const;

  const parallel::Comm& comm_;
  std::string name_;
  std::string failure_;  ///< of closing, on this rank
  H5Handle transfer_;
  H5Handle layout_;
  H5Handle file_;
};

/// Collective: makes an HDF5 file of about `bytes` by `fill`, which adds what belongs into it. The file appears under
/// its name only when it is complete; its directory must exist. Any failure throws std::runtime_error with the name on
/// all ranks and leaves nothing behind.
void write_shared_hdf5(const parallel::Comm& comm, const std::filesystem::path& path, std::int64_t bytes,
                       const std::function<void(SharedHdf5&)>& fill);

}  // namespace scree::io
