/* Hints for the few inner loops where the compiler's own choice of what to inline costs a factor. Without effect
 * elsewhere. */
#ifndef TACT_CORE_INLINE_H
#define TACT_CORE_INLINE_H

#if defined(__GNUC__)
#define TACT_FORCE_INLINE static inline __attribute__((always_inline))
#define TACT_COLD static __attribute__((noinline, cold))
#else
#define TACT_FORCE_INLINE static inline
#define TACT_COLD static
#endif

/* Before a loop of three steps: written out, so that its arrays become registers. */
#if defined(__GNUC__) && !defined(__clang__)
#define TACT_UNROLL_3 _Pragma("GCC unroll 3")
#else
#define TACT_UNROLL_3
#endif

#endif
