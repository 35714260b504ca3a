/*
 * The floating-point settings that a host may have, by number: 0 is the default; m rounds as m % 4 says and, from 4 on,
 * reads and writes subnormals as zero.
 *
 *     for (int m = 0; m < ENVIRONMENTS; ++m) {
 *         set_environment(m);
 *         answer = ask(...);
 *         bool kept = environment_is(m);
 *         set_environment(0);
 *     }
 */
#ifndef TACT_TEST_HOST_FP_ENVIRONMENT_H
#define TACT_TEST_HOST_FP_ENVIRONMENT_H

#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>

static const int rounding_modes[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

#if defined(__SSE2__)
#include <xmmintrin.h>
#define FLUSH_BITS 0x8040u /* of MXCSR: flush to zero, and subnormals are zeros */
enum { ENVIRONMENTS = 8 };
#else
enum { ENVIRONMENTS = 4 };
#endif

/* The rounding mode is read from where the arithmetic on doubles takes it (fegetround may ask another unit). */
static inline int environment_is(int m)
{
#if defined(FLUSH_BITS)
    static const unsigned rounding_fields[4] = {0, 2, 1, 3};
    const unsigned control = _mm_getcsr();
    return (control >> 13 & 3u) == rounding_fields[m % 4] && (control & FLUSH_BITS) == (m >= 4 ? FLUSH_BITS : 0u);
#else
    return fegetround() == rounding_modes[m % 4];
#endif
}

/* A setting that the machine refuses ends the program: what would be tested is the default only, again and again. */
static inline void set_environment(int m)
{
    int refused = fesetround(rounding_modes[m % 4]) != 0;
#if defined(FLUSH_BITS)
    _mm_setcsr((_mm_getcsr() & ~FLUSH_BITS) | (m >= 4 ? FLUSH_BITS : 0u));
#endif
    if (refused || !environment_is(m)) {
        fprintf(stderr, "the floating-point setting %d is refused\n", m);
        abort();
    }
}

#endif
