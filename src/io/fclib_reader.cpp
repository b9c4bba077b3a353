#include "scree/io/fclib_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

#include "scree/io/shared_hdf5.hpp"
#include "scree/parallel/error.hpp"
#include "scree/parallel/even_split.hpp"
#include "scree/parallel/petsc.hpp"

namespace scree::io {

namespace fs = std::filesystem;
using parallel::Comm;
using parallel::EvenSplit;
using problem::SparseEntry;
using problem::SparseMatrix;

namespace {

/// By its bits: comparisons would raise a floating-point exception for the numbers in question.
bool is_finite(double value) {
  constexpr std::uint64_t exponent = 0x7FF0000000000000ULL;
  return (std::bit_cast<std::uint64_t>(value) & exponent) != exponent;
}

Slab slab_of(const Comm& comm, const EvenSplit& split) { return {split.first(comm.rank()), split.count(comm.rank())}; }

/// Reads the parts of an FCLIB file and trusts none of them. All functions are collective.
class Reader {
 public:
  Reader(const Comm& comm, const fs::path& path)
      : comm_(comm), path_(path), file_(SharedHdf5::open(comm, path)), size_(file_size()) {}

  [[nodiscard]] bool has(const std::string& name) const { return file_.has(name); }

  [[noreturn]] void fail(const std::string& name, const std::string& what) const {
    throw InputError(fmt::format("{}: {}", name, what));
  }

  /// A single number.
  [[nodiscard]] std::int64_t number(const std::string& name) const {
    if (const std::int64_t length = length_of(name, H5T_INTEGER); length != 1)
      fail(name, fmt::format("must be one number, holds {}", length));
    return file_.read_entries<std::int64_t>(name, {0, 1}).front();
  }

  [[nodiscard]] std::int64_t size(const std::string& name) const {
    const std::int64_t value = number(name);
    if (value < 0 || value > std::numeric_limits<std::int32_t>::max())
      fail(name, fmt::format("must be a size, is {}", value));
    return value;
  }

  /// This rank's part of a vector.
  [[nodiscard]] std::vector<double> vector(const std::string& name, const EvenSplit& split) const {
    if (const std::int64_t length = length_of(name, H5T_FLOAT); length != split.total)
      fail(name, fmt::format("must have {} entries to fit the matrices, has {}", split.total, length));
    return values(name, slab_of(comm_, split));
  }

  [[nodiscard]] SparseMatrix matrix(const std::string& name) const {
    SparseMatrix result{size(name + "/m"), size(name + "/n"), {}};
    constexpr std::int64_t by_columns = -1, by_rows = -2;
    const std::int64_t format = number(name + "/nz");
    if (format == by_rows || format == by_columns) {
      read_compressed(name, format == by_rows, result);
    } else if (format >= 0) {
      read_triplets(name, format, result);
    } else {
      fail(name + "/nz", fmt::format("must be -2 (by rows), -1 (by columns) or a number of triplets, is {}", format));
    }
    return result;
  }

 private:
  [[nodiscard]] std::int64_t file_size() const {
    std::int64_t size = 0;
    parallel::all_or_none(comm_, [&] { size = static_cast<std::int64_t>(fs::file_size(path_)); });
    return size;
  }

  /// The length of a data set that holds numbers of this kind.
  [[nodiscard]] std::int64_t length_of(const std::string& name, H5T_class_t kind) const {
    if (!file_.has(name)) fail(name, "is missing: FCLIB needs it");
    const DatasetShape shape = file_.shape_of(name);
    if (shape.kind != kind || !shape.has_standard_type)
      fail(name, kind == H5T_FLOAT ? "must hold floating-point numbers" : "must hold integers of 32 or 64 bits");
    constexpr std::int64_t best_compression = 1024;
    if (shape.bytes > size_ || shape.length / best_compression > shape.bytes)
      fail(name, fmt::format("claims {} entries, more than the file holds: it is damaged", shape.length));
    return shape.length;
  }

  [[nodiscard]] std::vector<double> values(const std::string& name, Slab slab) const {
    std::vector<double> result = file_.read_entries<double>(name, slab);
    parallel::all_or_none(comm_, [&] {
      const auto bad = std::ranges::find_if_not(result, is_finite);
      if (bad != result.end())
        fail(name, fmt::format("entry {} is not a finite number", slab.first + (bad - result.begin())));
    });
    return result;
  }

  /// Integers of which each must be one of 0 .. end-1.
  [[nodiscard]] std::vector<std::int64_t> indices(const std::string& name, Slab slab, std::int64_t end) const {
    std::vector<std::int64_t> result = file_.read_entries<std::int64_t>(name, slab);
    parallel::all_or_none(comm_, [&] {
      const auto bad = std::ranges::find_if_not(result, [&](std::int64_t k) { return k >= 0 && k < end; });
      if (bad != result.end())
        fail(name,
             fmt::format("entry {} is {}, must be one of 0 to {}", slab.first + (bad - result.begin()), *bad, end - 1));
    });
    return result;
  }

