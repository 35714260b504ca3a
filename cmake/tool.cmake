# The command-line tool build/tact, with the benchmarks built in. The peers of the races, and with them C++, take part
# only with TACT_BENCH, so that an installed tool does not hang on them.

find_package(PkgConfig REQUIRED)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)

# The readers of mesh files are a library of their own, for the tests to read with.
file(GLOB mesh_file_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/tact/mesh_file*.c)
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
  message(STATUS "Without Assimp (Debian: libassimp-dev) the tool reads PLY, OBJ and STL alone")
endif()

file(GLOB tool_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/tact/*.c ${PROJECT_SOURCE_DIR}/bench/*.c)
list(REMOVE_ITEM tool_sources ${mesh_file_sources})
file(GLOB peer_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.cpp)

# Not called tact: that is the library's target.
add_executable(tact_tool ${tool_sources})
set_target_properties(tact_tool PROPERTIES OUTPUT_NAME tact RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
target_include_directories(tact_tool PRIVATE
  ${PROJECT_SOURCE_DIR}/tools/tact ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
target_link_libraries(tact_tool PRIVATE tact_mesh_file tact_inside PkgConfig::JANSSON m)
tact_strict(tact_tool)

if(TACT_BENCH)
  find_package(ccd CONFIG QUIET)
  if(TARGET ccd)
    target_link_libraries(tact_tool PRIVATE ccd)
    target_compile_definitions(tact_tool PRIVATE TACT_HAVE_CCD)
  endif()
  if(peer_sources)
    include(CheckLanguage)
    check_language(CXX)
    if(CMAKE_CXX_COMPILER)
      enable_language(CXX)
      find_package(fcl CONFIG QUIET)
    endif()
  endif()
  if(TARGET fcl)
    target_sources(tact_tool PRIVATE ${peer_sources})
    target_link_libraries(tact_tool PRIVATE fcl)
    target_compile_definitions(tact_tool PRIVATE TACT_HAVE_FCL)
  endif()
  if(NOT TARGET ccd OR (peer_sources AND NOT TARGET fcl))
    message(FATAL_ERROR "TACT_BENCH=ON needs FCL and libccd (Debian: libfcl-dev, libccd-dev)")
  endif()
endif()
