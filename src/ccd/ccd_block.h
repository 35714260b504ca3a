/* The SIMD filter of eight pairs, for tact_ccd_block_filter and for batches. */
#ifndef TACT_CCD_CCD_BLOCK_H
#define TACT_CCD_CCD_BLOCK_H

#include "ccd/feature_ccd.h"
#include "core/avx2.h"

/* Which of the pairs `at` to `at` + CCD_BLOCK - 1 may collide within their windows, a bit each: all that do, and few
 * others. `enter` and `exit` have CCD_BLOCK numbers; NULL, unless velocities are given, means 0 and 1. With `check`
 * also all pairs whose numbers are not all finite. (ccd_block.c) */
unsigned tact_ccd_filter8(tact_ccd_kind kind, const tact_ccd_points *points, size_t at, const double *enter,
                          const double *exit, bool velocities, bool check);

/* Which of the pairs may come nearer than 1 + 1e-6 times the separation, between positions; also all pairs whose
 * numbers are not all finite. In the default floating-point environment (math/fp_environment.h). */
unsigned tact_ccd_filter8_separation(tact_ccd_kind kind, const tact_ccd_points *points, size_t at, const double *enter,
                                     const double *exit, double separation);

/* What is decided of a block, a bit for each pair and numbers by pair. */
typedef struct ccd_block_answer {
    unsigned hits, misses;                     /* those that touch within their windows, and those that do not */
    unsigned filled;                           /* those of the hits that have weights and a normal */
    double lower[CCD_BLOCK], upper[CCD_BLOCK]; /* the brackets of hits, with the default width */
    double weights[4][CCD_BLOCK], normal[3][CCD_BLOCK];
} ccd_block_answer;

/* Decides the first `count` pairs of a block where that is simple. In the default floating-point environment.
 * (ccd_block_solve.c) */
void tact_ccd_solve8(tact_ccd_kind kind, const ccd_block *block, unsigned count, ccd_block_answer *answer);

/* The same for processors with AVX2. */
#if TACT_HAVE_AVX2
__typeof__(tact_ccd_filter8) tact_ccd_filter8_avx2;
__typeof__(tact_ccd_filter8_separation) tact_ccd_filter8_separation_avx2;
__typeof__(tact_ccd_solve8) tact_ccd_solve8_avx2;
#endif

#endif
