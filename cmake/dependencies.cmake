# Dependencies of the library besides libc and libm: SIMDe (headers only, at build time, for processors without SSE2:
# src/core/sse2.h) and OpenMP (optional). OpenMP is the target tact_needs::openmp. The installed tactConfig.cmake creates
# this target again for users of a static library, from tact_openmp_names and tact_openmp_folders.

include(CheckIncludeFile)
include(CheckSymbolExists)
set(CMAKE_REQUIRED_FLAGS ${tact_sse2_flags})
check_symbol_exists(__SSE2__ "stddef.h" TACT_HAVE_SSE2)
unset(CMAKE_REQUIRED_FLAGS)
if(NOT TACT_HAVE_SSE2)
  check_include_file(simde/x86/sse2.h TACT_HAVE_SIMDE)
  if(NOT TACT_HAVE_SIMDE)
    message(FATAL_ERROR "On this processor Tact needs the headers of SIMDe to build (Debian: libsimde-dev)")
  endif()
endif()

set(tact_openmp_names "")
set(tact_openmp_folders "")
if(TACT_OPENMP)
  find_package(OpenMP QUIET COMPONENTS C)
  if(OpenMP_C_FOUND)
    # The runtime of this compiler, by name and folder. A program that links the static library may be built by another
    # compiler, or enable C++ only, and FindOpenMP would then find another runtime.
    add_library(tact_needs::openmp INTERFACE IMPORTED GLOBAL)
    target_link_libraries(tact_needs::openmp INTERFACE ${OpenMP_C_LIBRARIES})
    foreach(library IN LISTS OpenMP_C_LIBRARIES)
      get_filename_component(folder ${library} DIRECTORY)
      list(APPEND tact_openmp_folders ${folder})
    endforeach()
    list(REMOVE_DUPLICATES tact_openmp_folders)
    set(tact_openmp_names ${OpenMP_C_LIB_NAMES})
  else()
    message(WARNING "OpenMP not found: Tact will use one thread unless the host gives it a parallel loop")
  endif()
endif()
