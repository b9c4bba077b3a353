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
# Double precision: Debian has a package of its own for it, elsewhere Bullet is built so or not. Debian's BulletConfig.cmake
# knows the other one only.
pkg_search_module(BULLET REQUIRED IMPORTED_TARGET bullet-float64 bullet)
if(NOT "${BULLET_CFLAGS}" MATCHES "BT_USE_DOUBLE_PRECISION")
  message(FATAL_ERROR "The Bullet found (${BULLET_INCLUDE_DIRS}) has single precision. Build one with USE_DOUBLE_PRECISION.")
endif()
find_package(HDF5 REQUIRED COMPONENTS C)
if(NOT HDF5_IS_PARALLEL)
  message(FATAL_ERROR "The HDF5 found (${HDF5_INCLUDE_DIRS}) lacks MPI. Set HDF5_ROOT to a parallel one.")
endif()
find_package(yaml-cpp REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