  /// Entries that the arrays i and x both have room for.
  [[nodiscard]] std::int64_t room(const std::string& name) const {
    return std::min(length_of(name + "/i", H5T_INTEGER), length_of(name + "/x", H5T_FLOAT));
  }

  void read_triplets(const std::string& name, std::int64_t count, SparseMatrix& matrix) const {
    if (count > room(name) || count > length_of(name + "/p", H5T_INTEGER))
      fail(name, fmt::format("nz says {} triplets, but i, p or x has fewer entries", count));
    const Slab slab = slab_of(comm_, {count, comm_.size()});
    const auto rows = indices(name + "/i", slab, matrix.rows), columns = indices(name + "/p", slab, matrix.columns);
    const auto x = values(name + "/x", slab);
    for (std::size_t k = 0; k < x.size(); ++k) matrix.entries.push_back({rows[k], columns[k], x[k]});
  }

  /// Each rank reads whole lines, that is rows or columns.
  void read_compressed(const std::string& name, bool by_rows, SparseMatrix& matrix) const {
    const EvenSplit lines{by_rows ? matrix.rows : matrix.columns, comm_.size()};
    if (const std::int64_t length = length_of(name + "/p", H5T_INTEGER); length != lines.total + 1)
      fail(name + "/p", fmt::format("must have {} entries, one more than {}, has {}", lines.total + 1,
                                    by_rows ? "rows" : "columns", length));
    const Slab own = slab_of(comm_, lines);
    const std::int64_t most = room(name);
    const auto starts = indices(name + "/p", {own.first, own.count > 0 ? own.count + 1 : 0}, most + 1);
    parallel::all_or_none(comm_, [&] {
      if (!std::ranges::is_sorted(starts) || (own.first == 0 && own.count > 0 && starts.front() != 0))
        fail(name + "/p", "must begin with 0 and not descend");
    });
    const Slab slab = starts.empty() ? Slab{0, 0} : Slab{starts.front(), starts.back() - starts.front()};
    const auto across = indices(name + "/i", slab, by_rows ? matrix.columns : matrix.rows);
    const auto x = values(name + "/x", slab);
    for (std::size_t line = 0; line + 1 < starts.size(); ++line)
      for (std::int64_t k = starts[line] - slab.first; k < starts[line + 1] - slab.first; ++k) {
        const std::int64_t along = own.first + static_cast<std::int64_t>(line);
        const std::int64_t other = across[static_cast<std::size_t>(k)];
        matrix.entries.push_back({by_rows ? along : other, by_rows ? other : along, x[static_cast<std::size_t>(k)]});
      }
  }

