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

/* Decides the first `count` pairs of a block where that is simple: a bit for each that touches within its window, and
 * above these CCD_BLOCK bits one for each that does not. The times of a hit are those of its bracket, with the default
 * width. `lower` and `upper` have CCD_BLOCK numbers. In the default floating-point environment. (ccd_block_solve.c) */
unsigned tact_ccd_solve8(tact_ccd_kind kind, const ccd_block *block, unsigned count, double lower[CCD_BLOCK],
                         double upper[CCD_BLOCK]);

/* The same for processors with AVX2. */
#if TACT_HAVE_AVX2
__typeof__(tact_ccd_filter8) tact_ccd_filter8_avx2;
__typeof__(tact_ccd_filter8_separation) tact_ccd_filter8_separation_avx2;
__typeof__(tact_ccd_solve8) tact_ccd_solve8_avx2;
#endif

#endif
