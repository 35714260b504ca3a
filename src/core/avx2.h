/*
 * Code for processors with AVX2 beside the plain one. A few files of hot code are compiled once more, as part of a file
 * that ends in _avx2.c and gives their functions names that end in _avx2; cmake/library.cmake adds the compiler's
 * options to these. Both do the same operations on the same numbers, no fused ones, so the answers are the same bits.
 * What is gained is instructions with three operands, which spare the copies.
 */
#ifndef TACT_CORE_AVX2_H
#define TACT_CORE_AVX2_H

#if defined(__x86_64__) && defined(__GNUC__)
#define TACT_HAVE_AVX2 1
#define TACT_CPU_HAS_AVX2 __builtin_cpu_supports("avx2") /* a load and a test */
#else
#define TACT_HAVE_AVX2 0
#endif

/* f(...), compiled for this processor. */
#if TACT_HAVE_AVX2
#define TACT_DISPATCH_AVX2(f, ...) (TACT_CPU_HAS_AVX2 ? f##_avx2(__VA_ARGS__) : f(__VA_ARGS__))
#else
#define TACT_DISPATCH_AVX2(f, ...) f(__VA_ARGS__)
#endif

#endif
