/*
 * The time of impact of two spheres in uniform motion. It is computed when needed: that is cheaper than storing it.
 *
 * The squared distance less the squared sum of the radii is a parabola in time, gap + 2 approach t + speed t^2. The
 * spheres touch at its first zero; it is computed early by the rounding error of the gap, never late. From far away
 * that root would lose the digits of the radius: there it is computed from the point of closest approach. All results
 * are the same, bit for bit, if the spheres are exchanged.
 */
#ifndef TACT_ADVANCE_SPHERE_SPHERE_H
#define TACT_ADVANCE_SPHERE_SPHERE_H

#include <float.h>
#include <math.h>

#include "advance/advance_constants.h"
#include "advance/body_motion.h"
#include "core/inline.h"
#include "core/number.h"

/* A sphere at one time, to be tested against many others. */
typedef struct moving_sphere {
    tact_vec3 at, velocity;
    double radius;
    double far; /* sum of the absolute coordinates: a measure of rounding */
} moving_sphere;

/* Two spheres at one time. */
typedef struct sphere_pair {
    double radius;   /* sum of the radii */
    double approach; /* half the rate of the squared distance; negative: they approach */
    double speed;    /* squared relative speed */
    double gap;      /* squared distance less squared sum of radii */
    double noise;    /* bound of the rounding error of the gap */
} sphere_pair;

TACT_FORCE_INLINE moving_sphere moving_sphere_at(const body_motion *m, double now)
{
    const tact_vec3 at = vec_mul_add(m->origin, now - m->start_time, m->velocity);
    return (moving_sphere){at, m->velocity, m->sphere_radius, fabs(at.x) + fabs(at.y) + fabs(at.z)};
}

TACT_FORCE_INLINE sphere_pair sphere_pair_at(const moving_sphere *a, const body_motion *other, double now)
{
    const moving_sphere b = moving_sphere_at(other, now);
    const tact_vec3 d = vec_sub(b.at, a->at), v = vec_sub(b.velocity, a->velocity);
    const double radius = a->radius + b.radius, square = vec_length_squared(d);
    return (sphere_pair){radius, vec_dot(d, v), vec_length_squared(v), square - radius * radius,
                         8.0 * DBL_EPSILON * (square + radius * (radius + (a->far + b.far)))};
}

/* The gap, negated, beyond which spheres overlap by more than the separation distance and rounding. */
TACT_FORCE_INLINE double sphere_pair_depth_limit(const sphere_pair *q)
{
    return 2.0 * SEPARATION_DISTANCE * q->radius * q->radius + 8.0 * q->noise;
}

/* spheres_time_of_impact for spheres that are far apart and approach: the time of closest approach, less the time from
 * the touch to there. */
TACT_COLD double far_spheres_time_of_impact(const moving_sphere *a, const body_motion *other, double now)
{
    const moving_sphere b = moving_sphere_at(other, now);
    const tact_vec3 d = vec_sub(b.at, a->at), v = vec_sub(b.velocity, a->velocity);
    const double radius = a->radius + b.radius, speed = vec_length_squared(v), closest = -vec_dot(d, v) / speed;
    const tact_vec3 nearest = vec_mul_add(d, closest, v);
    const double error = 8.0 * DBL_EPSILON * (fabs(d.x) + fabs(d.y) + fabs(d.z) + (a->far + b.far));
    const double square = radius * radius - vec_length_squared(nearest) + error * (2.0 * radius + error);
    if (!(square >= 0.0))
        return INFINITY;
    return number_max((closest - sqrt(square / speed)) * (1.0 - 4.0 * DBL_EPSILON), 0.0);
}

/* The duration until two spheres touch, if it is at most `limit`; else INFINITY. */
TACT_FORCE_INLINE double spheres_time_of_impact(const moving_sphere *a, const body_motion *b, double now, double limit)
{
    const sphere_pair q = sphere_pair_at(a, b, now);
    if (q.approach >= 0.0 && q.gap >= 0.0)
        return INFINITY;  /* half of all pairs: they separate */
    if (q.gap < -q.noise) /* they overlap; no touch if they separate after one that rounding made a little late */
        return q.approach >= 0.0 && q.gap >= -sphere_pair_depth_limit(&q) ? INFINITY : 0.0;
    if (q.approach >= 0.0 || -2.0 * q.approach * limit < q.gap - q.noise)
        return INFINITY; /* they separate, or cannot touch by then: the approach slows down */
    if (q.gap <= q.noise)
        return 0.0;
    if (q.gap > FAR_SPHERES * q.radius * q.radius)
        return far_spheres_time_of_impact(a, b, now);
    const double square = q.approach * q.approach - q.speed * q.gap;
    if (square < 0.0)
        return INFINITY;
    return (q.gap - q.noise) / (sqrt(square) - q.approach);
}

#endif
