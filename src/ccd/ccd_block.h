/* Pairs side by side in vectors: for tact_ccd_block_maybe and the batch. */
#ifndef TACT_CCD_CCD_BLOCK_H
#define TACT_CCD_CCD_BLOCK_H

#include "ccd/feature_ccd.h"
#include "core/avx2.h"

/* Which of the pairs `at` to `at` + CCD_BLOCK - 1 may touch within their windows, a bit each: all that do, and few
 * others. `enter` and `exit` have CCD_BLOCK numbers; NULL, unless velocities are given, for 0 and 1. With `check` also
 * all whose numbers are not all finite. (ccd_block.c) */
unsigned tact_ccd_maybe(tact_ccd_kind kind, const tact_ccd_points *points, size_t at, const double *enter,
                        const double *exit, bool velocities, bool check);

/* Likewise which may come nearer than 1 + 1e-6 times the separation, between places; also all whose numbers are not all
 * finite. In the default environment (math/fp_environment.h). */
unsigned tact_ccd_near(tact_ccd_kind kind, const tact_ccd_points *points, size_t at, const double *enter,
                       const double *exit, double separation);

/* The same for processors with AVX2. */
#if TACT_HAVE_AVX2
__typeof__(tact_ccd_maybe) tact_ccd_maybe_avx2;
__typeof__(tact_ccd_near) tact_ccd_near_avx2;
#endif

#endif
