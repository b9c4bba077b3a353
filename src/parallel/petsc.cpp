#include "scree/parallel/petsc.hpp"

#include <cstdint>
#include <limits>

namespace scree::parallel {

/// Which of all entries this rank has. Where they are too many for PETSc's integers they have no global numbers.
struct Vector::Numbers {
  PetscInt own, all, first;

  /// Collective.
  static Numbers of(const Comm& comm, int entries) {
    const std::int64_t total = comm.sum(static_cast<std::int64_t>(entries));
    const std::int64_t below = comm.sum_below(entries);
    constexpr auto most = std::numeric_limits<PetscInt>::max();
    if (total > most) return {entries, most, 0};
    return {entries, static_cast<PetscInt>(total), static_cast<PetscInt>(below)};
  }

  static Numbers of(Vec vec) {
    PetscLayout layout = nullptr;
    petsc(VecGetLayout(vec, &layout));
    return {layout->n, layout->N, layout->rstart};
  }

  /// Sets up a layout without PETSc's table of where each rank begins, which costs an all-gather and memory for all
  /// ranks. Nothing here needs it: operators and kernels work on local entries, and what PETSc does with a vector as a
  /// whole needs only its size.
  void set_up(PetscLayout layout) const {
    layout->n = layout->oldn = own;
    layout->N = layout->oldN = all;
    layout->rstart = first;
    layout->rend = first + own;
    layout->bs = layout->oldbs = 3;
    layout->setupcalled = PETSC_TRUE;
  }
};

Vector::Vector(const Comm& comm, int blocks) : Vector(unset(comm, blocks)) { petsc(VecSet(vec_, 0.0)); }

Vector Vector::like(Vec other) {
  Vector result = unset_like(other);
  petsc(VecSet(result, 0.0));
  return result;
}

Vector Vector::unset(const Comm& comm, int blocks) { return {comm.handle(), Numbers::of(comm, 3 * blocks)}; }

Vector Vector::unset_like(Vec other) {
  return {PetscObjectComm(reinterpret_cast<PetscObject>(other)), Numbers::of(other)};
}

Vector::Vector(MPI_Comm comm, const Numbers& numbers) : entries_(static_cast<std::size_t>(numbers.own)) {
  PetscLayout layout = nullptr;
  petsc(PetscLayoutCreate(comm, &layout));
  Numbers{0, numbers.all, numbers.first}.set_up(layout);  // PETSc makes room for so many: none
  petsc(VecCreate(comm, &vec_));
  petsc(VecSetLayout(vec_, layout));
  petsc(VecSetType(vec_, VECMPI));
  numbers.set_up(layout);
  petsc(PetscLayoutDestroy(&layout));  // the vector keeps it
  petsc(VecPlaceArray(vec_, entries_.data()));
}

}  // namespace scree::parallel
