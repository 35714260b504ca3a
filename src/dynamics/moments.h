/*
 * Moments of a shape of uniform density: its measure (volume, area or length), its centroid and its covariance.
 *
 * The covariance is the mean of (p - c)(p - c)^T over all points p, c being the centroid. It is a mean, not an
 * integral: a squared length whatever the shape, and an affine map M takes it to M C M^T. The inertia tensor of mass m
 * is m (trace(C) 1 - C). A measure can be out of the range of doubles where lengths are not, so it has its own
 * exponent.
 */
#ifndef TACT_DYNAMICS_MOMENTS_H
#define TACT_DYNAMICS_MOMENTS_H

#include <tact/mass.h>

#include "math/sym3.h"
#include "shape/shape_data.h"

typedef struct moments {
    int dimension;  /* 3, 2, 1, 0; -1: empty */
    double measure; /* volume, area, length or number of points, times 2^exponent; positive */
    int exponent;
    tact_vec3 centre;
    sym3 covariance;
    double error; /* 0: right to rounding; else an estimate, relative to the size */
} moments;

static inline moments moments_none(void) { return (moments){.dimension = -1}; }

/* Sums over parts, in coordinates in which the whole is near 0 and of size about 1: the integrals of 1, p and p p^T. */
typedef struct moment_sum {
    double measure;
    tact_vec3 first;
    sym3 second;
} moment_sum;

/* Adds a part by its measure, centroid and covariance; NULL: 0. */
static inline void moment_sum_add(moment_sum *sum, double measure, tact_vec3 centre, const sym3 *covariance)
{
    sum->measure += measure;
    sum->first = vec_mul_add(sum->first, measure, centre);
    sym3_add_square(&sum->second, measure, centre);
    if (covariance != NULL)
        sym3_add(&sum->second, measure, covariance);
}

/* Adds a simplex of 1 to 4 vertices, of a measure that may be negative. In d dimensions the integral of p p^T is
 * measure / ((d+1)(d+2)) times the sum of q q^T over the vertices q, plus s s^T, s being the sum of the vertices. */
static inline void moment_sum_add_simplex(moment_sum *sum, double measure, const tact_vec3 *vertices, int count)
{
    tact_vec3 s = vertices[0];
    for (int i = 1; i < count; i++)
        s = vec_add(s, vertices[i]);
    double f = measure / (count * (count + 1.0));
    for (int i = 0; i < count; i++)
        sym3_add_square(&sum->second, f, vertices[i]);
    sym3_add_square(&sum->second, f, s);
    sum->first = vec_mul_add(sum->first, measure / count, s);
    sum->measure += measure;
}

/* Adds the tetrahedron between 0 and a triangle, with its sign. */
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

/* The moments of a sum that is not 0, in coordinates with unit 2^exponent and origin at `origin`. */
moments tact_moment_sum_end(const moment_sum *sum, int dimension, tact_vec3 origin, int exponent);

/* The moments of both together; of the one with the higher dimension, if these differ. `sign` -1 subtracts b. */
moments tact_moments_add(const moments *a, const moments *b, double sign);

/* The moments of a solid under an affine map. */
moments tact_moments_transform(const moments *m, const tact_transform *at);

/* The exponent of the size of a shape of this radius, under a transform, plus its margin; and the transform with its
 * linear part scaled by 2^-exponent. */
int tact_moments_normalise(const tact_transform *at, double radius, double margin, tact_transform *scaled);

/* A convex hull (polyhedron, polygon, segment or point) under a transform. */
moments tact_moments_hull(const hull *h, const tact_transform *at);

/* A hull of size about 1, rounded by `margin` > 0, in coordinates with unit 2^exponent and origin at `origin`. */
tact_status tact_moments_rounded_hull(const hull *h, double margin, tact_vec3 origin, int exponent,
                                      const tact_allocator *allocator, moments *m);

/* A cylinder or cone with a margin, under a similarity with this factor. */
moments tact_moments_revolution(const tact_shape *shape, const tact_transform *at, double factor);

/* Any convex shape, by sampling its surface. */
tact_status tact_moments_sampled(const tact_shape *shape, const tact_transform *at, moments *m);

/* The convex hull of 1 to 4 points. */
tact_status tact_moments_points(const tact_vec3 *points, int count, const tact_transform *at,
                                const tact_allocator *allocator, moments *m);

/* A convex shape, its margin included. */
tact_status tact_moments_convex(const tact_shape *shape, const tact_transform *at, moments *m);

/* Any shape. */
tact_status tact_moments_shape(const tact_shape *shape, const tact_transform *at, moments *m);

#endif
