#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "scree/parallel/comm.hpp"

namespace scree::io {

/// A file that appears under its name only when it is complete: it is written under a temporary name beside it and
/// renamed by commit(). Every error of the file system (a full disk, say) throws std::runtime_error with the name.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();  ///< without a commit nothing remains
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view text);
  void write(std::span<const std::byte> bytes);
  void commit();

 private:
  [[noreturn]] void fail() const;

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  std::FILE* file_ = nullptr;
};

/// Writes a whole file, atomically.
void write_file(const std::filesystem::path& path, std::string_view text);

/// Collective: rank 0 writes a whole file, atomically, into a directory that is made if there is none.
void write_file(const parallel::Comm& comm, const std::filesystem::path& path, std::string_view text);

/// Collective: fails on all ranks with an InputError if `directory` could not be made or written to. Makes nothing.
void require_writable(const parallel::Comm& comm, const std::filesystem::path& directory);

/// Collective: the same for a file, whose directory may have to be made.
void require_writable_file(const parallel::Comm& comm, const std::filesystem::path& file);

/// Has the file system set `bytes` aside for a file that exists, so that no other file can take them while it is
/// written. Throws std::runtime_error if there is no room for them.
void reserve_space(const std::filesystem::path& file, std::int64_t bytes);

/// Hands what is in a file or directory over to the disk. Throws std::runtime_error.
void store_on_disk(const std::filesystem::path& file);

/// Collective: makes `directory` with its parents, visible to all ranks on return.
void make_directory(const parallel::Comm& comm, const std::filesystem::path& directory);

}  // namespace scree::io
