#include "scree/io/fclib.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include "scree/io/atomic_file.hpp"
#include "scree/io/hdf5.hpp"
#include "scree/parallel/error.hpp"
#include "scree/parallel/petsc.hpp"
#include "scree/problem/contact_frame.hpp"

namespace scree::io {

using model::Vec3;
using problem::ContactFrame;

namespace {

hid_t type_of(const double&) { return H5T_NATIVE_DOUBLE; }
hid_t type_of(const std::int32_t&) { return H5T_NATIVE_INT32; }

/// An HDF5 file that all ranks write together. Every call is collective and fails on all ranks alike: after one that
/// failed on some of them only, the others would wait in the next for ever.
class SharedFile {
 public:
  SharedFile(const parallel::Comm& comm, const std::filesystem::path& path)
      : comm_(comm),
        transfer_(property_list(H5P_DATASET_XFER)),
        layout_(property_list(H5P_DATASET_CREATE)),
        file_(create(path)) {
    parallel::all_or_none(comm_, [&] {
      checked(H5Pset_dxpl_mpio(transfer_.get(), H5FD_MPIO_COLLECTIVE), "choose collective transfers");
      // Every entry is written by some rank, so filling the file first would only double the traffic.
      checked(H5Pset_fill_time(layout_.get(), H5D_FILL_TIME_NEVER), "choose a layout");
    });
  }

  void add_group(const std::string& name) {
    opened([&] { return H5Gcreate2(file_.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT); }, H5Gclose,
           "make the group " + name);
  }

  /// The entries of all ranks, rank by rank.
  template <typename Number>
  void add_entries(const std::string& name, std::span<const Number> own) {
    const auto count = static_cast<hsize_t>(own.size());
    const auto first = static_cast<hsize_t>(comm_.sum_below(static_cast<std::int64_t>(own.size())));
    const auto total = static_cast<hsize_t>(comm_.sum(static_cast<std::int64_t>(own.size())));
    const hid_t type = type_of(Number{});
    const H5Handle space = opened([&] { return H5Screate_simple(1, &total, nullptr); }, H5Sclose, "size " + name);
    const H5Handle memory = opened([&] { return H5Screate_simple(1, &count, nullptr); }, H5Sclose, "size " + name);
    const H5Handle dataset = add_dataset(name, type, space);
    if (total == 0) return;
    // Ranks without entries take part in the collective transfer with nothing selected.
    agreed("select the part of " + name, [&] {
      if (count == 0) return H5Sselect_none(space.get());
      return H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, &first, nullptr, &count, nullptr);
    });
    agreed("write " + name,
           [&] { return H5Dwrite(dataset.get(), type, memory.get(), space.get(), transfer_.get(), own.data()); });
  }

  /// One number that all ranks know.
  void add_number(const std::string& name, std::int64_t value) {
    const auto number = static_cast<std::int32_t>(value);
    add_entries(name, std::span(&number, comm_.is_root() ? 1U : 0U));
  }

  void add_text(const std::string& name, const std::string& text) {
    const H5Handle type = opened([] { return H5Tcopy(H5T_C_S1); }, H5Tclose, "describe " + name);
    agreed("size " + name, [&] { return H5Tset_size(type.get(), text.size() + 1); });
    const H5Handle space = opened([] { return H5Screate(H5S_SCALAR); }, H5Sclose, "size " + name);
    const H5Handle dataset = add_dataset(name, type.get(), space);
    agreed("write " + name,
           [&] { return H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, transfer_.get(), text.c_str()); });
  }

  /// Hands all over to the file system, which may find only now that it has no room.
  void close() {
    agreed("store the file", [&] { return H5Fflush(file_.get(), H5F_SCOPE_GLOBAL); });
    parallel::all_or_none(comm_, [&] { file_.close("close the file"); });
  }

 private:
  template <typename Call>
  void agreed(const std::string& what, Call&& call) const {
    parallel::all_or_none(comm_, [&] { checked(call(), what.c_str()); });
  }

  template <typename Open>
  H5Handle opened(Open&& open, H5Handle::Close closer, const std::string& what) const {
    std::optional<H5Handle> handle;
    parallel::all_or_none(comm_, [&] { handle.emplace(open(), closer, what.c_str()); });
    return std::move(*handle);
  }

  H5Handle property_list(hid_t kind) const {
    return opened([&] { return H5Pcreate(kind); }, H5Pclose, "make a property list");
  }

