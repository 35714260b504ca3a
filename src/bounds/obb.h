/*
 * Oriented bounding boxes (OBB) in floats. A box contains the points it was made from, rounding included.
 *
 * A box is the set of points p with |axis[i] . (p - centre)| <= half[i] for i = 0, 1, 2. The axes are orthonormal up to
 * the rounding of floats (OBB_AXIS_ERROR); containment holds for the axes as stored. A box of points that are not
 * finite, or too large for floats, is unbounded: its half extents are infinite.
 */
#ifndef TACT_BOUNDS_OBB_H
#define TACT_BOUNDS_OBB_H

#include <tact/vec.h>

#include "bounds/bounds_constants.h"
#include "bounds/box4.h"

typedef struct obb {
    float axis[3][3];
    float centre[3];
    float half[3];
} obb;

/* The box of a triangle: along its longest edge and its normal, or along the coordinate axes if that is smaller. */
obb tact_obb_of_triangle(const tact_vec3 *a, const tact_vec3 *b, const tact_vec3 *c);

/* Points rounded to floats, in structure-of-arrays form, so that four are projected at once. The arrays have
 * OBB_POINT_PADDING elements more than points; these are read but not used. */
typedef struct obb_points {
    const float *x, *y, *z;
} obb_points;

#define OBB_POINT_PADDING 3

/* First and second moments of points, about any origin: sums of the coordinates and of their products xx, yy, zz, xy,
 * xz, yz. Moments of disjoint sets of points add up. */
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

/* The box of `count` points from `first` on with an axis along `edge` and an axis along the part of `normal` orthogonal
 * to it, or along the coordinate axes if that is smaller. For few triangles: a third of the time of tact_obb_of_points.
 */
obb tact_obb_of_patch(const obb_points *points, size_t first, size_t count, tact_vec3 edge, tact_vec3 normal,
                      const box *aabb);

/* The box of `count` points from `first` on, which also contains the points before rounding to floats: along the
 * principal axes given by `moments`, or along the coordinate axes, whichever has the smaller surface area. `aabb` is a
 * box around the points before rounding. O(count), some 2 ns per point. */
obb tact_obb_of_points(const obb_points *points, size_t first, size_t count, const obb_moments *moments,
                       const box *aabb);

/* Four oriented boxes in structure-of-arrays form, one per SIMD lane. */
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

#endif
