/*
 * Oriented boxes in floats, never smaller than what they were made from.
 *
 * A box is the set of points p with |axis[i] . (p - centre)| <= half[i] for i = 0, 1, 2. The axes are perpendicular and
 * of length 1 up to the rounding of floats (see OBB_ROUNDING); that the points are inside holds for the axes as they
 * are. A box that has no bounds (of points that are not finite, or too large for floats) has infinite half sizes.
 */
#ifndef TACT_BOUNDS_OBB_H
#define TACT_BOUNDS_OBB_H

#include <tact/vec.h>

#include "bounds/box4.h"

typedef struct obb {
    float axis[3][3];
    float centre[3];
    float half[3];
} obb;

/* Products of two different axes, and of one with itself less 1, are at most this. */
#define OBB_ROUNDING (4.0 * (double)FLT_EPSILON)

/* A small box around some points, those of `count` groups of three (triangles): points[groups[3 i + 0 .. 2]]. Of the
 * principal axes of the points and the axes of the coordinates, the box with the smaller area. O(count). */
obb tact_obb_of_triangles(const tact_vec3 *points, const uint32_t (*triangles)[3], const uint32_t *order,
                          uint32_t count);

/* Four oriented boxes side by side, one a lane. */
typedef struct obb4 {
    float axis[3][3][BOX4_WIDTH];
    float centre[3][BOX4_WIDTH];
    float half[3][BOX4_WIDTH];
} obb4;

static inline void obb4_set(obb4 *four, unsigned lane, const obb *b)
{
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k)
            four->axis[i][k][lane] = b->axis[i][k];
        four->centre[i][lane] = b->centre[i];
        four->half[i][lane] = b->half[i];
    }
}

static inline obb obb4_get(const obb4 *four, unsigned lane)
{
    obb b;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k)
            b.axis[i][k] = four->axis[i][k][lane];
        b.centre[i] = four->centre[i][lane];
        b.half[i] = four->half[i][lane];
    }
    return b;
}

/* Is the point inside, for certain? */
bool tact_obb_contains(const obb *b, tact_vec3 point);

#endif
