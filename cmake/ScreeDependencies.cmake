# Finds all that Scree's layers link. The build and the installed package share this file, so they agree.
set(HDF5_PREFER_PARALLEL ON)

find_package(MPI REQUIRED COMPONENTS C)
find_package(PkgConfig REQUIRED)
pkg_check_modules(PETSC REQUIRED IMPORTED_TARGET PETSc>=3.18)
# Distributions leave their own build flags in PETSc.pc (such as _FORTIFY_SOURCE, which rejects -O0).
set_property(TARGET PkgConfig::PETSC PROPERTY INTERFACE_COMPILE_OPTIONS)
if(SCREE_WITH_PARMETIS)
  find_package(ParMETIS 4 REQUIRED)
endif()
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
# Only this one is built in double precision; BulletConfig.cmake knows the other.
pkg_check_modules(BULLET REQUIRED IMPORTED_TARGET bullet-float64)
find_package(HDF5 REQUIRED COMPONENTS C)
if(NOT HDF5_IS_PARALLEL)
  message(FATAL_ERROR "The HDF5 found (${HDF5_INCLUDE_DIRS}) lacks MPI. Set HDF5_ROOT to a parallel one.")
endif()
find_package(yaml-cpp REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
