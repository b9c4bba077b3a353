#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scree/dynamics/simulation.hpp"
#include "scree/io/body_file.hpp"
#include "scree/io/checkpoint.hpp"
#include "scree/io/fill.hpp"
#include "scree/io/measurements.hpp"
#include "scree/io/point_cloud.hpp"
#include "scree/io/scene_document.hpp"
#include "scree/io/scene_meshes.hpp"
#include "scree/model/joint.hpp"
#include "scree/model/shape.hpp"
#include "scree/parallel/comm.hpp"

namespace scree::io {

enum class OutputFormat {
  paraview,  ///< VTK files, one per rank and output
  hdf5,      ///< one file per output, with an index for ParaView
};

struct OutputOptions {
  OutputFormat format = OutputFormat::paraview;
  Selection selection;                ///< of quantities and bodies
  std::int64_t every = 0;             ///< steps between outputs; 0: only the final state
  bool contacts = false;              ///< write contact files too
  std::int64_t log_every = 10;        ///< steps between lines of the log
  std::int64_t checkpoint_every = 0;  ///< steps between checkpoints; 0: none
  double checkpoint_minutes = 0.0;    ///< wall time between checkpoints (min); 0: none
  bool stop_on_error = true;          ///< end the run if a result or checkpoint cannot be written, or go on without
};

/// A scene as its file describes it: valid, with all defaults filled in, equal on all ranks.
struct Scene {
  std::string file;
  std::string text;  ///< of the file
  std::string name;
  std::vector<model::Material> materials;
  std::vector<model::MaterialPair> material_pairs;
  model::Periodicity space;
  std::vector<model::Wall> walls;
  std::shared_ptr<const std::vector<model::Shape>> shapes;
  std::vector<Fill> fills;
  std::vector<model::Body> bodies;  ///< those listed one by one; their ids follow those of the fills
  std::vector<FileFill> files;      ///< the ids of their bodies follow those of the listed ones
  std::vector<model::Joint> joints;
  std::vector<dynamics::BodyForce> forces;  ///< on listed bodies
  std::vector<dynamics::Source> sources;
  std::vector<dynamics::Sink> sinks;
  std::vector<Measurement> measurements;
  std::int64_t body_count = 0;  ///< at the start: of fills, listed bodies and files together
  std::uint64_t seed = 1;
  bool push_apart = false;  ///< bodies that start inside each other, instead of an error
  dynamics::StepOptions step;
  dynamics::SolverChoice solver;
  dynamics::BalanceOptions balance;
  std::int64_t steps = 0;
  OutputOptions output;
};

/// Bodies may start in contact; what is deeper than this share of a radius is a mistake.
inline constexpr double allowed_overlap = 1e-3;

/// Judges the text of a scene; how many bodies files list is not yet known. Throws InputError: one line with file,
/// line, key and remedy. Meshes are read from files beside it, by `read` if it is given.
[[nodiscard]] Scene parse_scene(const std::string& text, const std::string& file,
                                const std::vector<Override>& overrides = {}, const FileReader& read = nullptr);

/// Collective: one rank reads the file, all judge it alike. Bodies in files are counted.
[[nodiscard]] Scene load_scene(const parallel::Comm& comm, const std::filesystem::path& file,
                               const std::vector<Override>& overrides = {});

/// Collective: the bodies that this rank makes, a contiguous share of each fill and of the listed bodies. All ranks
/// together make the same bodies whatever their number. Throws InputError where a listed body overlaps another body by
/// more than `allowed_overlap` of the smaller radius, or any body a wall of finite size, unless they are to be pushed
/// apart, and where a file or a random fill cannot give what it should.
[[nodiscard]] model::Bodies make_bodies(const parallel::Comm& comm, const Scene& scene);

/// Collective: what a simulation of the scene starts from: its own bodies, or those of a checkpoint.
[[nodiscard]] dynamics::Setup make_setup(const parallel::Comm& comm, const Scene& scene,
                                         std::optional<Checkpoint> checkpoint = std::nullopt);

}  // namespace scree::io
