#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace scree::io {

/// The file that lists the frames of a time series: XML with a block of text per frame. It lives on one rank, and is
/// replaced as a whole whenever a frame is added, so it lists only complete frames.
class FrameIndex {
 public:
  /// Keeps those frames that an earlier run listed up to step `last`; with a negative one it begins anew.
  FrameIndex(std::filesystem::path file, std::string head, std::string tail, std::int64_t last);

  [[nodiscard]] bool has(std::int64_t step) const { return frames_.contains(step); }

  /// Adds a frame, or replaces that of the same step, and writes the file.
  void add(std::int64_t step, const std::string& block);

 private:
  void read_frames(std::int64_t last);

  std::filesystem::path file_;
  std::string head_, tail_;
  std::map<std::int64_t, std::string> frames_;
};

}  // namespace scree::io
