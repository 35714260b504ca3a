# The rules for our own files, handed to each of our targets by tact_strict(): the language, how arithmetic is rounded,
# and, when Tact is not a guest in another project, the warnings.

function(tact_strict target)
  # Not as a feature (c_std_17): that would leave it to the compiler to use a later standard.
  set_target_properties(${target} PROPERTIES
    C_STANDARD 17 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF
    CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF
    C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden)
  if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
    # Each operation is rounded as written, so the same input gives the same bits everywhere. errno of sqrt is nobody's
    # business here, and setting it costs a branch; nor do we read the flags of floating-point exceptions, and without
    # them the compiler may choose between two values instead of jumping. Neither changes a bit.
    target_compile_options(${target} PRIVATE -ffp-contract=off -fno-math-errno -fno-trapping-math)
    if(PROJECT_IS_TOP_LEVEL)
      target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
        $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>)
    endif()
    if(TACT_SANITIZE)
      target_compile_options(${target} PRIVATE
        -fsanitize=${TACT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
      # PUBLIC: whoever links a sanitized static library needs the runtime too.
      target_link_options(${target} PUBLIC -fsanitize=${TACT_SANITIZE})
    endif()
  endif()
endfunction()
