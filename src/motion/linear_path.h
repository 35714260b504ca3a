/*
 * The linear path of a point: its position as a linear function of time, in real arithmetic on the doubles given.
 *
 *     interpolated:   ((t1 - t) x0 + (t - t0) x1) / (t1 - t0)        from x0 at t0 to x1 at t1, where t0 < t1
 *     with velocity:  x0 + (t - t0) x1                               x0 at t0, velocity x1; t1 is not used
 *
 * The path itself has no rounding error and no end: until when it is valid is stored elsewhere. linear_path_at rounds;
 * ccd/path_ccd.h decides contacts of four such paths exactly.
 */
#ifndef TACT_MOTION_LINEAR_PATH_H
#define TACT_MOTION_LINEAR_PATH_H

#include <math.h>
#include <stdbool.h>
#include <tact/vec.h>

typedef struct linear_path {
    double t0, t1;
    tact_vec3 x0, x1;
    bool has_velocity;
} linear_path;

/* A point at rest. */
static inline linear_path linear_path_at_rest(tact_vec3 x, double time)
{
    return (linear_path){time, time, x, {0.0, 0.0, 0.0}, true};
}

/* A coordinate of linear_path_at. */
static inline double linear_path_coordinate(const linear_path *p, double x0, double x1, double time)
{
    if (p->has_velocity)
        return x0 + (time - p->t0) * x1;
    if (time == p->t0)
        return x0;
    if (time == p->t1)
        return x1;
    const double s = (time - p->t0) / (p->t1 - p->t0);
    return (1.0 - s) * x0 + s * x1;
}

/* The position at a time, rounded. At the ends t0 and t1 of an interpolated path it is exact. Otherwise each coordinate
 * has an error of at most 8 units of 2^-53 of (|x0| + |x1|), or of (|x0| + |t - t0| |x1|) with a velocity, for times
 * between t0 and t1. */
static inline tact_vec3 linear_path_at(const linear_path *p, double time)
{
    const tact_vec3 a = p->x0, b = p->x1;
    if (p->has_velocity) {
        const double dt = time - p->t0;
        return (tact_vec3){a.x + dt * b.x, a.y + dt * b.y, a.z + dt * b.z};
    }
    if (time == p->t0)
        return a;
    if (time == p->t1)
        return b;
    const double s = (time - p->t0) / (p->t1 - p->t0), r = 1.0 - s;
    return (tact_vec3){r * a.x + s * b.x, r * a.y + s * b.y, r * a.z + s * b.z};
}

/* Units of roundoff, relative: see linear_path_at. Proved. */
#define LINEAR_PATH_ROUNDING 0x1p-50

/* Length: what linear_path_at loses to underflow, at most. Proved. */
#define LINEAR_PATH_UNDERFLOW 0x1p-1070

/* The largest coordinate in magnitude. (fmax is a call of a function.) */
static inline double linear_path_largest(tact_vec3 v)
{
    const double x = fabs(v.x), y = fabs(v.y), z = fabs(v.z), xy = x > y ? x : y;
    return xy > z ? xy : z;
}

/* A bound of the rounding error of linear_path_at between two times, in each coordinate. */
static inline double linear_path_error(const linear_path *p, double begin, double end)
{
    const double from = fabs(begin - p->t0), to = fabs(end - p->t0), longest = from > to ? from : to;
    const double first = linear_path_largest(p->x0), second = linear_path_largest(p->x1);
    return LINEAR_PATH_ROUNDING * (first + (p->has_velocity ? longest * second : second)) + LINEAR_PATH_UNDERFLOW;
}

#endif
