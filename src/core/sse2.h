/*
 * Vectors of four floats or two doubles, by Intel's names (`__m128`, `_mm_add_ps`). The compiler provides them where
 * the processor has SSE2. Elsewhere SIMDe emulates them: the same operations in the same order, so the results are
 * identical bit for bit. SIMDe is not used on x86, because its headers take 2.5 times as long to compile.
 */
#ifndef TACT_CORE_SSE2_H
#define TACT_CORE_SSE2_H

#ifdef __SSE2__
#include <emmintrin.h>
#else
#define SIMDE_ENABLE_NATIVE_ALIASES /* SIMDe defines Intel's names too */
#include <simde/x86/sse2.h>
#endif

#endif
