#include "scree/io/body_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <functional>
#include <optional>
#include <string_view>

#include "scree/io/shared_hdf5.hpp"
#include "scree/parallel/error.hpp"
#include "scree/parallel/even_split.hpp"

namespace scree::io {

namespace {

namespace fs = std::filesystem;
using model::Vec3;
using parallel::Comm;

/// A row of a file as far as it says anything.
struct Row {
  std::int64_t line = 0;
  Vec3 position = Vec3::Zero();
  Vec3 velocity = Vec3::Zero();
  double radius = 0.0;
  int material = 0;
  std::int64_t id = 0;
};

/// Which columns a file has.
struct Columns {
  bool radius = false, velocity = false, material = false, id = false;
};

struct Table {
  Columns columns;
  std::vector<Row> rows;
};

bool is_hdf5(const fs::path& file) { return file.extension() == ".h5" || file.extension() == ".hdf5"; }

void require_file(const Comm& comm, const fs::path& file) {
  parallel::all_or_none(comm, [&] {
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored))
      throw InputError(file.string() + ": no such file: its name counts from the directory of the scene");
  });
}

// ---- CSV

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t start = 0; start <= line.size();) {
    const std::size_t end = std::min(line.find(',', start), line.size());
    cells.push_back(trimmed(line.substr(start, end - start)));
    start = end + 1;
  }
  return cells;
}

bool is_row(std::string_view line) { return !trimmed(line).empty() && trimmed(line).front() != '#'; }

/// Calls `visit` with each line that begins in this rank's share of the bytes of a file, and where it begins.
void for_each_line(const Comm& comm, const fs::path& file,
                   const std::function<void(const std::string&, std::int64_t)>& visit) {
  const parallel::EvenSplit bytes{static_cast<std::int64_t>(fs::file_size(file)), comm.size()};
  std::int64_t at = bytes.first(comm.rank());
  const std::int64_t end = bytes.first(comm.rank() + 1);
  std::ifstream stream(file, std::ios::binary);
  std::string line;
  if (at > 0) {  // the line that the rank before begins ends first
    stream.seekg(at - 1);
    std::getline(stream, line);
    at += std::ssize(line);
  }
  for (; at < end && std::getline(stream, line); at += std::ssize(line) + 1) visit(line, at);
  if (stream.bad()) throw InputError(file.string() + ": cannot be read");
}

/// What stands in each column, from the first row of a CSV file.
class Titles {
 public:
  explicit Titles(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    std::string line;
    for (line_ = 1; std::getline(stream, line) && !is_row(line); ++line_) first_row_ += std::ssize(line) + 1;
    first_row_ += std::ssize(line) + 1;
    for (const std::string_view cell : cells_of(line)) {
      const auto known = std::ranges::find(names, cell);
      if (known == names.end())
        throw InputError(
            fmt::format("{}:{}: '{}' is no title: the first line names the columns x, y, z, radius, vx, "
                        "vy, vz, material, id",
                        file.string(), line_, cell));
      field_.push_back(static_cast<std::size_t>(known - names.begin()));
    }
    const auto has = [&](std::size_t field) { return std::ranges::count(field_, field) == 1; };
    if (!has(0) || !has(1) || !has(2))
      throw InputError(fmt::format("{}:{}: needs the columns x, y and z, each once", file.string(), line_));
    columns_ = {has(3), has(4) && has(5) && has(6), has(7), has(8)};
  }

  /// Where the rows below begin, in bytes.
  [[nodiscard]] std::int64_t first_row() const { return first_row_; }
  [[nodiscard]] const Columns& columns() const { return columns_; }

  /// Throws InputError without the place.
  [[nodiscard]] Row parse(const std::string& line, const std::vector<model::Material>& materials) const {
    const std::vector<std::string_view> cells = cells_of(line);
    if (cells.size() != field_.size())
      throw InputError(fmt::format("has {} cells, but there are {} columns", cells.size(), field_.size()));
    Row row;
    for (std::size_t k = 0; k < cells.size(); ++k) set(row, field_[k], cells[k], materials);
    return row;
  }

 private:
  static constexpr std::array<std::string_view, 9> names{"x", "y", "z", "radius", "vx", "vy", "vz", "material", "id"};

