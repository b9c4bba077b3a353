#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "scree/dynamics/simulation.hpp"
#include "scree/parallel/comm.hpp"

namespace scree::io {

/// What a checkpoint brings back on this rank.
struct Checkpoint {
  model::Bodies bodies;
  dynamics::Progress progress;
  std::vector<double> crossings;  ///< that measurements had counted
};

/// Collective: writes the state of a simulation to one HDF5 file, each rank its own part. The file appears under its
/// name only when it is complete. Returns the bytes of this rank.
std::int64_t write_checkpoint(const parallel::Comm& comm, const std::filesystem::path& file,
                              dynamics::Simulation& simulation, const std::string& scene_text,
                              const std::vector<double>& crossings = {});

/// Collective: reads a checkpoint of any number of ranks. Throws InputError if it is damaged or of another kind.
[[nodiscard]] Checkpoint read_checkpoint(const parallel::Comm& comm, const std::filesystem::path& file);

/// The checkpoints of a run: `directory`/checkpoint-<step>.h5, the newest two of them.
class CheckpointSeries {
 public:
  explicit CheckpointSeries(std::filesystem::path directory) : directory_(std::move(directory)) {}

  /// Collective. Returns the bytes of this rank.
  std::int64_t write(const parallel::Comm& comm, dynamics::Simulation& simulation, const std::string& scene_text,
                     const std::vector<double>& crossings = {}) const;

  /// Collective: the newest checkpoint that is good, if there is any.
  [[nodiscard]] std::optional<Checkpoint> read_newest(const parallel::Comm& comm) const;

 private:
  [[nodiscard]] std::vector<std::filesystem::path> newest_first(const parallel::Comm& comm) const;

  std::filesystem::path directory_;
};

}  // namespace scree::io
