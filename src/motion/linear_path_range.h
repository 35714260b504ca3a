/* Bounds of many linear paths, in vectors: the positions of each, and the rounding error of all. */
#ifndef TACT_MOTION_LINEAR_PATH_RANGE_H
#define TACT_MOTION_LINEAR_PATH_RANGE_H

#include "math/vec_halves.h"
#include "motion/linear_path.h"

/* linear_path_at */
static inline vec_halves linear_path_halves(const linear_path *p, double time)
{
    const vec_halves a = vec_halves_load(&p->x0), b = vec_halves_load(&p->x1);
    if (p->has_velocity)
        return vec_halves_add(a, vec_halves_scale(b, time - p->t0));
    if (time == p->t0)
        return a;
    if (time == p->t1)
        return b;
    const double s = (time - p->t0) / (p->t1 - p->t0);
    return vec_halves_add(vec_halves_scale(a, 1.0 - s), vec_halves_scale(b, s));
}

/* Largest coordinates of paths in magnitude: at their starts; and how far they go from there, or their ends. */
typedef struct linear_path_range {
    vec_halves start, way;
} linear_path_range;

static inline linear_path_range linear_path_range_empty(void)
{
    return (linear_path_range){vec_halves_zero(), vec_halves_zero()};
}

/* Adds a path between two times. */
static inline void linear_path_range_add(linear_path_range *r, const linear_path *p, double begin, double end)
{
    const double from = fabs(begin - p->t0), to = fabs(end - p->t0), longest = from > to ? from : to;
    vec_halves way = vec_halves_abs(vec_halves_load(&p->x1));
    if (p->has_velocity)
        way = vec_halves_scale(way, longest);
    r->start = vec_halves_max(vec_halves_abs(vec_halves_load(&p->x0)), r->start);
    r->way = vec_halves_max(way, r->way);
}

/* A bound of linear_path_error for paths with these largest coordinates. */
static inline double linear_path_largest_error(double start, double way)
{
    return LINEAR_PATH_ROUNDING * (start + way) + LINEAR_PATH_UNDERFLOW;
}

/* The same for all paths of a range. */
static inline double linear_path_range_error(const linear_path_range *r)
{
    return linear_path_largest_error(vec_halves_largest(r->start), vec_halves_largest(r->way));
}

#endif
