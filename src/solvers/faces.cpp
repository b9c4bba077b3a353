#include "faces.hpp"

namespace scree::solvers {

using model::Vec3;
using parallel::ReadArray;
using parallel::WriteArray;

bool Faces::find(const problem::ConstraintSet& K, Vec x, Vec g) {
  const ReadArray at(x), gradient(g);
  faces_.resize(static_cast<std::size_t>(at.size()) / 3);
  bool same = true;
  for (std::size_t k = 0; k < faces_.size(); ++k) {
    const auto block = static_cast<int>(k);
    const problem::AdmissibleSet set = K[block];
    const Vec3 point(at.data() + 3 * block);
    const problem::ActiveFace number = set.active_face(point);
    same = same && number == faces_[k].number;
    faces_[k] = {number, set.project_on_face(point), set.bend(point, Vec3(gradient.data() + 3 * block))};
  }
  return same;
}

void Faces::keep_free(Vec v) const {
  const WriteArray values(v);
  for (std::size_t k = 0; k < faces_.size(); ++k) {
    Eigen::Map<Vec3> block(values.data() + 3 * k);
    block = faces_[k].along * block;
  }
}

void Faces::restrict_product(Vec in, Vec out) const {
  const ReadArray direction(in);
  const WriteArray values(out);
  for (std::size_t k = 0; k < faces_.size(); ++k) {
    Eigen::Map<Vec3> block(values.data() + 3 * k);
    const Vec3& bend = faces_[k].bend;
    block = faces_[k].along * block + bend * bend.dot(Vec3(direction.data() + 3 * k));
  }
}

}  // namespace scree::solvers
