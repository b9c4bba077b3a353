# Finds ParMETIS and the METIS below it: the target ParMETIS::ParMETIS. ParMETIS_ROOT names a place to look first.
#
# Link the target directly, even where another library brings something of that name along: PT-Scotch, which PETSc may
# pull in, exports functions of the same names, and the dynamic linker takes the first it meets.
find_path(ParMETIS_INCLUDE_DIR parmetis.h)
find_path(METIS_INCLUDE_DIR metis.h)
find_library(ParMETIS_LIBRARY parmetis)
find_library(METIS_LIBRARY metis)
mark_as_advanced(ParMETIS_INCLUDE_DIR METIS_INCLUDE_DIR ParMETIS_LIBRARY METIS_LIBRARY)

if(ParMETIS_INCLUDE_DIR)
  set(ParMETIS_VERSION "")
  foreach(part IN ITEMS MAJOR MINOR SUBMINOR)
    file(STRINGS ${ParMETIS_INCLUDE_DIR}/parmetis.h line REGEX "define PARMETIS_${part}_VERSION")
    string(REGEX MATCH "[0-9]+" number "${line}")
    list(APPEND ParMETIS_VERSION ${number})
  endforeach()
  list(JOIN ParMETIS_VERSION . ParMETIS_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  ParMETIS
  REQUIRED_VARS ParMETIS_LIBRARY METIS_LIBRARY ParMETIS_INCLUDE_DIR METIS_INCLUDE_DIR
  VERSION_VAR ParMETIS_VERSION
)

if(ParMETIS_FOUND AND NOT TARGET ParMETIS::ParMETIS)
  add_library(ParMETIS::METIS UNKNOWN IMPORTED)
  set_target_properties(
    ParMETIS::METIS PROPERTIES IMPORTED_LOCATION ${METIS_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${METIS_INCLUDE_DIR}
  )
  add_library(ParMETIS::ParMETIS UNKNOWN IMPORTED)
  set_target_properties(
    ParMETIS::ParMETIS
    PROPERTIES IMPORTED_LOCATION ${ParMETIS_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${ParMETIS_INCLUDE_DIR}
               INTERFACE_LINK_LIBRARIES ParMETIS::METIS
  )
endif()
