#include "scree/io/scene_meshes.hpp"

#include "scree/io/scene_shapes.hpp"
#include "scree/parallel/error.hpp"

namespace scree::io {

using model::Vec3;

MeshData SceneMeshes::read(const Entry& entry) const {
  const Entry file = entry.at("file");
  const std::filesystem::path path = folder_ / file.text();
  MeshData mesh;
  try {
    mesh = parse_mesh(read_(path), path.string());
  } catch (const InputError& error) {
    file.fail(error.what());
  }
  const auto scale = entry.find("scale");
  const double factor = scale ? scale->positive() : 1.0;
  const auto given = entry.find("position");
  const Vec3 position = given ? given->vector() : Vec3(Vec3::Zero());
  const model::Quat turn = read_turn(entry);
  for (Vec3& vertex : mesh.vertices) vertex = position + turn * (factor * vertex);
  return mesh;
}

std::shared_ptr<const model::TriangleMesh> SceneMeshes::surface(const Entry& entry) const {
  MeshData data = read(entry);
  return std::make_shared<const model::TriangleMesh>(std::move(data.vertices), std::move(data.triangles));
}

model::Solid SceneMeshes::solid(const Entry& entry) const {
  const MeshData data = read(entry);
  const model::TriangleMesh mesh(data.vertices, data.triangles);
  if (const model::MeshFlaw flaw = flaw_of_solid(mesh); !flaw.what.empty())
    entry.at("file").fail(data.place_of(flaw.triangle) + ": the triangle " + flaw.what);
  return solid_of(mesh);
}

}  // namespace scree::io
