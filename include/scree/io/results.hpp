#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "scree/dynamics/simulation.hpp"
#include "scree/io/paraview.hpp"
#include "scree/io/scene.hpp"
#include "scree/io/xdmf.hpp"
#include "scree/parallel/comm.hpp"

namespace scree::io {

/// The result directory of a run: series of bodies, of their surfaces if there are shapes and, if asked for, of
/// contacts, as files per rank or as one file per output; the walls as JSON.
class Results {
 public:
  /// Collective: makes the directory and writes the walls. Goes on from step `first`: earlier frames stay in the
  /// series.
  Results(const parallel::Comm& comm, const Scene& scene, const std::filesystem::path& directory, std::int64_t first);

  /// Collective: writes the state if the scene asks for an output after this step, or if it is the `last`.
  void write_if_due(dynamics::Simulation& simulation, const dynamics::StepReport& report, bool last);

  /// Collective: writes the bodies of a state that must not go on, as a series of its own, to look at what went wrong.
  void write_failed(dynamics::Simulation& simulation) const;

  /// That this rank wrote so far.
  [[nodiscard]] std::int64_t bytes_written() const { return bytes_written_; }

 private:
  [[nodiscard]] bool is_due(std::int64_t step) const { return output_.every > 0 && step % output_.every == 0; }
  [[nodiscard]] bool has(std::int64_t step) const;
  void drop_other_indices() const;

  const parallel::Comm& comm_;
  std::filesystem::path directory_;
  OutputOptions output_;
  std::vector<std::string> names_;  ///< of the series
  std::vector<ParaviewSeries> paraview_;
  std::optional<XdmfSeries> xdmf_;
  std::int64_t bytes_written_ = 0;
};

}  // namespace scree::io
