# The command-line tool build/tact, with the benchmarks built in. The peers of the races, and with them C++, take part
# only with TACT_BENCH, so that an installed tool does not hang on them.

find_package(PkgConfig REQUIRED)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)

file(GLOB tool_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/tact/*.c ${PROJECT_SOURCE_DIR}/bench/*.c)
file(GLOB peer_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.cpp)

# Not called tact: that is the library's target.
add_executable(tact_tool ${tool_sources})
set_target_properties(tact_tool PROPERTIES OUTPUT_NAME tact RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
target_include_directories(tact_tool PRIVATE
  ${PROJECT_SOURCE_DIR}/tools/tact ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
target_link_libraries(tact_tool PRIVATE tact_inside PkgConfig::JANSSON m)
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
