/*
 * When two balls that are not accelerated touch. Looking is cheaper than looking up: nothing is kept of it.
 *
 * The square of their distance less that of the sum of their radii is a parabola of time, gap + 2 approach t + speed
 * t^2, and they touch at its first zero, computed a rounding of the gap early: never late. From far away the root of
 * that would lose the digits of the radius: there it is computed from where they are nearest. All is the same, bit for
 * bit, if the two are exchanged.
 */
#ifndef TACT_ADVANCE_SPHERE_SPHERE_H
#define TACT_ADVANCE_SPHERE_SPHERE_H

#include <float.h>
#include <math.h>

#include "advance/advance.h"
#include "core/inline.h"

/* Of the smaller one's size: so far apart two that have touched have parted. */
#define BALLS_PARTED 1e-9

/* One ball now: for looking at many others. */
typedef struct moving_sphere {
    tact_vec3 at, velocity;
    double radius;
    double far; /* the sum of its coordinates */
} moving_sphere;

/* How two balls are to each other now. */
typedef struct sphere_pair {
    double radius;   /* of both */
    double approach; /* half the rate at which the square of the distance grows */
    double speed;    /* squared, of one as seen from the other */
    double gap;      /* the square of the distance less that of the radius */
    double noise;    /* of the gap, by rounding */
} sphere_pair;

TACT_FORCE_INLINE moving_sphere moving_sphere_at(const body_motion *p, double now)
{
    const tact_vec3 at = vec_mul_add(p->origin, now - p->start_time, p->velocity);
    return (moving_sphere){at, p->velocity, p->sphere_radius, fabs(at.x) + fabs(at.y) + fabs(at.z)};
}

TACT_FORCE_INLINE sphere_pair sphere_pair_at(const moving_sphere *a, const body_motion *other, double now)
{
    const moving_sphere b = moving_sphere_at(other, now);
    const tact_vec3 d = vec_sub(b.at, a->at), v = vec_sub(b.velocity, a->velocity);
    const double radius = a->radius + b.radius, square = vec_length_squared(d);
    return (sphere_pair){radius, vec_dot(d, v), vec_length_squared(v), square - radius * radius,
                         8.0 * DBL_EPSILON * (square + radius * (radius + (a->far + b.far)))};
}

/* Deeper than that two balls overlap, beyond what rounding makes of a touch: a difference of squares. */
TACT_FORCE_INLINE double sphere_pair_depth_limit(const sphere_pair *q)
{
    return 2.0 * BALLS_PARTED * q->radius * q->radius + 8.0 * q->noise;
}

/* Of the square of the radius: squares of distances beyond this are far. So near, the root of the parabola has lost
 * some six bits at most. */
#define BALLS_FAR 64.0

/* The same as below, for two that are far and close: when they are nearest, less the way from there. */
TACT_COLD double far_spheres_time_of_impact(const moving_sphere *a, const body_motion *other, double now)
{
    const moving_sphere b = moving_sphere_at(other, now);
    const tact_vec3 d = vec_sub(b.at, a->at), v = vec_sub(b.velocity, a->velocity);
    const double radius = a->radius + b.radius, speed = vec_length_squared(v), until = -vec_dot(d, v) / speed;
    const tact_vec3 nearest = vec_mul_add(d, until, v);
    const double error = 8.0 * DBL_EPSILON * (fabs(d.x) + fabs(d.y) + fabs(d.z) + (a->far + b.far));
    const double square = radius * radius - vec_length_squared(nearest) + error * (2.0 * radius + error);
    if (!(square >= 0.0))
        return INFINITY;
    return fmax((until - sqrt(square / speed)) * (1.0 - 4.0 * DBL_EPSILON), 0.0);
}

/* How long they go on until they touch: up to `limit`, else INFINITY. */
TACT_FORCE_INLINE double spheres_time_of_impact(const moving_sphere *a, const body_motion *b, double now, double limit)
{
    const sphere_pair q = sphere_pair_at(a, b, now);
    if (q.approach >= 0.0 && q.gap >= 0.0)
        return INFINITY; /* half of all: no need to know the noise */
    if (q.gap <
        -q.noise) /* in each other already; but not if they part after a touch that rounding has made a little late */
        return q.approach >= 0.0 && q.gap >= -sphere_pair_depth_limit(&q) ? INFINITY : 0.0;
    if (q.approach >= 0.0 || -2.0 * q.approach * limit < q.gap - q.noise)
        return INFINITY; /* part, or cannot be there by then: the rate falls */
    if (q.gap <= q.noise)
        return 0.0;
    if (q.gap > BALLS_FAR * q.radius * q.radius)
        return far_spheres_time_of_impact(a, b, now);
    const double square = q.approach * q.approach - q.speed * q.gap;
    if (square < 0.0)
        return INFINITY;
    return (q.gap - q.noise) / (sqrt(square) - q.approach);
}

#endif
