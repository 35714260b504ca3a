/* Inlining and unrolling hints for the inner loops where the compiler's own choice costs a factor. Performance only. */
#ifndef TACT_CORE_INLINE_H
#define TACT_CORE_INLINE_H

#if defined(__GNUC__)
#define TACT_FORCE_INLINE static inline __attribute__((always_inline))
#define TACT_COLD static __attribute__((noinline, cold))
#else
#define TACT_FORCE_INLINE static inline
#define TACT_COLD static
#endif

/* Before a loop of three iterations: unrolls it, so that its small arrays become registers. */
#if defined(__GNUC__) && !defined(__clang__)
#define TACT_UNROLL_3 _Pragma("GCC unroll 3")
#else
#define TACT_UNROLL_3
#endif

/* A function of its own, for work in another floating-point environment (math/fp_environment.h). */
#if defined(__GNUC__)
#define TACT_NOINLINE __attribute__((noinline))
#elif defined(_MSC_VER)
#define TACT_NOINLINE __declspec(noinline)
#else
#define TACT_NOINLINE
#endif

#endif
