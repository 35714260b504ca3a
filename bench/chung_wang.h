/* The Chung-Wang overlap test, a baseline of `tact-bench icollide`. */
#ifndef TACT_BENCH_CHUNG_WANG_H
#define TACT_BENCH_CHUNG_WANG_H

#include "solid.h"

typedef enum chung_wang {
    CHUNG_WANG_APART,
    CHUNG_WANG_TOUCH,
    CHUNG_WANG_GAVE_UP /* more support points than it can store */
} chung_wang;

/* Do two transformed hulls overlap? `axis`: initial axis (from B to A, unit) or zero; receives the last axis tried, for
 * the next call. */
chung_wang tact_chung_wang(const solid *a, const tact_transform *transform_a, const solid *b,
                           const tact_transform *transform_b, tact_vec3 *axis);

#endif
