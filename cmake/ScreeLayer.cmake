# scree_add_layer(<layer> DEPENDS <target>...): the static library scree_<layer>, known as Scree::<layer>, from
# src/<layer>/*.cpp and the headers in include/scree/<layer>. That a header can be included alone shows when the source of
# its name, which includes it first (the test tree.layers), is compiled; headers without a source are verified by CMake.
function(scree_add_layer layer)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" DEPENDS)
  set(target scree_${layer})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${layer}/*.cpp)
  if(NOT SCREE_WITH_PARMETIS)
    list(FILTER sources EXCLUDE REGEX "/parmetis\\.cpp$")
  endif()
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/scree/${layer}/*.hpp)
  if(layer STREQUAL parallel) # the lowest layer carries what belongs to all
    list(APPEND headers ${PROJECT_BINARY_DIR}/include/scree/version.hpp)
  endif()

  set(header_only "")
  foreach(header IN LISTS headers)
    cmake_path(GET header STEM name)
    if(NOT EXISTS ${PROJECT_SOURCE_DIR}/src/${layer}/${name}.cpp)
      list(APPEND header_only ${header})
    endif()
  endforeach()
  if(header_only)
    list(REMOVE_ITEM headers ${header_only})
  endif()

  add_library(${target} STATIC ${sources})
  add_library(Scree::${layer} ALIAS ${target})
  set(bases ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include)
  target_sources(
    ${target}
    PUBLIC FILE_SET HEADERS BASE_DIRS ${bases} FILES ${headers}
    PUBLIC FILE_SET header_only TYPE HEADERS BASE_DIRS ${bases} FILES ${header_only}
  )
  set_target_properties(${target} PROPERTIES INTERFACE_HEADER_SETS_TO_VERIFY header_only)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(${target} PUBLIC ${arg_DEPENDS})
  # Reading these takes most of the time of a compilation. The preset debug goes without, which shows missing includes.
  target_precompile_headers(${target} PRIVATE <petscvec.h> <fmt/format.h>)
  if(NOT layer STREQUAL parallel)
    target_precompile_headers(${target} PRIVATE <Eigen/Core> <Eigen/Geometry>)
  endif()
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${layer})
  set_property(GLOBAL APPEND PROPERTY SCREE_LAYERS ${layer})
endfunction()
