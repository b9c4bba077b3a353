#include "scree/io/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "scree/parallel/error.hpp"

namespace scree::io {

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)), temporary_(path_) {
  temporary_ += ".tmp";
  file_ = std::fopen(temporary_.c_str(), "wb");
  if (file_ == nullptr) fail();
}

AtomicFile::~AtomicFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::string_view text) { write(std::as_bytes(std::span(text.data(), text.size()))); }

void AtomicFile::write(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail();
}

void AtomicFile::commit() {
  // A file system with delayed allocation or quotas tells about missing space only when it is made to store the data.
  if (std::fflush(file_) != 0 || ::fsync(::fileno(file_)) != 0) fail();
  if (std::fclose(std::exchange(file_, nullptr)) != 0 || std::rename(temporary_.c_str(), path_.c_str()) != 0) {
    const int reason = errno;
    ::unlink(temporary_.c_str());
    errno = reason;
    fail();
  }
}

void AtomicFile::fail() const {
  throw std::runtime_error(fmt::format("{}: cannot be written: {}", path_.string(), std::strerror(errno)));
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

void write_file(const parallel::Comm& comm, const std::filesystem::path& path, std::string_view text) {
  make_directory(comm, std::filesystem::absolute(path).parent_path());
  parallel::all_or_none(comm, [&] {
    if (comm.is_root()) write_file(path, text);
  });
}

void require_writable(const parallel::Comm& comm, const std::filesystem::path& directory) {
  parallel::all_or_none(comm, [&] {
    if (!comm.is_root()) return;
    std::error_code error;
    std::filesystem::path existing = std::filesystem::absolute(directory).lexically_normal();
    while (!std::filesystem::exists(existing, error) && existing.has_relative_path()) existing = existing.parent_path();
    if (!std::filesystem::is_directory(existing, error)) {
      throw InputError(fmt::format("{}: cannot be made: {} is not a directory; choose another place",
                                   directory.string(), existing.string()));
    }
    if (::access(existing.c_str(), W_OK | X_OK) != 0) {
      throw InputError(fmt::format("{}: cannot be written: {}: {}; choose another place", directory.string(),
                                   existing.string(), std::strerror(errno)));
    }
  });
}

void require_writable_file(const parallel::Comm& comm, const std::filesystem::path& file) {
  parallel::all_or_none(comm, [&] {
    std::error_code error;
    if (comm.is_root() && (!file.has_filename() || std::filesystem::is_directory(file, error))) {
      throw InputError(fmt::format("{}: is a directory: name a file in it", file.string()));
    }
  });
  require_writable(comm, std::filesystem::absolute(file).parent_path());
}

namespace {

/// Opens a file for one call that gives 0 or an error number.
template <typename Call>
void with_descriptor(const std::filesystem::path& file, int mode, const std::string& trouble, Call&& call) {
  const int descriptor = ::open(file.c_str(), mode | O_CLOEXEC);
  const int error = descriptor < 0 ? errno : call(descriptor);
  if (descriptor >= 0) ::close(descriptor);
  if (error != 0) throw std::runtime_error(fmt::format("{}: {}: {}", file.string(), trouble, std::strerror(error)));
}

}  // namespace

void reserve_space(const std::filesystem::path& file, std::int64_t bytes) {
  with_descriptor(file, O_WRONLY, fmt::format("no room for {} bytes", bytes),
                  [&](int descriptor) { return ::posix_fallocate(descriptor, 0, bytes); });
}

void store_on_disk(const std::filesystem::path& file) {
  with_descriptor(file, O_RDONLY, "cannot be stored",
                  [](int descriptor) { return ::fsync(descriptor) == 0 ? 0 : errno; });
}

void make_directory(const parallel::Comm& comm, const std::filesystem::path& directory) {
  parallel::all_or_none(comm, [&] {
    if (!comm.is_root()) return;
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    if (error) throw InputError(fmt::format("{}: cannot be made: {}", directory.string(), error.message()));
  });
}

}  // namespace scree::io
