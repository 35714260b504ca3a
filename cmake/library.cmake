# The library, from all rooms under src/. Users link tact::tact.

file(GLOB tact_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*/*.c)

# The *_avx2.c files are compiled for processors with AVX2 (src/core/avx2.h). Their vectors are written out; automatic
# vectorization of the rest costs as much time as it saves.
if(NOT TACT_AVX2)
  add_compile_definitions(TACT_NO_AVX2)
endif()
include(CheckCCompilerFlag)
set(avx2_flags -mavx2 -fno-tree-vectorize -fno-tree-slp-vectorize)
check_c_compiler_flag("${avx2_flags}" TACT_HAVE_AVX2_FLAGS)
if(TACT_HAVE_AVX2_FLAGS)
  file(GLOB avx2_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*/*_avx2.c)
  set_source_files_properties(${avx2_sources} PROPERTIES COMPILE_OPTIONS "${avx2_flags}")
  # The box-box test is one long run of arithmetic. gcc schedules it better before register allocation: 16.4 ns instead
  # of 18.3 for two separate boxes. The operations are the same.
  set(schedule_flags -fschedule-insns -fsched-pressure)
  check_c_compiler_flag("${schedule_flags}" TACT_HAVE_SCHEDULE_FLAGS)
  if(TACT_HAVE_SCHEDULE_FLAGS)
    set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/convex/box_box_avx2.c APPEND PROPERTY COMPILE_OPTIONS ${schedule_flags})
  endif()
endif()

# triangle_boxes.c changes the rounding mode. -frounding-math forbids the compiler to replace -(float)(-x) by (float)x,
# which is correct only for rounding to nearest. The check uses -Werror: clang up to version 14 accepts the flag for ARM
# with a warning and without effect.
set(CMAKE_REQUIRED_FLAGS -Werror)
check_c_compiler_flag(-frounding-math TACT_HAVE_ROUNDING_FLAG)
unset(CMAKE_REQUIRED_FLAGS)
if(TACT_HAVE_ROUNDING_FLAG)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/bounds/triangle_boxes.c PROPERTIES COMPILE_OPTIONS -frounding-math)
endif()

# The tests spend most of their time in these rooms. The others are compiled with -O1 for `make check`, which takes two
# thirds of the time of -O2.
if(TACT_CHECK)
  set(other_sources ${tact_sources})
  list(FILTER other_sources EXCLUDE REGEX "/src/(ccd|convex|exact|math|sweep|toi|tree)/")
  set_property(SOURCE ${other_sources} APPEND PROPERTY COMPILE_OPTIONS -O1 -finline-small-functions)
endif()

# Compiled once, for the static and the shared library. They differ on Windows only (include/tact/export.h).
add_library(tact_objects OBJECT ${tact_sources})
target_include_directories(tact_objects PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(tact_objects PRIVATE TACT_BUILDING)
if(TACT_FUZZ) # one input must not take minutes
  target_compile_definitions(tact_objects PRIVATE NURBS_MAX_CELLS=4096u)
endif()
if(BUILD_SHARED_LIBS)
  set_target_properties(tact_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
  if(WIN32)
    target_compile_definitions(tact_objects PRIVATE TACT_SHARED)
  endif()
endif()
if(TARGET tact_needs::openmp)
  separate_arguments(openmp_flags NATIVE_COMMAND "${OpenMP_C_FLAGS}")
  target_compile_options(tact_objects PRIVATE ${openmp_flags})
endif()
tact_strict(tact_objects)

function(tact_make_library target)
  add_library(${target} ${ARGN} $<TARGET_OBJECTS:tact_objects>)
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C)
  target_include_directories(${target}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  if(UNIX)
    target_link_libraries(${target} PRIVATE m)
  endif()
  if(TARGET tact_needs::openmp)
    target_link_libraries(${target} PRIVATE tact_needs::openmp)
  endif()
  tact_strict(${target})
endfunction()

tact_make_library(tact)
add_library(tact::tact ALIAS tact)
set_target_properties(tact PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})

if(BUILD_SHARED_LIBS)
  target_compile_definitions(tact PUBLIC TACT_SHARED)
  if(CMAKE_SYSTEM_NAME STREQUAL Linux AND NOT TACT_SANITIZE)
    target_link_options(tact PRIVATE LINKER:--no-undefined)
  endif()
  # The benchmarks and the internal tests call internals, which a shared library does not export.
  tact_make_library(tact_inside STATIC EXCLUDE_FROM_ALL)
else()
  add_library(tact_inside ALIAS tact)
endif()
