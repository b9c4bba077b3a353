#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "scree/dynamics/simulation.hpp"
#include "scree/parallel/comm.hpp"

namespace scree::io {

/// Numbers of the bodies and contacts as a whole.
struct StateMeasure {
  enum class Quantity { bodies, kinetic_energy, potential_energy, momentum, coordination, penetration };
  std::vector<Quantity> quantities;
};

/// Bodies that cross a plane, or a disc in it, since the start of the run.
struct FlowMeasure {
  model::Plane plane;
  double radius;  ///< of the disc about the point of the plane (m); infinite: all of the plane
};

/// What contacts press on a body, or on walls together.
struct ForceMeasure {
  struct Target {
    std::string name;
    std::int64_t body;       ///< its id, or -1: walls
    std::vector<int> walls;  ///< their numbers
  };
  std::vector<Target> targets;
};

/// How high the bodies reach, in bins along an axis.
struct ProfileMeasure {
  int axis;
  double lower;  ///< m
  double upper;  ///< m
  int bins;
};

/// What a run measures every so many steps and writes to `measurements/<name>.csv`.
struct Measurement {
  std::string name;
  std::int64_t every;  ///< steps
  std::variant<StateMeasure, FlowMeasure, ForceMeasure, ProfileMeasure> what;
};

/// The measurements of a run, a CSV file each. Rows are appended as they come; a resumed run drops the rows of steps
/// that it makes again, so that none is there twice and none is missing.
class Measurements {
 public:
  /// Collective. `crossings` is what an earlier run had counted, nothing at the start.
  Measurements(const parallel::Comm& comm, const std::vector<Measurement>& measurements,
               const std::filesystem::path& directory, const dynamics::Simulation& simulation,
               const std::vector<double>& crossings);

  /// Collective, after each step and once before the first: counts, and writes the rows that are due.
  void after_step(dynamics::Simulation& simulation, const dynamics::StepReport& report);

  /// What a checkpoint must keep, equal on all ranks.
  [[nodiscard]] const std::vector<double>& crossings() const { return crossings_; }

 private:
  void open(const Measurement& measurement, std::int64_t step) const;
  void count_crossings(const dynamics::Simulation& simulation);
  [[nodiscard]] std::filesystem::path file_of(const Measurement& measurement) const;

  const parallel::Comm& comm_;
  const std::vector<Measurement>& measurements_;
  std::filesystem::path directory_;
  std::vector<double> crossings_;  ///< for each flow: bodies along the normal, against it, and their masses (kg)
};

}  // namespace scree::io
