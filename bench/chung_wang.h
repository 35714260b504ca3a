/* The Chung-Wang test: a baseline for the benchmarks only. */
#ifndef TACT_BENCH_CHUNG_WANG_H
#define TACT_BENCH_CHUNG_WANG_H

#include "solid.h"

typedef enum chung_wang {
    CHUNG_WANG_APART,
    CHUNG_WANG_TOUCH,
    CHUNG_WANG_GAVE_UP /* more support points than it has room for */
} chung_wang;

/* Do two placed hulls touch? `axis` is where to begin (from B to A, unit) and gets the last axis tried, for next time;
 * zero when nothing is known. */
chung_wang tact_chung_wang(const solid *a, const tact_transform *transform_a, const solid *b,
                           const tact_transform *transform_b, tact_vec3 *axis);

#endif
