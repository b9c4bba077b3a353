#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "scree/io/frame_index.hpp"
#include "scree/io/point_cloud.hpp"
#include "scree/parallel/comm.hpp"

namespace scree::io {

/// Points of one kind: bodies, contacts or surfaces.
struct NamedCloud {
  std::string name;
  PointCloud cloud;
};

/// Time series for many ranks: one file DIR/frames/frame-STEP.h5 per output, which all ranks write together, with a
/// group per kind of points and a data set per quantity. DIR/NAME.xdmf lists what of it belongs to each kind, for
/// ParaView. The number of files depends neither on the number of ranks nor on that of bodies.
class XdmfSeries {
 public:
  /// DIR/frames must exist. Frames up to step `last` that an earlier run left in the indices are kept.
  XdmfSeries(const parallel::Comm& comm, std::filesystem::path directory, const std::vector<std::string>& names,
             std::int64_t last = -1);

  /// Collective: there is a frame of this step already.
  [[nodiscard]] bool has(std::int64_t step) const { return comm_.any(indices_.front().has(step)); }

  /// Collective: `clouds` are those that were named, in this order. Throws std::runtime_error on all ranks if one of
  /// them cannot write. Returns the bytes of this rank.
  std::int64_t write(std::int64_t step, double time, const std::vector<NamedCloud>& clouds);

 private:
  const parallel::Comm& comm_;
  std::filesystem::path directory_;
  std::vector<FrameIndex> indices_;  ///< of rank 0
};

}  // namespace scree::io
