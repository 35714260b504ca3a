/*
 * Continuous collision as it is done in plain floating point, as a baseline: the real roots of the coplanarity cubic
 * (Provot 1997) in [0, 1], and at each of them, the first one first, whether the features meet, within a tolerance. It
 * is wrong where rounding bites, and where the four points stay in one plane.
 */
#ifndef TACT_BENCH_PLAIN_CUBIC_H
#define TACT_BENCH_PLAIN_CUBIC_H

#include "ccd_scene.h"

/* Does pair `i` meet, and when? */
bool tact_plain_cubic(const ccd_pairs *pairs, int i, double *time);

#endif
