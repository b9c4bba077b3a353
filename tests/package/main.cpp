// A program outside of Scree that uses the installed package.
#include <petscsys.h>

#include <cstdio>

#include "scree/parallel/comm.hpp"
#include "scree/solvers/registry.hpp"
#include "scree/version.hpp"

int main(int argc, char** argv) {
  PetscInitialize(&argc, &argv, nullptr, nullptr);
  {
    const scree::parallel::Comm comm(PETSC_COMM_WORLD);
    const auto ranks = comm.sum(std::int64_t{1});
    if (comm.is_root()) {
      std::printf("scree %s on %d ranks\n", scree::version.data(), static_cast<int>(ranks));
      for (const auto& solver : scree::solvers::registry()) std::printf("solver %s\n", solver.name.c_str());
    }
  }
  PetscFinalize();
  return 0;
}