  const Comm& comm_;
  fs::path path_;
  SharedHdf5 file_;
  std::int64_t size_;  ///< bytes
};

void require_square(const Reader& reader, const std::string& name, const SparseMatrix& matrix) {
  if (matrix.rows != matrix.columns)
    reader.fail(name, fmt::format("must be square, is {} x {}", matrix.rows, matrix.columns));
}

void require_contacts(const Reader& reader, const std::string& name, std::int64_t rows) {
  if (rows % 3 != 0) reader.fail(name, fmt::format("must be a multiple of 3, three rows a contact, is {}", rows));
}

/// Collective.
std::vector<double> read_friction(const Comm& comm, const Reader& reader, const std::string& group, std::int64_t rows) {
  const EvenSplit contacts{rows / 3, comm.size()};
  const std::string name = group + "/vectors/mu";
  std::vector<double> mu = reader.vector(name, contacts);
  parallel::all_or_none(comm, [&] {
    const auto bad = std::ranges::find_if(mu, [](double value) { return value < 0.0; });
    if (bad != mu.end())
      reader.fail(name, fmt::format("entry {} is {}: friction must not be negative",
                                    contacts.first(comm.rank()) + (bad - mu.begin()), *bad));
  });
  return mu;
}

problem::LocalForm read_local(const Comm& comm, const Reader& reader) {
  const std::string group = "/fclib_local";
  problem::LocalForm form;
  form.W = reader.matrix(group + "/W");
  require_square(reader, group + "/W", form.W);
  require_contacts(reader, group + "/W/m", form.W.rows);
  form.q = reader.vector(group + "/vectors/q", problem::split_contacts(comm, form.W.rows));
  form.mu = read_friction(comm, reader, group, form.W.rows);
  return form;
}

problem::GlobalForm read_global(const Comm& comm, const Reader& reader) {
  const std::string group = "/fclib_global";
  problem::GlobalForm form;
  form.M = reader.matrix(group + "/M");
  form.H = reader.matrix(group + "/H");
  require_square(reader, group + "/M", form.M);
  if (form.H.rows != form.M.rows)
    reader.fail(group + "/H/m", fmt::format("must be {} to fit M, is {}", form.M.rows, form.H.rows));
  require_contacts(reader, group + "/H/n", form.H.columns);
  form.f = reader.vector(group + "/vectors/f", problem::split_dofs(comm, form.M.rows));
  form.b = reader.vector(group + "/vectors/w", problem::split_contacts(comm, form.H.columns));
  form.mu = read_friction(comm, reader, group, form.H.columns);
  return form;
}

/// Collective: how many bodies of six degrees of freedom M describes; 0 if it couples more than that.
std::int64_t count_bodies(const Comm& comm, const SparseMatrix& M) {
  const bool coupled = comm.any(
      std::ranges::any_of(M.entries, [](const SparseEntry& entry) { return entry.row / 6 != entry.column / 6; }));
  return coupled || M.rows % 6 != 0 ? 0 : M.rows / 6;
}

/// Collective.
void require_finite(const problem::ContactProblem& problem) {
  bool finite = true;
  for (const model::Mat3& block : problem.N->diagonal_blocks())
    finite = finite && std::all_of(block.data(), block.data() + block.size(), is_finite);
  const parallel::ReadArray r(problem.r);
  finite = finite && std::all_of(r.data(), r.data() + r.size(), is_finite);
  if (problem.N->comm().any(!finite)) throw InputError("its numbers are so large that products overflow");
}

FclibProblem read(const Comm& comm, const fs::path& path) {
  const Reader reader(comm, path);
  FclibProblem result;
  result.name = path.stem().string();
  result.global = !reader.has("/fclib_local");
  const std::string group = result.global ? "/fclib_global" : "/fclib_local";
  if (!reader.has(group)) throw InputError("holds neither /fclib_local nor /fclib_global: it is no FCLIB problem");
  if (const auto dimension = reader.number(group + "/spacedim"); dimension != 3)
    reader.fail(group + "/spacedim", fmt::format("is {}: only problems in 3 dimensions are solved", dimension));
  for (const char* equality : {"/V", "/R", "/G"})
    if (reader.has(group + equality)) reader.fail(group + equality, "equality constraints are not supported");
  if (result.global) {
    const problem::GlobalForm form = read_global(comm, reader);
    result.dofs = form.M.rows;
    result.contacts = form.H.columns / 3;
    result.bodies = count_bodies(comm, form.M);
    result.form = make_problem(comm, form);
  } else {
    const problem::LocalForm form = read_local(comm, reader);
    result.contacts = form.W.rows / 3;
    result.form = make_problem(comm, form);
  }
  return result;
}

/// Collective: whatever goes wrong while a file is read is an error of that file.
template <typename Read>
auto read_file(const Comm& comm, const fs::path& file, const char* remedy, const Read& read) {
  parallel::all_or_none(comm, [&] {
    std::error_code error;
    if (!fs::exists(file, error)) throw InputError(file.string() + ": no such file: check the name");
    if (!fs::is_regular_file(file, error)) throw InputError(fmt::format("{}: is no file: {}", file.string(), remedy));
  });
  const QuietHdf5 quiet;
  try {
    return read();
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", file.string(), error.what()));
  } catch (const std::runtime_error& error) {
    throw InputError(
        fmt::format("{}: {}: it is damaged or no HDF5 file, get another copy", file.string(), error.what()));
  }
}

}  // namespace

FclibProblem read_problem(const Comm& comm, const fs::path& file) {
  FclibProblem result = read_file(comm, file, "name an FCLIB problem", [&] {
    FclibProblem problem = read(comm, file);
    require_finite(problem.problem());
    return problem;
  });
  constexpr double rounding = 1e-10;
  if (const double asymmetry = result.form.asymmetry; asymmetry > rounding)
    result.warning = fmt::format("{}: {} is unsymmetric by {:.1e} of its largest entry; it is used as it is",
                                 file.string(), result.form.matrix, asymmetry);
  return result;
}

parallel::Vector read_impulses(const Comm& comm, const fs::path& file, const FclibProblem& problem) {
  return read_file(comm, file, "name a file with the group /solution", [&] {
    const std::vector<double> r =
        Reader(comm, file).vector("/solution/r", problem::split_contacts(comm, 3 * problem.contacts));
    parallel::Vector x = problem.problem().make_vector();
    std::ranges::copy(r, parallel::WriteArray(x).data());
    return x;
  });
}

}  // namespace scree::io
