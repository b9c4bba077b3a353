#include "scree/parallel/petsc.hpp"

#include <cstdint>
#include <limits>

#include "scree/parallel/memory.hpp"

namespace scree::parallel {

namespace {

/// Sets up a layout without PETSc's table of where each rank begins, which costs an all-gather and memory for all
/// ranks. Nothing here needs it: operators and kernels work on local entries, and what PETSc does with a vector as a
/// whole needs only its size. Where the entries are too many for PETSc's integers they have no global numbers.
void set_up(PetscLayout layout, const Comm& comm, int entries) {
  const std::int64_t total = comm.sum(static_cast<std::int64_t>(entries));
  const std::int64_t below = comm.sum_below(entries);
  const bool numbered = total <= std::numeric_limits<PetscInt>::max();
  layout->n = entries;
  layout->N = numbered ? static_cast<PetscInt>(total) : std::numeric_limits<PetscInt>::max();
  layout->rstart = numbered ? static_cast<PetscInt>(below) : 0;
  layout->rend = layout->rstart + entries;
  layout->oldn = layout->n;
  layout->oldN = layout->N;
  layout->bs = layout->oldbs = 3;
  layout->setupcalled = PETSC_TRUE;
}

/// PETSc has a new vector's memory from `calloc`, which leaves large arrays untouched.
void ask_for_large_pages(Vec vec) {
  const WriteArray array(vec);
  advise_large_pages(array.data(), sizeof(double) * static_cast<std::size_t>(array.size()));
}

}  // namespace

Vector::Vector(const Comm& comm, int blocks) {
  PetscLayout layout = nullptr;
  petsc(PetscLayoutCreate(comm.handle(), &layout));
  set_up(layout, comm, 3 * blocks);
  petsc(VecCreate(comm.handle(), &vec_));
  petsc(VecSetLayout(vec_, layout));
  petsc(PetscLayoutDestroy(&layout));  // the vector keeps it
  petsc(VecSetType(vec_, VECMPI));
  ask_for_large_pages(vec_);
}

Vector Vector::like(Vec other) {
  Vector result;
  petsc(VecDuplicate(other, &result.vec_));
  ask_for_large_pages(result);
  petsc(VecSet(result.vec_, 0.0));
  return result;
}

}  // namespace scree::parallel