  H5Handle create(const std::filesystem::path& path) const {
    const H5Handle access = property_list(H5P_FILE_ACCESS);
    agreed("share the file", [&] { return H5Pset_fapl_mpio(access.get(), comm_.handle(), MPI_INFO_NULL); });
    return opened([&] { return H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()); }, H5Fclose,
                  "make the file");
  }

  H5Handle add_dataset(const std::string& name, hid_t type, const H5Handle& space) const {
    return opened(
        [&] {
          return H5Dcreate2(file_.get(), name.c_str(), type, space.get(), H5P_DEFAULT, layout_.get(), H5P_DEFAULT);
        },
        H5Dclose, "make " + name);
  }

  const parallel::Comm& comm_;
  H5Handle transfer_;
  H5Handle layout_;
  H5Handle file_;
};

/// A part of a sparse matrix.
struct Triplets {
  std::vector<std::int32_t> row, column;
  std::vector<double> value;

  void reserve(std::size_t count) {
    row.reserve(count);
    column.reserve(count);
    value.reserve(count);
  }
  void add(std::int64_t i, std::int64_t j, double x) {
    row.push_back(static_cast<std::int32_t>(i));
    column.push_back(static_cast<std::int32_t>(j));
    value.push_back(x);
  }
};

/// This rank's part of M v = H x + f, u = H^T v + w.
struct GlobalProblem {
  std::int64_t bodies, contacts;  ///< of all ranks
  Triplets M, H;
  std::vector<double> f, w, mu;
};

constexpr std::int64_t body_rows = 6;
constexpr std::int64_t contact_columns = 3;
constexpr std::int64_t entries_per_end = 15;  // of H: a normal impulse does not turn a sphere

/// Collective: the number of each local body among those of all ranks.
std::vector<double> body_numbers(const parallel::Comm& comm, const dynamics::StepProblem& problem) {
  const auto first = static_cast<double>(comm.sum_below(problem.bodies.owned()));
  std::vector<double> numbers(static_cast<std::size_t>(problem.bodies.size()));
  for (std::size_t k = 0; k < static_cast<std::size_t>(problem.bodies.owned()); ++k) {
    numbers[k] = first + static_cast<double>(k);
  }
  problem.halo.forward(numbers.data(), {1, 1});
  return numbers;
}

void add_body(const model::Bodies& bodies, std::size_t k, std::int64_t number, GlobalProblem& part) {
  const double mass = bodies.mass[k], inertia = bodies.inertia[k].x();
  for (int c = 0; c < 6; ++c) {
    const double factor = c < 3 ? mass : inertia;
    part.M.add(body_rows * number + c, body_rows * number + c, factor);
    part.f.push_back(factor * (c < 3 ? bodies.velocity[k][c] : bodies.spin[k][c - 3]));
  }
}

/// Adds what contact `number` does to one of its bodies to H, and gives back what the body's motion adds to H^T v*.
/// The impulse acts on the body with `sign`.
Vec3 add_end(const model::Bodies& bodies, int body, std::int64_t row, std::int64_t number, const ContactFrame& frame,
             double sign, Triplets& H) {
  const auto k = static_cast<std::size_t>(body);
  const Vec3 n(frame.n), t(frame.t), o(frame.o);
  const Vec3 forces[] = {sign * n, sign * t, sign * o};
  // The lever arm is -sign * radius * n, so that both bodies are turned the same way; n x t = o and n x o = -t.
  const double radius = bodies.radius[k];
  const Vec3 torques[] = {Vec3::Zero(), -radius * o, radius * t};
  Vec3 velocity;
  for (int d = 0; d < 3; ++d) {
    const std::int64_t column = contact_columns * number + d;
    for (int c = 0; c < 3; ++c) H.add(row + c, column, forces[d][c]);
    for (int c = 0; c < 3 && d > 0; ++c) H.add(row + 3 + c, column, torques[d][c]);
    velocity[d] = forces[d].dot(bodies.velocity[k]) + torques[d].dot(bodies.spin[k]);
  }
  return velocity;
}

/// Collective.
GlobalProblem assemble(const parallel::Comm& comm, const dynamics::StepProblem& problem) {
  const std::vector<double> numbers = body_numbers(comm, problem);
  const std::int64_t first_contact = comm.sum_below(problem.contacts.size());
  GlobalProblem part{comm.sum(std::int64_t{problem.bodies.owned()}),
                     comm.sum(std::int64_t{problem.contacts.size()}),
                     {},
                     {},
                     {},
                     {},
                     {}};
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (body_rows * part.bodies > most || 2 * entries_per_end * part.contacts > most) {
    throw std::runtime_error(fmt::format("{} bodies with {} contacts are more than FCLIB's 32-bit numbers can count",
                                         part.bodies, part.contacts));
  }
  parallel::all_or_none(comm, [&] {
    const auto owned = static_cast<std::size_t>(problem.bodies.owned());
    part.M.reserve(body_rows * owned);
    part.f.reserve(body_rows * owned);
    for (std::size_t k = 0; k < owned; ++k) {
      add_body(problem.bodies, k, static_cast<std::int64_t>(numbers[k]), part);
    }
    const auto& contacts = problem.contacts.contacts;
    part.H.reserve(2 * entries_per_end * contacts.size());
    const parallel::ReadArray r(problem.problem.r);
    part.w.assign(r.data(), r.data() + r.size());
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      const ContactFrame frame(contacts[k].normal.data());
      for (const auto& [body, sign] : {std::pair(contacts[k].a, -1.0), std::pair(contacts[k].b, 1.0)}) {
        if (body < 0) continue;
        const auto row = body_rows * static_cast<std::int64_t>(numbers[static_cast<std::size_t>(body)]);
        const auto number = first_contact + static_cast<std::int64_t>(k);
        const Vec3 velocity = add_end(problem.bodies, body, row, number, frame, sign, part.H);
        for (std::size_t d = 0; d < 3; ++d) part.w[3 * k + d] -= velocity[static_cast<Eigen::Index>(d)];
      }
    }
    part.mu = problem.problem.K.friction;
    if (problem.problem.K.law == problem::Law::frictionless) part.mu.assign(contacts.size(), 0.0);
  });
  return part;
}

