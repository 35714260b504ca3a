/*
 * Oriented boxes in floats, never smaller than what they were made from.
 *
 * A box is the set of points p with |axis[i] . (p - centre)| <= half[i] for i = 0, 1, 2. The axes are perpendicular and
 * of length 1 up to the rounding of floats (see OBB_AXIS_ERROR); that the points are inside holds for the axes as they
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
#define OBB_AXIS_ERROR (4.0 * (double)FLT_EPSILON)

/* A small box around a triangle: along its longest edge and its normal, or along the coordinates if that is smaller. */
obb tact_obb_of_triangle(const tact_vec3 *a, const tact_vec3 *b, const tact_vec3 *c);

/* Points rounded to floats, coordinate by coordinate, so that four are projected at once. Room for OBB_POINT_PADDING
 * more than there are, which are read and not used. */
typedef struct obb_points {
    const float *x, *y, *z;
} obb_points;

#define OBB_POINT_PADDING 3

/* Sums over points, in any one frame that is not turned against theirs: of the coordinates and of their products
 * xx, yy, zz, xy, xz, yz. Those of two sets of points may be added. */
typedef struct obb_moments {
    double count, sum[3], product[6];
} obb_moments;

static inline void obb_moments_add(obb_moments *m, double x, double y, double z)
{
    m->count += 1.0;
    m->sum[0] += x;
    m->sum[1] += y;
    m->sum[2] += z;
    m->product[0] += x * x;
    m->product[1] += y * y;
    m->product[2] += z * z;
    m->product[3] += x * y;
    m->product[4] += x * z;
    m->product[5] += y * z;
}

/* A small box around `count` points from `first` on, as below, that has an edge along `edge` and a face across
 * `normal`, as far as these are perpendicular; or along the coordinates. For few triangles, which need no search: a
 * third of the time. */
obb tact_obb_of_patch(const obb_points *points, size_t first, size_t count, tact_vec3 edge, tact_vec3 normal,
                      const box *plain);

/* A small box around `count` points from `first` on and also around those that were rounded to them: of their
 * principal axes, by `moments`, and the axes of the coordinates, the box with the smaller area. `plain` is a box around
 * the points before rounding. O(count), some 2 ns a point. */
obb tact_obb_of_points(const obb_points *points, size_t first, size_t count, const obb_moments *moments,
                       const box *plain);

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
