# The command-line tool build/tact and its mesh file readers.

find_package(PkgConfig REQUIRED)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)

# The mesh file readers are a library, because tests and benchmarks use them too.
file(GLOB mesh_file_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/tact/mesh_file*.c
  ${PROJECT_SOURCE_DIR}/tools/tact/child_process.c)
add_library(tact_mesh_file STATIC ${mesh_file_sources})
target_include_directories(tact_mesh_file
  PUBLIC ${PROJECT_SOURCE_DIR}/tools/tact ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(tact_mesh_file PUBLIC tact_inside PRIVATE m)
tact_strict(tact_mesh_file)
if(TACT_ASSIMP)
  pkg_check_modules(ASSIMP IMPORTED_TARGET assimp)
endif()
if(TACT_ASSIMP AND ASSIMP_FOUND)
  target_link_libraries(tact_mesh_file PRIVATE PkgConfig::ASSIMP)
  target_compile_definitions(tact_mesh_file PUBLIC TACT_HAVE_ASSIMP)
else()
  message(STATUS "Without Assimp (Debian: libassimp-dev) the tool reads only PLY, OBJ and STL")
endif()

# The commands are a library, so that the fuzzers can call them.
file(GLOB tool_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/tact/*.c)
list(FILTER tool_sources EXCLUDE REGEX "/(main|child_process|mesh_file[a-z_]*)\\.c$")
add_library(tact_commands STATIC ${tool_sources})
target_include_directories(tact_commands PUBLIC ${PROJECT_SOURCE_DIR}/tools/tact PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(tact_commands PUBLIC tact_mesh_file tact_inside PkgConfig::JANSSON m)
tact_strict(tact_commands)
if(TACT_EXPAT)
  pkg_check_modules(EXPAT IMPORTED_TARGET expat)
endif()
if(TACT_EXPAT AND EXPAT_FOUND)
  target_link_libraries(tact_commands PRIVATE PkgConfig::EXPAT)
  target_compile_definitions(tact_commands PUBLIC TACT_HAVE_EXPAT)
else()
  message(STATUS "Without expat (Debian: libexpat1-dev) the tool reads no URDF and X3D")
endif()
if(TARGET tact_needs::openmp) # for tact doctor
  target_compile_definitions(tact_commands PRIVATE TACT_HAVE_OPENMP)
endif()

# tact serve for remote clients.
if(TACT_SERVER)
  find_path(NNG_INCLUDE_DIR nng/nng.h)
  find_library(NNG_LIBRARY nng)
  find_package(Threads)
endif()
if(TACT_SERVER AND NNG_INCLUDE_DIR AND NNG_LIBRARY AND Threads_FOUND AND UNIX)
  target_include_directories(tact_commands SYSTEM PRIVATE ${NNG_INCLUDE_DIR})
  target_link_libraries(tact_commands PRIVATE ${NNG_LIBRARY} Threads::Threads)
  target_compile_definitions(tact_commands PRIVATE TACT_HAVE_NNG)
  add_subdirectory(${PROJECT_SOURCE_DIR}/remote remote)
else()
  message(STATUS "Without nng (Debian: libnng-dev) `tact serve` serves only standard input")
endif()

# The target cannot be called tact, which is the library's target.
add_executable(tact_tool ${PROJECT_SOURCE_DIR}/tools/tact/main.c)
set_target_properties(tact_tool PROPERTIES OUTPUT_NAME tact RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
target_link_libraries(tact_tool PRIVATE tact_commands)
tact_strict(tact_tool)

# Writes the scenes of `make run`. It is built on request, or as a test.
file(GLOB show_case_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/show_case/*.c)
add_executable(tact_show_case ${show_case_sources} ${PROJECT_SOURCE_DIR}/examples/cloth/cloth.c
  ${PROJECT_SOURCE_DIR}/examples/cloth/scenes.c)
target_include_directories(tact_show_case
  PRIVATE ${PROJECT_SOURCE_DIR}/tools/show_case ${PROJECT_SOURCE_DIR}/examples/cloth ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(tact_show_case PRIVATE tact_commands)
if(NOT TACT_TESTS)
  set_target_properties(tact_show_case PROPERTIES EXCLUDE_FROM_ALL TRUE)
endif()
tact_strict(tact_show_case)

# Completions for shells and manual pages, which the tool prints from its help pages. Not for another system: its tool
# does not run here.
if(TACT_INSTALL AND NOT CMAKE_CROSSCOMPILING)
  set(tact_help_files ${PROJECT_BINARY_DIR}/share)
  add_custom_command(OUTPUT ${tact_help_files}/done
    COMMAND ${CMAKE_COMMAND} -DTOOL=$<TARGET_FILE:tact_tool> -DFOLDER=${tact_help_files}
      -P ${PROJECT_SOURCE_DIR}/cmake/help_files.cmake
    DEPENDS tact_tool ${PROJECT_SOURCE_DIR}/cmake/help_files.cmake
    COMMENT "Writing completions and manual pages")
  add_custom_target(tact_help_files ALL DEPENDS ${tact_help_files}/done)
endif()
