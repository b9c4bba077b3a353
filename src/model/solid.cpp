#include "scree/model/solid.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "scree/model/shape.hpp"
#include "scree/model/triangle_mesh.hpp"

namespace scree::model {

void Solid::add_tetrahedron(const Vec3& a, const Vec3& b, const Vec3& c) {
  Mat3 corners;
  corners << a, b, c;
  const double part = corners.determinant() / 6.0;
  const Vec3 sum = a + b + c;
  volume += part;
  first += part / 4.0 * sum;
  second += part / 20.0 * (corners * corners.transpose() + sum * sum.transpose());
}

Solid solid_of(const Hull& hull) {
  Solid solid;
  const auto vertex = [&](int k) -> const Vec3& { return hull.vertices[static_cast<std::size_t>(k)]; };
  for (const std::vector<int>& face : hull.faces)
    for (std::size_t k = 2; k < face.size(); ++k)
      solid.add_tetrahedron(vertex(face[0]), vertex(face[k - 1]), vertex(face[k]));
  return solid;
}

Solid solid_of(const TriangleMesh& mesh) {
  Solid solid;
  for (int t = 0; t < static_cast<int>(mesh.triangles().size()); ++t) {
    const auto [a, b, c] = mesh.corners_of(t);
    solid.add_tetrahedron(a, b, c);
  }
  return solid;
}

PrincipalAxes principal_axes(const Solid& solid) {
  const Vec3 centre = solid.first / solid.volume;
  const Mat3 spread = solid.second - solid.volume * centre * centre.transpose();
  const Eigen::SelfAdjointEigenSolver<Mat3> axes(spread);
  Mat3 turn = axes.eigenvectors();
  if (turn.determinant() < 0.0) turn.col(2) *= -1.0;
  return {centre, turn, Vec3::Constant(spread.trace()) - axes.eigenvalues()};
}

}  // namespace scree::model
