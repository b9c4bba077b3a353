#pragma once

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scree/model/geometry.hpp"

namespace scree::io {

/// A value that replaces one of the scene file, or adds one.
struct Override {
  std::string path;    ///< "fills[0].radius" or "fills.0.radius"
  std::string value;   ///< YAML: a scalar, [..] or {..}
  std::string origin;  ///< what the user wrote, for error messages
};

/// "key.path=value", as it follows --set. Throws InputError.
[[nodiscard]] Override parse_override(const std::string& assignment);

/// Paths of all keys a scene may have: "*" is any name, "[]" any index.
[[nodiscard]] const std::vector<std::string_view>& scene_keys();

class SceneDocument;

/// A node of a scene that knows its path and place, so that what is wrong with it can be said in one line.
class Entry {
 public:
  Entry(const SceneDocument& document, YAML::Node node, std::string path)
      : document_(&document), node_(std::move(node)), path_(std::move(path)) {}

  [[nodiscard]] bool has(const std::string& key) const { return find(key).has_value(); }
  [[nodiscard]] Entry at(const std::string& key) const;  ///< fails if there is none
  [[nodiscard]] std::optional<Entry> find(const std::string& key) const;
  [[nodiscard]] std::vector<Entry> items() const;                            ///< of a list
  [[nodiscard]] std::vector<std::pair<std::string, Entry>> members() const;  ///< of a map, in the order of the file
  [[nodiscard]] bool is_map() const { return node_.IsMap(); }

  /// The one key of `choices` that this map has; fails if there is none or more than one.
  [[nodiscard]] std::string one_of(const std::vector<std::string>& choices) const;

  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool flag() const;
  [[nodiscard]] bool is_number() const;
  [[nodiscard]] double number() const;  ///< finite
  [[nodiscard]] double positive() const;
  [[nodiscard]] double non_negative() const;
  [[nodiscard]] double within(double low, double high) const;
  [[nodiscard]] std::int64_t integer(std::int64_t low) const;  ///< at least `low`
  [[nodiscard]] model::Vec3 vector() const;                    ///< three finite numbers
  [[nodiscard]] model::Vec3 direction() const;                 ///< a vector other than zero, made a unit vector
  /// The index of the text in `choices`; fails with the list of them.
  [[nodiscard]] std::size_t choice(const std::vector<std::string>& choices) const;

  [[nodiscard]] const std::string& path() const { return path_; }

  /// Throws InputError "file:line: path: message".
  [[noreturn]] void fail(const std::string& message) const;

 private:
  [[nodiscard]] std::string quoted() const;

  const SceneDocument* document_;
  YAML::Node node_;
  std::string path_;
};

/// The names of things, for Entry::choice.
template <typename Things>
[[nodiscard]] std::vector<std::string> names_of(const Things& things) {
  std::vector<std::string> names;
  for (const auto& thing : things) names.emplace_back(thing.name);
  return names;
}

/// The YAML text of a scene with its overrides. All keys in it are known; their values are not yet judged.
class SceneDocument {
 public:
  /// Throws InputError for malformed text, unknown keys and overrides that lead nowhere.
  SceneDocument(const std::string& text, std::string file, std::vector<Override> overrides);
  // Entries point to their document.
  SceneDocument(const SceneDocument&) = delete;
  SceneDocument& operator=(const SceneDocument&) = delete;

  [[nodiscard]] Entry root() const { return Entry(*this, root_, ""); }

  /// "file:line" of a node, or the override that it came from.
  [[nodiscard]] std::string place_of(const YAML::Node& node, const std::string& path) const;

 private:
  void apply(Override& change);
  void check_keys(const YAML::Node& node, const std::string& path, const std::string& pattern) const;
  void check_map(const YAML::Node& node, const std::string& path, const std::string& pattern) const;

  std::string file_;
  std::vector<Override> overrides_;
  YAML::Node root_;
};

}  // namespace scree::io
