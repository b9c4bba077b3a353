#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "scree/io/mesh_file.hpp"
#include "scree/io/scene_document.hpp"
#include "scree/model/solid.hpp"
#include "scree/model/triangle_mesh.hpp"

namespace scree::io {

/// The content of a file, the same on all ranks. Throws InputError.
using FileReader = std::function<std::string(const std::filesystem::path&)>;

/// Reads the meshes that entries of a scene name with their keys `file`, `scale`, `position` and `turn`. Files are
/// looked for beside the scene.
class SceneMeshes {
 public:
  SceneMeshes(std::filesystem::path folder, FileReader read) : folder_(std::move(folder)), read_(std::move(read)) {}

  [[nodiscard]] MeshData read(const Entry& entry) const;
  [[nodiscard]] std::shared_ptr<const model::TriangleMesh> surface(const Entry& entry) const;
  /// Fails if the mesh is open or turned inwards.
  [[nodiscard]] model::Solid solid(const Entry& entry) const;

 private:
  std::filesystem::path folder_;
  FileReader read_;
};

}  // namespace scree::io