  static double number_in(std::string_view cell, std::size_t field) {
    double value = 0.0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error != std::errc{} || end != cell.data() + cell.size() || !std::isfinite(value))
      throw InputError(fmt::format("{}: must be a number, is '{}'", names[field], cell));
    return value;
  }

  static void set(Row& row, std::size_t field, std::string_view cell, const std::vector<model::Material>& materials) {
    if (field < 3) {
      row.position[static_cast<int>(field)] = number_in(cell, field);
    } else if (field == 3) {
      row.radius = number_in(cell, field);
    } else if (field < 7) {
      row.velocity[static_cast<int>(field) - 4] = number_in(cell, field);
    } else if (field == 7) {
      const auto found = std::ranges::find(materials, cell, &model::Material::name);
      if (found == materials.end()) throw InputError(fmt::format("material: the scene has none named '{}'", cell));
      row.material = static_cast<int>(found - materials.begin());
    } else {
      const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), row.id);
      if (error != std::errc{} || end != cell.data() + cell.size())
        throw InputError(fmt::format("id: must be a whole number, is '{}'", cell));
    }
  }

  std::vector<std::size_t> field_;
  Columns columns_;
  std::int64_t line_ = 0;
  std::int64_t first_row_ = 0;
};

Table read_csv(const Comm& comm, const fs::path& file, const std::vector<model::Material>& materials) {
  Table table;
  std::int64_t lines = 0, wrong_line = 0;
  std::string wrong;
  parallel::all_or_none(comm, [&] {
    const Titles titles(file);
    table.columns = titles.columns();
    for_each_line(comm, file, [&](const std::string& line, std::int64_t at) {
      ++lines;
      if (!wrong.empty() || !is_row(line) || at < titles.first_row()) return;
      try {
        table.rows.push_back(titles.parse(line, materials));
        table.rows.back().line = lines;
      } catch (const InputError& error) {
        wrong = error.what();
        wrong_line = lines;
      }
    });
  });
  const std::int64_t before = comm.sum_below(lines);
  for (Row& row : table.rows) row.line += before;
  parallel::all_or_none(comm, [&] {
    if (!wrong.empty()) throw InputError(fmt::format("{}: {}", place_in(file, before + wrong_line), wrong));
  });
  return table;
}

std::int64_t count_csv_rows(const Comm& comm, const fs::path& file) {
  std::int64_t rows = 0;
  parallel::all_or_none(comm, [&] {
    for_each_line(comm, file, [&](const std::string& line, std::int64_t /*at*/) { rows += is_row(line) ? 1 : 0; });
  });
  return std::max<std::int64_t>(0, comm.sum(rows) - 1);
}

// ---- HDF5

/// Collective: `work` on the open file; what HDF5 does not like is bad input.
template <typename Work>
void with_hdf5(const Comm& comm, const fs::path& file, Work&& work) {
  try {
    const QuietHdf5 quiet;
    const SharedHdf5 in = SharedHdf5::open(comm, file);
    work(in);
  } catch (const InputError&) {
    throw;
  } catch (const std::exception& error) {
    throw InputError(fmt::format("{}: is not an HDF5 file of bodies ({})", file.string(), error.what()));
  }
}

std::int64_t length_of(const SharedHdf5& in, const fs::path& file, const char* name, std::int64_t width) {
  if (!in.has(name)) throw InputError(fmt::format("{}: has no data set '{}'", file.string(), name));
  const std::int64_t length = in.shape_of(name).length;
  if (length % width != 0)
    throw InputError(fmt::format("{}: {}: needs {} numbers for each body", file.string(), name, width));
  return length / width;
}

std::int64_t count_hdf5_rows(const Comm& comm, const fs::path& file) {
  std::int64_t rows = 0;
  with_hdf5(comm, file, [&](const SharedHdf5& in) { rows = length_of(in, file, "position", 3); });
  return rows;
}

