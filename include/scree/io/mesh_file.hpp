#pragma once

#include <string>
#include <vector>

#include "scree/model/geometry.hpp"
#include "scree/model/triangle_mesh.hpp"

namespace scree::io {

/// Triangles as a file has them. Vertices at the same place are one.
struct MeshData {
  std::string file;
  std::vector<model::Vec3> vertices;
  std::vector<model::TriangleMesh::Triangle> triangles;
  std::vector<int> lines;  ///< of text files: where each triangle begins

  /// "file:line" or "file: triangle number" (from 1).
  [[nodiscard]] std::string place_of(int triangle) const;
};

/// Reads the content of an STL file (text or binary) or of an OBJ file (by the ending of its name; other polygons than
/// triangles are cut up, what is no geometry is left out). Throws InputError, one line with the name and the line or
/// the triangle, where it is malformed or a triangle has no area.
[[nodiscard]] MeshData parse_mesh(const std::string& content, const std::string& file);

}  // namespace scree::io
