#include "scree/io/frame_index.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <utility>

#include "scree/io/atomic_file.hpp"

namespace scree::io {

namespace {

// Comments of XML separate the blocks, so that a later run can take them over as they are.
std::string mark(std::int64_t step) { return fmt::format("    <!-- step {} -->\n", step); }
constexpr const char* end_mark = "    <!-- end -->\n";

}  // namespace

FrameIndex::FrameIndex(std::filesystem::path file, std::string head, std::string tail, std::int64_t last)
    : file_(std::move(file)), head_(std::move(head)), tail_(std::move(tail)) {
  if (last >= 0) read_frames(last);
}

void FrameIndex::read_frames(std::int64_t last) {
  std::ifstream index(file_);
  std::string* block = nullptr;  // of the frame that is being read, if it is to be kept
  for (std::string line; std::getline(index, line);) {
    line += '\n';
    long long step = 0;
    if (std::sscanf(line.c_str(), "    <!-- step %lld -->", &step) == 1) {
      block = step <= last ? &frames_[step] : nullptr;
    } else if (line == end_mark) {
      return;
    } else if (block != nullptr) {
      *block += line;
    }
  }
}

void FrameIndex::add(std::int64_t step, const std::string& block) {
  frames_[step] = block;
  std::string text = "<?xml version=\"1.0\"?>\n" + head_;
  for (const auto& [number, lines] : frames_) text += mark(number) + lines;
  write_file(file_, text + end_mark + tail_);
}

}  // namespace scree::io
