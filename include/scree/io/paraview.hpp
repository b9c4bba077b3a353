#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "scree/dynamics/simulation.hpp"
#include "scree/parallel/comm.hpp"

namespace scree::io {

/// One value or vector per point.
struct PointArray {
  std::string name;
  int components = 1;
  std::variant<std::vector<double>, std::vector<std::int64_t>, std::vector<std::int32_t>> values;
};

/// Polygons between points, one after another.
struct Polygons {
  std::vector<std::int64_t> corners;  ///< indices of points
  std::vector<std::int64_t> ends;     ///< of each polygon among the corners
};

/// Points with data, as ParaView shows them: by themselves, or as corners of polygons.
struct PointCloud {
  std::vector<model::Vec3> points;
  std::optional<Polygons> polygons = std::nullopt;
  std::vector<PointArray> arrays;  ///< the same ones on every rank
};

/// The owned bodies: radius, velocity, spin, id, rank, contacts. Collective.
[[nodiscard]] PointCloud cloud_of_bodies(const parallel::Comm& comm, const dynamics::Simulation& simulation);

/// The owned contacts: normal, impulse, gap, body ids.
[[nodiscard]] PointCloud cloud_of_contacts(const dynamics::Simulation& simulation);

/// A time series that ParaView opens as one: DIR/NAME.pvd lists DIR/frames/NAME-STEP.pvtp, each of which lists the
/// pieces DIR/frames/NAME-STEP-RANK.vtp that the ranks with points wrote by themselves. A file is there only when it
/// is complete, and the index lists only complete outputs, so a run that ends early leaves a valid series.
class ParaviewSeries {
 public:
  /// DIR/frames must exist. Frames before step `first` that an earlier run left in the index are kept.
  ParaviewSeries(const parallel::Comm& comm, std::filesystem::path directory, std::string name, std::int64_t first = 0);

  /// Collective. Throws std::runtime_error on all ranks if one of them cannot write.
  void write(std::int64_t step, double time, const PointCloud& cloud);

 private:
  struct Frame {
    std::string time;  // s
    std::string file;  // relative to the index
  };

  void keep_frames_before(std::int64_t first);

  [[nodiscard]] std::vector<int> ranks_with_points(bool has_points) const;
  void write_index() const;

  const parallel::Comm& comm_;
  std::filesystem::path directory_;
  std::string name_;
  std::vector<Frame> frames_;
};

/// The text and data of one .vtp file.
[[nodiscard]] std::string vtp_text(const PointCloud& cloud);

}  // namespace scree::io
