#include "scree/io/mesh_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string_view>

#include "scree/parallel/error.hpp"

namespace scree::io {

using model::Vec3;

namespace {

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view blank = " \t\r";
  std::vector<std::string_view> words;
  for (auto at = line.find_first_not_of(blank); at != std::string_view::npos; at = line.find_first_not_of(blank, at)) {
    const auto end = std::min(line.find_first_of(blank, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

/// Goes through the lines of a text and says where it is.
class Lines {
 public:
  Lines(std::string_view text, const std::string& file) : rest_(text), file_(file) {}

  /// The words of the next line that has any.
  [[nodiscard]] std::optional<std::vector<std::string_view>> next() {
    while (!rest_.empty()) {
      const auto end = std::min(rest_.find('\n'), rest_.size());
      auto words = words_of(rest_.substr(0, end));
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++number_;
      if (!words.empty()) return words;
    }
    return std::nullopt;
  }

  [[nodiscard]] int number() const { return number_; }
  [[noreturn]] void fail(const std::string& message) const {
    throw InputError(fmt::format("{}:{}: {}", file_, number_, message));
  }

  /// Three finite numbers from the second word on.
  [[nodiscard]] Vec3 point(const std::vector<std::string_view>& words) const {
    Vec3 result;
    if (words.size() < 4) fail(fmt::format("'{}' needs three numbers", words[0]));
    for (std::size_t k = 0; k < 3; ++k) {
      const std::string_view word = words[k + 1].starts_with('+') ? words[k + 1].substr(1) : words[k + 1];
      double value = 0.0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
      if (error != std::errc{} || end != word.data() + word.size() || !std::isfinite(value))
        fail(fmt::format("'{}' is no finite number", word.substr(0, 40)));
      result[static_cast<Eigen::Index>(k)] = value;
    }
    return result;
  }

 private:
  std::string_view rest_;
  const std::string& file_;
  int number_ = 0;
};

/// Gives vertices numbers, the same one to those at the same place.
class Welder {
 public:
  explicit Welder(MeshData& mesh) : mesh_(mesh) {}

  int number_of(const Vec3& point) {
    const Vec3 place = point + Vec3::Zero();  // -0 becomes 0
    const auto [found, is_new] =
        numbers_.emplace(std::array{place.x(), place.y(), place.z()}, static_cast<int>(mesh_.vertices.size()));
    if (is_new) mesh_.vertices.push_back(place);
    return found->second;
  }

 private:
  MeshData& mesh_;
  std::map<std::array<double, 3>, int> numbers_;
};

void read_stl_text(const std::string& content, MeshData& mesh) {
  Lines lines(content, mesh.file);
  Welder welder(mesh);
  std::vector<int> corners;
  int begin = 0;
  bool in_facet = false;
  while (const auto words = lines.next()) {
    const std::string_view key = words->front();
    if (key == "facet") {
      if (in_facet) lines.fail("a facet begins before the last one has ended: add 'endfacet'");
      in_facet = true;
      begin = lines.number();
      corners.clear();
    } else if (key == "vertex") {
      if (!in_facet) lines.fail("a vertex outside of a facet");
      corners.push_back(welder.number_of(lines.point(*words)));
    } else if (key == "endfacet") {
      if (corners.size() != 3) lines.fail(fmt::format("the facet has {} vertices, must have 3", corners.size()));
      mesh.triangles.push_back({corners[0], corners[1], corners[2]});
      mesh.lines.push_back(begin);
      in_facet = false;
    } else if (key != "solid" && key != "endsolid" && key != "outer" && key != "endloop") {
      lines.fail(fmt::format("'{}' is no word of an STL file", key.substr(0, 40)));
    }
  }
  if (in_facet) lines.fail("ends within a facet: the file is not complete");
}

constexpr std::size_t stl_head = 84, stl_facet = 50;  // bytes

std::uint32_t stl_count(const std::string& content) {
  std::uint32_t count = 0;
  std::memcpy(&count, content.data() + stl_head - sizeof count, sizeof count);
  return count;
}

bool is_binary_stl(const std::string& content) {
  return content.size() >= stl_head && content.size() == stl_head + stl_facet * stl_count(content);
}

void read_stl_binary(const std::string& content, MeshData& mesh) {
  Welder welder(mesh);
  for (std::uint32_t t = 0; t < stl_count(content); ++t) {
    float numbers[12];  // the normal, which follows from the corners, and the three corners
    std::memcpy(numbers, content.data() + stl_head + stl_facet * t, sizeof numbers);
    model::TriangleMesh::Triangle triangle{};
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3 corner(numbers[3 * k + 3], numbers[3 * k + 4], numbers[3 * k + 5]);
      if (!corner.allFinite()) throw InputError(fmt::format("{}: triangle {}: is not finite", mesh.file, t + 1));
      triangle[k] = welder.number_of(corner);
    }
    mesh.triangles.push_back(triangle);
  }
}

void read_stl(const std::string& content, MeshData& mesh) {
  if (is_binary_stl(content)) return read_stl_binary(content, mesh);
  const auto start = std::min(content.find_first_not_of(" \t\r\n"), content.size());
  if (content.compare(start, 5, "solid") == 0) return read_stl_text(content, mesh);
  if (content.size() < stl_head)
    throw InputError(fmt::format("{}: is no STL file: it is too short and does not begin with 'solid'", mesh.file));
  throw InputError(fmt::format("{}: is no STL file: {} triangles need {} bytes, it has {}", mesh.file,
                               stl_count(content), stl_head + stl_facet * stl_count(content), content.size()));
}

void read_obj(const std::string& content, MeshData& mesh) {
  Lines lines(content, mesh.file);
  Welder welder(mesh);
  std::vector<int> numbers;  // of the vertices of the file
  while (const auto words = lines.next()) {
    if (words->front() == "v") numbers.push_back(welder.number_of(lines.point(*words)));
    if (words->front() != "f") continue;
    if (words->size() < 4) lines.fail("a face needs at least three vertices");
    std::vector<int> corners;
    for (std::size_t k = 1; k < words->size(); ++k) {
      const std::string_view word = (*words)[k].substr(0, (*words)[k].find('/'));
      const auto count = static_cast<std::int64_t>(numbers.size());
      std::int64_t number = 0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
      if (number < 0) number += count + 1;  // counts from the last one
      if (error != std::errc{} || end != word.data() + word.size() || number < 1 || number > count)
        lines.fail(fmt::format("'{}' is none of the {} vertices before", word.substr(0, 40), count));
      corners.push_back(numbers[static_cast<std::size_t>(number - 1)]);
    }
    for (std::size_t k = 2; k < corners.size(); ++k) {
      mesh.triangles.push_back({corners[0], corners[k - 1], corners[k]});
      mesh.lines.push_back(lines.number());
    }
  }
}

void check_areas(const MeshData& mesh) {
  constexpr double flat = 1e-10;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto vertex = [&](std::size_t k) { return mesh.vertices[static_cast<std::size_t>(mesh.triangles[t][k])]; };
    const Vec3 a = vertex(1) - vertex(0), b = vertex(2) - vertex(0);
    const double longest = std::max({a.squaredNorm(), b.squaredNorm(), (b - a).squaredNorm()});
    if (!(a.cross(b).norm() > flat * longest))
      throw InputError(mesh.place_of(static_cast<int>(t)) + ": the triangle has no area: take it away");
  }
}

}  // namespace

std::string MeshData::place_of(int triangle) const {
  if (lines.empty()) return fmt::format("{}: triangle {}", file, triangle + 1);
  return fmt::format("{}:{}", file, lines[static_cast<std::size_t>(triangle)]);
}

MeshData parse_mesh(const std::string& content, const std::string& file) {
  std::string ending = file.substr(std::min(file.rfind('.'), file.size()));
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  MeshData mesh{file, {}, {}, {}};
  if (ending == ".stl") {
    read_stl(content, mesh);
  } else if (ending == ".obj") {
    read_obj(content, mesh);
  } else {
    throw InputError(file + ": is of an unknown kind: meshes are .stl or .obj files");
  }
  if (mesh.triangles.empty()) throw InputError(file + ": has no triangles");
  check_areas(mesh);
  return mesh;
}

}  // namespace scree::io
