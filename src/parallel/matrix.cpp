#include "scree/parallel/matrix.hpp"

namespace scree::parallel {

BorrowingVector::BorrowingVector(Mat layout) {
  PetscInt own = 0, all = 0;
  petsc(MatGetLocalSize(layout, &own, nullptr));
  petsc(MatGetSize(layout, &all, nullptr));
  petsc(VecCreateMPIWithArray(comm_of(layout), 1, own, all, nullptr, &vec_));
}

void Matrix::apply(Vec x, Vec y) const {
  const ReadArray in(x);
  const WriteArray out(y);
  const BorrowingVector from(mat_), to(mat_);
  from.with(in.data(),
            [&](Vec lent_x) { to.with(out.data(), [&](Vec lent_y) { petsc(MatMult(mat_, lent_x, lent_y)); }); });
}

}  // namespace scree::parallel
