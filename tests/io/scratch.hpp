#pragma once

#include <mpi.h>
#include <stdlib.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "scree/parallel/comm.hpp"

namespace scree::test {

/// An empty directory that all ranks share and that ends with this object. Collective.
class ScratchDirectory {
 public:
  explicit ScratchDirectory(const parallel::Comm& comm) : comm_(comm) {
    std::array<char, 256> name{};
    if (comm.is_root()) {
      const std::string pattern = (std::filesystem::temp_directory_path() / "scree-test-XXXXXX").string();
      std::memcpy(name.data(), pattern.c_str(), pattern.size() + 1);
      if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
    }
    MPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, 0, comm.handle());
    path_ = name.data();
  }
  ~ScratchDirectory() {
    MPI_Barrier(comm_.handle());
    std::error_code ignored;
    if (comm_.is_root()) std::filesystem::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  const parallel::Comm& comm_;
  std::filesystem::path path_;
};

}  // namespace scree::test
