/*
 * How numbered vertices move: consecutive linear pieces. (Weller and Zachmann 2006, 3, say flight plan.)
 *
 * The pieces of a vertex are known ahead of time, as far as its motion is known at all: certificates are examined along
 * them (kinetic_motion.h). Key frames that are common to all vertices can be given as a table besides, which is faster.
 */
#ifndef TACT_KINETIC_VERTEX_MOTION_H
#define TACT_KINETIC_VERTEX_MOTION_H

#include <stddef.h>
#include <stdint.h>

#include "motion/linear_path.h"

/* Samples that a range of samples advances: most certificates hold through several ranges, which are then tested
 * instead of their samples. Performance only. */
#define KINETIC_RANGE_SAMPLES ((size_t)16)

/* Coordinates of all vertices at common times, between which they move linearly. A coordinate of a vertex is
 * contiguous in time. */
typedef struct vertex_samples {
    const double *times;  /* ascending */
    size_t count;         /* of times, at least 1 */
    const double *values; /* coordinate `axis` of `vertex` at times[k]: values[(3 vertex + axis) stride + k] */
    size_t stride;
    /* The least and the largest value of samples KINETIC_RANGE_SAMPLES j to KINETIC_RANGE_SAMPLES (j + 1), both
     * included: ranges[(3 vertex + axis) range_stride + j][0] and [1]. Only ranges whose samples all exist. */
    const double (*ranges)[2];
    size_t range_stride;
    bool rest; /* the vertices rest after the last time; otherwise they go on, and the table must be replaced before */
} vertex_samples;

typedef struct vertex_motion {
    void *context;
    /* The piece of a vertex that is valid at `time` and after it: its path, and the end of its validity, later than
     * `time` (INFINITY: none; then the path has a velocity). At a boundary the later piece. All numbers are finite and
     * at most 1e140. Not used if there is a table. */
    linear_path (*piece)(void *context, uint32_t vertex, double time, double *end);
    /* Each piece begins where the one before ends, up to some units of 2^-53 of the coordinate. Otherwise vertices may
     * jump at boundaries. A table is always continuous. */
    bool continuous;
    const vertex_samples *samples; /* the table, or NULL */
} vertex_motion;

#endif
