/*
 * CCD in plain floating point, as a baseline: the real roots of the coplanarity cubic (Provot 1997) in [0, 1], and at
 * each of them, in order, whether the features overlap within a tolerance. It fails where rounding errors decide, and
 * where the four points stay coplanar.
 */
#ifndef TACT_BENCH_PLAIN_CUBIC_H
#define TACT_BENCH_PLAIN_CUBIC_H

#include "ccd_scene.h"

/* Does pair `i` collide? `time` receives the time of contact. */
bool tact_plain_cubic(const ccd_pairs *pairs, int i, double *time);

#endif
