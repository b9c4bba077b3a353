# Installs the layers so that find_package(Scree) gives an outside project the targets Scree::<layer> and Scree::scree.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Scree)

get_property(layers GLOBAL PROPERTY SCREE_LAYERS)
list(TRANSFORM layers PREPEND scree_ OUTPUT_VARIABLE targets)
install(
  TARGETS ${targets} scree
  EXPORT ScreeTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILE_SET header_only DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
)
install(EXPORT ScreeTargets NAMESPACE Scree:: DESTINATION ${package_dir})

configure_package_config_file(
  cmake/ScreeConfig.cmake.in ${PROJECT_BINARY_DIR}/ScreeConfig.cmake INSTALL_DESTINATION ${package_dir}
)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ScreeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(
  FILES ${PROJECT_BINARY_DIR}/ScreeConfig.cmake ${PROJECT_BINARY_DIR}/ScreeConfigVersion.cmake
        cmake/ScreeDependencies.cmake cmake/FindParMETIS.cmake
  DESTINATION ${package_dir}
)

# For users of a cluster: an environment module, and what the documentation tells them to copy.
configure_file(cmake/modulefile.in ${PROJECT_BINARY_DIR}/modulefile @ONLY)
install(
  FILES ${PROJECT_BINARY_DIR}/modulefile
  DESTINATION ${CMAKE_INSTALL_DATADIR}/modulefiles/scree
  RENAME ${PROJECT_VERSION}
)
install(DIRECTORY jobs scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/scree)
install(
  PROGRAMS scripts/render.py scripts/scaling_study.py
  DESTINATION ${CMAKE_INSTALL_DATADIR}/scree/scripts
)
install(FILES scripts/performance_model.py DESTINATION ${CMAKE_INSTALL_DATADIR}/scree/scripts)
