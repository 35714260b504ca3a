/*
 * Run-time dispatch to code compiled for AVX2.
 *
 * A few files of hot code are compiled twice. The second time they are included by a file that ends in _avx2.c, which
 * renames their functions to names that end in _avx2; cmake/library.cmake sets the compiler options of these files.
 * Both versions execute the same operations on the same numbers, without fused multiply-add: the results are identical
 * bit for bit (internal_avx2). The gain comes from eight lanes and from three-operand instructions, which save copies.
 */
#ifndef TACT_CORE_AVX2_H
#define TACT_CORE_AVX2_H

#if defined(__x86_64__) && defined(__GNUC__) && !defined(TACT_NO_AVX2)
#define TACT_HAVE_AVX2 1
#define TACT_CPU_HAS_AVX2 __builtin_cpu_supports("avx2") /* a load and a test */
#else
#define TACT_HAVE_AVX2 0
#endif

/* Calls f(...) in the version for this processor. */
#if TACT_HAVE_AVX2
#define TACT_DISPATCH_AVX2(f, ...) (TACT_CPU_HAS_AVX2 ? f##_avx2(__VA_ARGS__) : f(__VA_ARGS__))
#else
#define TACT_DISPATCH_AVX2(f, ...) f(__VA_ARGS__)
#endif

#endif
