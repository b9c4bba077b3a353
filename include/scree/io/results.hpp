#pragma once

#include <filesystem>
#include <optional>

#include "scree/dynamics/simulation.hpp"
#include "scree/io/paraview.hpp"
#include "scree/io/scene.hpp"
#include "scree/parallel/comm.hpp"

namespace scree::io {

/// The result directory of a run: ParaView series of bodies, of their surfaces if there are shapes and, if asked
/// for, of contacts; the walls as JSON.
class Results {
 public:
  /// Collective: makes the directory and writes the walls. Goes on from step `first`: earlier frames stay in the
  /// series.
  Results(const parallel::Comm& comm, const Scene& scene, const std::filesystem::path& directory, std::int64_t first);

  /// Collective: writes the state if the scene asks for an output after this step, or if it is the `last`.
  void write_if_due(dynamics::Simulation& simulation, const dynamics::StepReport& report, bool last);

  /// Collective: writes the bodies of a state that must not go on, as a series of its own, to look at what went wrong.
  void write_failed(dynamics::Simulation& simulation) const;

 private:
  const parallel::Comm& comm_;
  std::filesystem::path directory_;
  std::int64_t every_;
  ParaviewSeries bodies_;
  std::optional<ParaviewSeries> contacts_;
  std::optional<ParaviewSeries> shapes_;
};

}  // namespace scree::io
