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
  /// Collective: makes the directory and writes the walls.
  Results(const parallel::Comm& comm, const Scene& scene, const std::filesystem::path& directory);

  /// Collective: writes the state if the scene asks for an output after this step, or if it is the `last`.
  void write_if_due(dynamics::Simulation& simulation, const dynamics::StepReport& report, bool last);

 private:
  const parallel::Comm& comm_;
  std::int64_t every_;
  ParaviewSeries bodies_;
  std::optional<ParaviewSeries> contacts_;
  std::optional<ParaviewSeries> shapes_;
};

}  // namespace scree::io
