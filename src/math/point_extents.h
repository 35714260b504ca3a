/*
 * The extents of points along the axes, in doubles and without rounding; also of many points at once, in vectors: some
 * 12 instructions per point.
 */
#ifndef TACT_MATH_POINT_EXTENTS_H
#define TACT_MATH_POINT_EXTENTS_H

#include <stddef.h>

#include "math/vec.h"
#include "math/vec_halves.h"

typedef struct point_extents {
    tact_vec3 min, max; /* INFINITY and -INFINITY: no points */
} point_extents;

static inline point_extents point_extents_none(void)
{
    return (point_extents){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static inline void point_extents_add(point_extents *e, tact_vec3 p)
{
    e->min = vec_min(p, e->min);
    e->max = vec_max(p, e->max);
}

static inline void point_extents_unite(point_extents *e, const point_extents *other)
{
    if (other->min.x <= other->max.x) {
        point_extents_add(e, other->min);
        point_extents_add(e, other->max);
    }
}

/* The largest coordinate in magnitude; 0 if there are no points. */
static inline double point_extents_largest(const point_extents *e)
{
    return e->min.x <= e->max.x ? max_double(vec_max_abs(e->min), vec_max_abs(e->max)) : 0.0;
}

/* The extents of an array of points. Returns whether no coordinate is NaN or larger than a limit in magnitude. */
static inline bool point_extents_of(const tact_vec3 *points, size_t count, double limit, point_extents *e)
{
    *e = point_extents_none();
    vec_halves min = vec_halves_load(&e->min), max = vec_halves_load(&e->max);
    double2 unordered = double2_broadcast(0.0);
    for (size_t i = 0; i < count; ++i) {
        const vec_halves p = vec_halves_load(&points[i]);
        min = vec_halves_min(p, min);
        max = vec_halves_max(p, max);
        unordered = _mm_or_pd(unordered, _mm_cmpunord_pd(p.xy, p.z)); /* NaN */
    }
    vec_halves_store(&e->min, min);
    vec_halves_store(&e->max, max);
    return _mm_movemask_pd(unordered) == 0 && point_extents_largest(e) <= limit;
}

#endif
