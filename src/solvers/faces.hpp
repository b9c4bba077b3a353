#pragma once

#include <vector>

#include "scree/problem/contact_problem.hpp"

namespace scree::solvers {

/// The faces of K that an iterate lies in, block by block of this rank: Z Z^T of seed 003 section 4.1 for any set.
/// Along its face a block is free; what leads off it is active.
class Faces {
 public:
  /// Those at x, where the gradient is g. Returns whether they are the same as before, on this rank.
  bool find(const problem::ConstraintSet& K, Vec x, Vec g);

  /// v <- Z Z^T v.
  void keep_free(Vec v) const;

  /// out <- Z Z^T out + what the rims of discs add to the product with `in`, which is free.
  void restrict_product(Vec in, Vec out) const;

  /// Blocks of this rank.
  [[nodiscard]] int size() const { return static_cast<int>(faces_.size()); }
  /// The projection onto the directions of a block's face.
  [[nodiscard]] const model::Mat3& along(int block) const { return faces_[static_cast<std::size_t>(block)].along; }

 private:
  struct Face {
    problem::ActiveFace number{-2, -2, -2};
    model::Mat3 along;
    model::Vec3 bend;
  };
  std::vector<Face> faces_;
};

}  // namespace scree::solvers
