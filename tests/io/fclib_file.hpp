#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "scree/io/hdf5.hpp"
#include "support/sparse_forms.hpp"

// FCLIB files as other programs write them: by one process, in any of the formats.

namespace scree::test {

enum class Storage { rows, columns, triplets };
inline constexpr Storage storages[] = {Storage::rows, Storage::columns, Storage::triplets};

/// An HDF5 file that this process makes alone.
class SoloFile {
 public:
  explicit SoloFile(const std::filesystem::path& path, bool wide_integers = false)
      : wide_(wide_integers), file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose) {}

  void group(const std::string& name) const {
    const io::H5Handle made(H5Gcreate2(file_.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  }
  void integers(const std::string& name, const std::vector<std::int64_t>& values) const {
    add(name, wide_ ? H5T_STD_I64LE : H5T_STD_I32LE, H5T_NATIVE_INT64, values);
  }
  void numbers(const std::string& name, const std::vector<double>& values) const {
    add(name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values);
  }
  void numbers(const std::string& name, const Eigen::VectorXd& values) const {
    numbers(name, std::vector<double>(values.begin(), values.end()));
  }
  void matrix(const std::string& name, const Eigen::MatrixXd& dense, Storage storage) const;

 private:
  template <typename Number>
  void add(const std::string& name, hid_t stored, hid_t native, const std::vector<Number>& values) const {
    const hsize_t size = values.size();
    const io::H5Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
    const io::H5Handle data(
        H5Dcreate2(file_.get(), name.c_str(), stored, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
    if (size > 0) io::checked(H5Dwrite(data.get(), native, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), "write");
  }

  bool wide_;
  io::H5Handle file_;
};

inline void SoloFile::matrix(const std::string& name, const Eigen::MatrixXd& dense, Storage storage) const {
  std::vector<std::int64_t> p, i;
  std::vector<double> x;
  const bool by_columns = storage == Storage::columns;
  const Eigen::MatrixXd lines = by_columns ? Eigen::MatrixXd(dense.transpose()) : dense;
  for (Eigen::Index line = 0; line < lines.rows(); ++line) {
    if (storage != Storage::triplets) p.push_back(std::ssize(x));
    for (Eigen::Index k = 0; k < lines.cols(); ++k) {
      if (lines(line, k) == 0.0) continue;
      i.push_back(storage == Storage::triplets ? line : k);
      if (storage == Storage::triplets) p.push_back(k);
      x.push_back(lines(line, k));
    }
  }
  if (storage != Storage::triplets) p.push_back(std::ssize(x));
  group(name);
  integers(name + "/m", {dense.rows()});
  integers(name + "/n", {dense.cols()});
  integers(name + "/nzmax", {std::ssize(x)});
  integers(name + "/nz", {storage == Storage::rows ? -2 : by_columns ? -1 : std::ssize(x)});
  integers(name + "/p", p);
  integers(name + "/i", i);
  numbers(name + "/x", x);
}

inline void write_alone(const std::filesystem::path& path, const DenseLocal& problem, Storage storage,
                        bool wide_integers = false) {
  const SoloFile file(path, wide_integers);
  file.group("/fclib_local");
  file.integers("/fclib_local/spacedim", {3});
  file.matrix("/fclib_local/W", problem.W, storage);
  file.group("/fclib_local/vectors");
  file.numbers("/fclib_local/vectors/q", problem.q);
  file.numbers("/fclib_local/vectors/mu", problem.mu);
}

inline void write_alone(const std::filesystem::path& path, const DenseGlobal& problem, Storage storage,
                        bool wide_integers = false) {
  const SoloFile file(path, wide_integers);
  file.group("/fclib_global");
  file.integers("/fclib_global/spacedim", {3});
  file.matrix("/fclib_global/M", problem.M, storage);
  file.matrix("/fclib_global/H", problem.H, storage);
  file.group("/fclib_global/vectors");
  file.numbers("/fclib_global/vectors/f", problem.f);
  file.numbers("/fclib_global/vectors/w", problem.b);
  file.numbers("/fclib_global/vectors/mu", problem.mu);
}

/// Collective: the first rank writes, all may read afterwards.
template <typename Write>
void first_rank_writes(Write&& write) {
  parallel::all_or_none(world(), [&] {
    if (world().is_root()) write();
  });
}

}  // namespace scree::test
