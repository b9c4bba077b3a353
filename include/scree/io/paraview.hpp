#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "scree/io/frame_index.hpp"
#include "scree/io/point_cloud.hpp"
#include "scree/parallel/comm.hpp"

namespace scree::io {

/// A time series that ParaView opens as one: DIR/NAME.pvd lists DIR/frames/NAME-STEP.pvtp, each of which lists the
/// pieces DIR/frames/NAME-STEP-RANK.vtp that the ranks with points wrote by themselves. A file is there only when it
/// is complete, and the index lists only complete outputs, so a run that ends early leaves a valid series.
class ParaviewSeries {
 public:
  /// DIR/frames must exist. Frames up to step `last` that an earlier run left in the index are kept.
  ParaviewSeries(const parallel::Comm& comm, std::filesystem::path directory, std::string name, std::int64_t last = -1);

  /// Collective: there is a frame of this step already.
  [[nodiscard]] bool has(std::int64_t step) const { return comm_.any(index_.has(step)); }

  /// Collective. Throws std::runtime_error on all ranks if one of them cannot write. Returns the bytes of this rank.
  std::int64_t write(std::int64_t step, double time, const PointCloud& cloud);

 private:
  [[nodiscard]] std::vector<int> ranks_with_points(bool has_points) const;

  const parallel::Comm& comm_;
  std::filesystem::path directory_;
  std::string name_;
  FrameIndex index_;  ///< of rank 0
};

/// The text and data of one .vtp file.
[[nodiscard]] std::string vtp_text(const PointCloud& cloud);

}  // namespace scree::io
