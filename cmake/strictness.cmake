# tact_strict(target) sets the compiler options of our own targets: the language, floating-point arithmetic and, unless
# Tact is a sub-directory of another project, the warnings.

# 32-bit x86: in SSE2 registers each operation is rounded once, to double. The older registers round twice.
include(CheckSymbolExists)
check_symbol_exists(__i386__ "stddef.h" TACT_I386)
set(tact_sse2_flags "")
if(TACT_I386)
  set(tact_sse2_flags -msse2 -mfpmath=sse)
endif()

function(tact_strict target)
  # Not as a feature (c_std_17), which allows a later standard.
  set_target_properties(${target} PROPERTIES
    C_STANDARD 17 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF
    CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF
    C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden)
  if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
    # -ffp-contract=off: each operation is rounded as written, so the same input gives the same bits everywhere. We read
    # neither errno of sqrt, whose setting costs a branch, nor the floating-point exception flags; without the latter
    # the compiler may select between two values instead of branching. Neither option changes a result.
    target_compile_options(${target} PRIVATE -ffp-contract=off -fno-math-errno -fno-trapping-math ${tact_sse2_flags})
    if(PROJECT_IS_TOP_LEVEL)
      target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
        $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>)
    endif()
    if(TACT_SANITIZE)
      target_compile_options(${target} PRIVATE
        -fsanitize=${TACT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
      # PUBLIC: a program that links a sanitized static library needs the runtime too.
      target_link_options(${target} PUBLIC -fsanitize=${TACT_SANITIZE})
    endif()
  endif()
endfunction()

# tact_quick is true where the library is optimized: there tests are compiled quickly rather than to be fast.
if(TACT_SANITIZE)
  set(tact_quick 1)
else()
  set(tact_quick $<CONFIG:Release>)
endif()
