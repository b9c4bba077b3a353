# Installs the build, moves it elsewhere, and builds and runs the program of this folder against it.
cmake_minimum_required(VERSION 3.24)

function(run)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output COMMAND_ECHO STDOUT ECHO_OUTPUT_VARIABLE COMMAND_ERROR_IS_FATAL ANY)
  set(output "${output}" PARENT_SCOPE)
endfunction()

set(scratch ${BUILD}/package)
set(prefix ${scratch}/moved)
set(user ${scratch}/user)
file(REMOVE_RECURSE ${scratch})

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${scratch}/installed)
file(RENAME ${scratch}/installed ${prefix}) # what was installed must not depend on where
run(
  ${CMAKE_COMMAND} -G ${GENERATOR} -S ${CMAKE_CURRENT_LIST_DIR} -B ${user} -DCMAKE_PREFIX_PATH=${prefix}
  -DCMAKE_BUILD_TYPE=${BUILD_TYPE} -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_FLAGS=${CXX_FLAGS}
)
run(${CMAKE_COMMAND} --build ${user})

# All of it came from the prefix, none from the source or build tree that this test runs in.
load_cache(${user} READ_WITH_PREFIX user_ Scree_DIR)
cmake_path(IS_PREFIX prefix "${user_Scree_DIR}" from_prefix)
if(NOT from_prefix)
  message(FATAL_ERROR "find_package(Scree) found ${user_Scree_DIR}, not below ${prefix}")
endif()
file(READ ${user}/compile_commands.json commands)
if(NOT commands MATCHES "${prefix}/include")
  message(FATAL_ERROR "The headers do not come from ${prefix}/include: ${commands}")
endif()
cmake_path(SET source NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../..)
if(commands MATCHES "${source}include|${BUILD}/include")
  message(FATAL_ERROR "The headers of the source or build tree are seen: ${commands}")
endif()

run(${MPIEXEC} -n 2 ${user}/scree-user)
if(NOT output MATCHES "scree ${VERSION} on 2 ranks" OR NOT output MATCHES "solver [a-z]")
  message(FATAL_ERROR "Unexpected output of the program")
endif()

# The environment module knows the place it was moved to.
find_program(TCLSH tclsh)
if(TCLSH)
  file(
    WRITE ${scratch}/module.tcl
    "foreach word {conflict module-whatis} { proc $word args {} }
     proc prepend-path {name value} { puts \"$name=$value\" }
     proc setenv {name value} { puts \"$name=$value\" }
     set ModulesCurrentModulefile [lindex $argv 0]
     source $ModulesCurrentModulefile"
  )
  run(${TCLSH} ${scratch}/module.tcl ${prefix}/share/modulefiles/scree/${VERSION})
  string(REGEX MATCH "SCREE_BIN=([^\n]*)" found "${output}")
  if(NOT found OR NOT EXISTS ${CMAKE_MATCH_1}/scree-run)
    message(FATAL_ERROR "The module does not lead to the programs: ${output}")
  endif()
endif()
