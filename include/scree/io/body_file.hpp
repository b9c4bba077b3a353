#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "scree/io/fill.hpp"
#include "scree/model/material.hpp"
#include "scree/parallel/comm.hpp"

namespace scree::io {

/// Bodies listed in a file. CSV: a line of titles, then a body a line; HDF5: data sets of the same names. There must be
/// x, y, z (HDF5: position) and, for spheres, radius unless the recipe has one; there may be vx, vy, vz (velocity),
/// material and id.
struct FileFill : model::BodyRecipe {
  std::filesystem::path file;
  std::int64_t count = 0;   ///< of rows, once it is known
  bool has_radius = false;  ///< the recipe says how large bodies are: the file need not
};

/// Collective: how many bodies a file lists. Throws InputError if it cannot be read.
[[nodiscard]] std::int64_t count_bodies(const parallel::Comm& comm, const std::filesystem::path& file);

/// What bodies from files are made with.
struct FileContext {
  std::uint64_t seed;
  int fill_number;
  std::int64_t first_id;  ///< of files without ids, which count on from here
  const std::vector<model::Material>& materials;
  const std::vector<model::Shape>& shapes;
};

/// A body with the place in its file.
struct FileBody {
  model::Body body;
  std::int64_t line;  ///< of a CSV file; of an HDF5 file the row, from 0
};

/// The place of a body in its file, for messages: "file:line", or "file: row n".
[[nodiscard]] std::string place_in(const std::filesystem::path& file, std::int64_t line);

/// Collective: this rank's share of the rows, those of all ranks in the order of the file. Throws InputError with the
/// place of the first wrong row.
[[nodiscard]] std::vector<FileBody> read_bodies(const parallel::Comm& comm, const FileFill& fill,
                                                const FileContext& context);

}  // namespace scree::io
