/*
 * Moments of matter that is spread evenly over a shape: how much there is, its mean, and its covariance about the mean.
 *
 * The covariance is the mean of (p - c)(p - c)^t over all points p, not the integral: it has the size of a squared
 * length, whatever the shape, and an affine map M takes it to M covariance M^t. The inertia tensor of mass m is m
 * (trace 1 - covariance). How much there is can be beyond the range of doubles where lengths are not, so it has an
 * exponent of its own.
 */
#ifndef TACT_DYNAMICS_MOMENTS_H
#define TACT_DYNAMICS_MOMENTS_H

#include <tact/mass.h>

#include "math/sym3.h"
#include "shape/shape_data.h"

typedef struct moments {
    int dimension;  /* 3, 2, 1, 0; -1: nothing at all */
    double measure; /* volume, area, length or number of points, times 2^exponent; positive */
    int exponent;
    tact_vec3 centre;
    sym3 covariance;
    double error; /* 0: right to rounding; else an estimate, relative to the size */
} moments;

static inline moments moments_none(void) { return (moments){.dimension = -1}; }

/* A sum of pieces in coordinates in which the whole is about 1 large and near 0: the integrals of 1, p and p p^t. */
typedef struct moment_sum {
    double measure;
    tact_vec3 first;
    sym3 second;
} moment_sum;

/* Adds a piece by its measure, mean and covariance. */
static inline void moment_sum_add(moment_sum *sum, double measure, tact_vec3 centre, const sym3 *covariance)
{
    sum->measure += measure;
    sum->first = vec_mul_add(sum->first, measure, centre);
    sym3_add_square(&sum->second, measure, centre);
    if (covariance != NULL)
        sym3_add(&sum->second, measure, covariance);
}

/* Adds a simplex of 1 to 4 corners, of a measure that may be negative. In d dimensions the integral of p p^t is the
 * measure / (d+1)(d+2), times the sum of all q q^t over the corners q and of s s^t, s the sum of them. */
static inline void moment_sum_add_simplex(moment_sum *sum, double measure, const tact_vec3 *corners, int count)
{
    tact_vec3 s = corners[0];
    for (int i = 1; i < count; i++)
        s = vec_add(s, corners[i]);
    double f = measure / (count * (count + 1.0));
    for (int i = 0; i < count; i++)
        sym3_add_square(&sum->second, f, corners[i]);
    sym3_add_square(&sum->second, f, s);
    sum->first = vec_mul_add(sum->first, measure / count, s);
    sum->measure += measure;
}

/* Adds the tetrahedron between 0 and a triangle, signed. */
static inline void moment_sum_add_tetrahedron(moment_sum *sum, tact_vec3 a, tact_vec3 b, tact_vec3 c)
{
    double volume = vec_dot(vec_cross(a, b), c) / 6.0, f = volume / 20.0;
    tact_vec3 s = vec_add(vec_add(a, b), c);
    sum->measure += volume;
    sum->first = vec_mul_add(sum->first, 0.25 * volume, s);
    sym3_add_square(&sum->second, f, a);
    sym3_add_square(&sum->second, f, b);
    sym3_add_square(&sum->second, f, c);
    sym3_add_square(&sum->second, f, s);
}

/* What a sum, not 0, comes to where lengths are 2^exponent and 0 is at `origin`. */
moments tact_moment_sum_end(const moment_sum *sum, int dimension, tact_vec3 origin, int exponent);

/* The moments of what both consist of: of the one with the higher dimension, if these differ. `sign` -1 takes `b` away.
 * */
moments tact_moments_add(const moments *a, const moments *b, double sign);

/* Of matter with a volume: under an affine map. */
moments tact_moments_transform(const moments *m, const tact_transform *at);

/* The exponent of the size of things that reach so far under a placement and have a margin; and the placement's linear
 * part brought to that size, its origin left as it is. */
int tact_moments_normalise(const tact_transform *at, double reach, double margin, tact_transform *scaled);

/* The polyhedron, polygon, segment or point that a hull is, under a placement. */
moments tact_moments_hull(const hull *h, const tact_transform *at);

/* All points within `margin` (positive) of the hull, whose size is about 1, where 0 is at `origin` and lengths are
 * 2^exponent. */
tact_status tact_moments_rounded_hull(const hull *h, double margin, tact_vec3 origin, int exponent,
                                      const tact_allocator *allocator, moments *m);

/* A cylinder or cone with a margin under a placement that keeps angles and stretches by a factor. */
moments tact_moments_revolution(const tact_shape *shape, const tact_transform *at, double factor);

/* Any convex shape, from points of its surface. */
tact_status tact_moments_sampled(const tact_shape *shape, const tact_transform *at, moments *m);

/* The hull of 1 to 4 points. */
tact_status tact_moments_points(const tact_vec3 *points, int count, const tact_transform *at,
                                const tact_allocator *allocator, moments *m);

/* A convex shape, its margin included. */
tact_status tact_moments_convex(const tact_shape *shape, const tact_transform *at, moments *m);

/* Any shape. */
tact_status tact_moments_shape(const tact_shape *shape, const tact_transform *at, moments *m);

#endif
