# scree_add_layer(<layer> DEPENDS <target>...): the static library scree_<layer>, known as Scree::<layer>, from
# src/<layer>/*.cpp and the headers in include/scree/<layer>.
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

  add_library(${target} STATIC ${sources})
  add_library(Scree::${layer} ALIAS ${target})
  target_sources(
    ${target}
    PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include FILES ${headers}
  )
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(${target} PUBLIC ${arg_DEPENDS})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${layer})
  set_property(GLOBAL APPEND PROPERTY SCREE_LAYERS ${layer})
endfunction()
