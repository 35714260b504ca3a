/*
 * The floating-point environment: rounding mode, treatment of subnormals, traps. A host may have changed any of them.
 * Code whose results must not depend on that enters the default environment (round to nearest, subnormals kept, no
 * traps) and restores the host's on leaving, status flags included.
 *
 *     fp_environment before = fp_environment_enter();
 *     result = work(...);                        (a function of its own, not inlined)
 *     fp_environment_leave(before);
 *
 * The compiler does not know that arithmetic depends on the environment and may move it across the two calls. So the
 * work must be a function that is not inlined (TACT_NOINLINE): the compiler does not move a call across the volatile
 * accesses of the two functions. Cost: a few nanoseconds if the environment is the default, some ten more if not. The
 * exact predicates need none of this (predicates.c).
 *
 * Where FP_ENVIRONMENT_HAS_DOWNWARD is 1, fp_environment_enter_downward() enters the same environment with rounding
 * towards minus infinity. It always writes the control register: use it for work on many numbers.
 */
#ifndef TACT_MATH_FP_ENVIRONMENT_H
#define TACT_MATH_FP_ENVIRONMENT_H

#include <stdint.h>

#include "core/inline.h"

#if defined(__x86_64__) || defined(_M_X64) || (defined(__i386__) && defined(__SSE2_MATH__))

#include <xmmintrin.h>

#define FP_ENVIRONMENT_DEFAULT 0x1f80u /* MXCSR at reset: to nearest, all traps masked, nothing flushed, no flags */
#define FP_ENVIRONMENT_FLAGS 0x3fu     /* the status flags of MXCSR */
#define FP_ENVIRONMENT_DOWNWARD 0x2000u
#define FP_ENVIRONMENT_HAS_DOWNWARD 1

typedef struct fp_environment {
    unsigned control;
} fp_environment;

static inline fp_environment fp_environment_enter(void)
{
    fp_environment found = {_mm_getcsr()};
    if ((found.control & ~FP_ENVIRONMENT_FLAGS) != FP_ENVIRONMENT_DEFAULT)
        _mm_setcsr(FP_ENVIRONMENT_DEFAULT);
    return found;
}

static inline fp_environment fp_environment_enter_downward(void)
{
    fp_environment found = {_mm_getcsr()};
    _mm_setcsr(FP_ENVIRONMENT_DEFAULT | FP_ENVIRONMENT_DOWNWARD);
    return found;
}

static inline void fp_environment_leave(fp_environment found)
{
    if (_mm_getcsr() != found.control)
        _mm_setcsr(found.control);
}

#elif defined(__aarch64__) && defined(__GNUC__)

#define FP_ENVIRONMENT_DOWNWARD (UINT64_C(1) << 23)
#define FP_ENVIRONMENT_HAS_DOWNWARD 1

typedef struct fp_environment {
    uint64_t control; /* FPCR: rounding, flushing and traps; 0 is the default */
    uint64_t status;  /* FPSR: the flags */
} fp_environment;

static inline fp_environment fp_environment_enter(void)
{
    fp_environment found;
    __asm__ volatile("mrs %0, fpcr" : "=r"(found.control) : : "memory");
    __asm__ volatile("mrs %0, fpsr" : "=r"(found.status) : : "memory");
    if (found.control != 0)
        __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)0) : "memory");
    return found;
}

static inline fp_environment fp_environment_enter_downward(void)
{
    fp_environment found = fp_environment_enter();
    __asm__ volatile("msr fpcr, %0" : : "r"(FP_ENVIRONMENT_DOWNWARD) : "memory");
    return found;
}

static inline void fp_environment_leave(fp_environment found)
{
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control) : : "memory");
    if (control != found.control)
        __asm__ volatile("msr fpcr, %0" : : "r"(found.control) : "memory");
    __asm__ volatile("msr fpsr, %0" : : "r"(found.status) : "memory");
}

#else

#include <fenv.h>

#define FP_ENVIRONMENT_HAS_DOWNWARD 0

typedef struct fp_environment {
    fenv_t all;
} fp_environment;

static inline fp_environment fp_environment_enter(void)
{
    fp_environment found;
    (void)fegetenv(&found.all);
    (void)fesetenv(FE_DFL_ENV);
    return found;
}

static inline void fp_environment_leave(fp_environment found) { (void)fesetenv(&found.all); }

#endif

#endif