/// Collective.
void add_matrix(const parallel::Comm& comm, SharedFile& file, const std::string& name, std::int64_t rows,
                std::int64_t columns, const Triplets& part) {
  const std::int64_t entries = comm.sum(static_cast<std::int64_t>(part.value.size()));
  file.add_group(name);
  file.add_number(name + "/nzmax", entries);
  file.add_number(name + "/m", rows);
  file.add_number(name + "/n", columns);
  file.add_number(name + "/nz", entries);  // not negative: triplets
  file.add_entries(name + "/p", std::span(part.column));
  file.add_entries(name + "/i", std::span(part.row));
  file.add_entries(name + "/x", std::span(part.value));
}

/// Collective.
void write(const parallel::Comm& comm, const std::filesystem::path& path, const std::string& title,
           const GlobalProblem& part) {
  SharedFile file(comm, path);
  file.add_group("/fclib_global");
  file.add_number("/fclib_global/spacedim", 3);
  const std::int64_t rows = body_rows * part.bodies;
  add_matrix(comm, file, "/fclib_global/M", rows, rows, part.M);
  add_matrix(comm, file, "/fclib_global/H", rows, contact_columns * part.contacts, part.H);
  file.add_group("/fclib_global/vectors");
  file.add_entries("/fclib_global/vectors/f", std::span(part.f));
  file.add_entries("/fclib_global/vectors/w", std::span(part.w));
  file.add_entries("/fclib_global/vectors/mu", std::span(part.mu));
  file.add_group("/fclib_global/info");
  file.add_text("/fclib_global/info/title", title);
  file.close();
}

}  // namespace

namespace {

/// A contact has up to 36 entries in H, each a row, a column and a value; a body 6 in M.
std::int64_t bytes_at_most(const dynamics::StepProblem& problem) {
  constexpr std::int64_t entry = 2 * sizeof(std::int32_t) + sizeof(double);
  return problem.contacts.size() * (36 * entry + 4 * std::int64_t{sizeof(double)}) +
         problem.bodies.owned() * (6 * entry + 6 * std::int64_t{sizeof(double)});
}

}  // namespace

void write_global_problem(const parallel::Comm& comm, const std::filesystem::path& path,
                          const dynamics::StepProblem& problem) {
  const QuietHdf5 quiet;
  std::filesystem::path temporary = path;
  temporary += ".tmp";
  try {
    require_space(comm, temporary, comm.sum(bytes_at_most(problem)) + (1 << 16));
    write(comm, temporary, path.stem().string(), assemble(comm, problem));
    parallel::all_or_none(comm, [&] {
      if (comm.is_root()) std::filesystem::rename(temporary, path);
    });
  } catch (const std::exception& error) {
    std::error_code ignored;
    if (comm.is_root()) std::filesystem::remove(temporary, ignored);
    throw std::runtime_error(fmt::format("{}: cannot be written: {}", path.string(), error.what()));
  }
}

ProblemDump parse_problem_dump(const std::string& text, std::int64_t first, std::int64_t last) {
  const std::size_t colon = text.find(':');
  ProblemDump dump{};
  const char* const end = text.data() + std::min(colon, text.size());
  const auto [stop, error] = std::from_chars(text.data(), end, dump.step);
  if (colon == std::string::npos || colon + 1 == text.size() || error != std::errc{} || stop != end) {
    throw InputError(fmt::format("--dump-problem {}: must be STEP:FILE", text));
  }
  if (dump.step < first || dump.step > last) {
    throw InputError(fmt::format("--dump-problem {}: the run makes {} steps from step {} on, step {} is not among them",
                                 text, last - first + 1, first, dump.step));
  }
  dump.file = text.substr(colon + 1);
  return dump;
}

}  // namespace scree::io