Table read_hdf5(const Comm& comm, const fs::path& file, std::size_t materials) {
  Table table;
  with_hdf5(comm, file, [&](const SharedHdf5& in) {
    const std::int64_t total = length_of(in, file, "position", 3);
    const parallel::EvenSplit split{total, comm.size()};
    const Slab own{split.first(comm.rank()), split.count(comm.rank())};
    table.rows.resize(static_cast<std::size_t>(own.count));
    for (std::size_t k = 0; k < table.rows.size(); ++k) table.rows[k].line = own.first + static_cast<std::int64_t>(k);
    const auto read = [&]<typename Number>(const char* name, std::int64_t width, Number /*kind*/, auto&& set) {
      if (!in.has(name)) return false;
      if (length_of(in, file, name, width) != total)
        throw InputError(fmt::format("{}: {}: is not as long as 'position'", file.string(), name));
      const auto numbers = in.read_entries<Number>(name, {own.first * width, own.count * width});
      for (std::size_t k = 0; k < table.rows.size(); ++k)
        set(table.rows[k], &numbers[k * static_cast<std::size_t>(width)]);
      return true;
    };
    read("position", 3, 0.0, [](Row& row, const double* x) { row.position = Vec3(x); });
    Columns& has = table.columns;
    has.velocity = read("velocity", 3, 0.0, [](Row& row, const double* v) { row.velocity = Vec3(v); });
    has.radius = read("radius", 1, 0.0, [](Row& row, const double* r) { row.radius = *r; });
    has.id = read("id", 1, std::int64_t{0}, [](Row& row, const std::int64_t* id) { row.id = *id; });
    has.material = read("material", 1, std::int64_t{0}, [&](Row& row, const std::int64_t* material) {
      const bool is_known = *material >= 0 && *material < static_cast<std::int64_t>(materials);
      row.material = is_known ? static_cast<int>(*material) : -1;
    });
  });
  return table;
}

// ---- both

/// Throws InputError without the place.
model::Body make_row_body(const FileFill& fill, const Row& row, const Columns& columns, const FileContext& context,
                          std::int64_t number) {
  if (!row.position.allFinite() || !row.velocity.allFinite())
    throw InputError("position and velocity must be finite numbers");
  if (columns.material && row.material < 0)
    throw InputError(fmt::format("material: must be below {}, the number of materials", context.materials.size()));
  if (columns.id && row.id < 0) throw InputError(fmt::format("id: must not be negative, is {}", row.id));
  model::BodyRecipe recipe = fill;
  if (columns.velocity) recipe.velocity = row.velocity;
  if (columns.material) {
    recipe.material = row.material;
    recipe.density = context.materials[static_cast<std::size_t>(row.material)].density;
  }
  model::Draws draws{context.seed, static_cast<std::uint64_t>(context.fill_number), static_cast<std::uint64_t>(number)};
  double radius = row.radius;
  if (!columns.radius) radius = random_radius(fill, draws);
  if (fill.shape == model::sphere && !(std::isfinite(radius) && radius > 0.0))
    throw InputError(fmt::format("radius: must be positive, is {}", radius));
  const std::int64_t id = columns.id ? row.id : context.first_id + number;
  return make_body(recipe, context.shapes, id, row.position, radius, draws);
}

}  // namespace

std::string place_in(const fs::path& file, std::int64_t line) {
  return fmt::format("{}:{}{}", file.string(), is_hdf5(file) ? " row " : "", line);
}

std::int64_t count_bodies(const Comm& comm, const fs::path& file) {
  require_file(comm, file);
  const std::int64_t rows = is_hdf5(file) ? count_hdf5_rows(comm, file) : count_csv_rows(comm, file);
  if (rows == 0) throw InputError(file.string() + ": lists no bodies");
  return rows;
}

std::vector<FileBody> read_bodies(const Comm& comm, const FileFill& fill, const FileContext& context) {
  require_file(comm, fill.file);
  const Table table = is_hdf5(fill.file) ? read_hdf5(comm, fill.file, context.materials.size())
                                         : read_csv(comm, fill.file, context.materials);
  if (fill.shape != model::sphere && table.columns.radius)
    throw InputError(fill.file.string() + ": radius: the bodies have a 'shape': leave one of the two out");
  if (fill.shape == model::sphere && !table.columns.radius && !fill.has_radius)
    throw InputError(fill.file.string() + ": has no column 'radius': add it, or a 'radius' to the fill");
  std::int64_t number = comm.sum_below(std::ssize(table.rows));
  std::vector<FileBody> bodies;
  parallel::all_or_none(comm, [&] {
    for (const Row& row : table.rows) {
      try {
        bodies.push_back({make_row_body(fill, row, table.columns, context, number++), row.line});
      } catch (const InputError& error) {
        throw InputError(fmt::format("{}: {}", place_in(fill.file, row.line), error.what()));
      }
    }
  });
  return bodies;
}

}  // namespace scree::io
