/*
 * The fast GJK on two polytopes, and what it shares with the robust one (gjk.c).
 */
#ifndef TACT_CONVEX_GJK_FAST_H
#define TACT_CONVEX_GJK_FAST_H

#include "convex/convex_constants.h"
#include "convex/gjk.h"
#include "core/avx2.h"
#include "core/inline.h"
#include "core/sse2.h"

typedef struct gjk_goal {
    double accuracy; /* relative to the distance */
    double limit;    /* a distance: beyond it only the fact matters */
    bool decide;     /* only decide whether the distance is beyond the limit */
    bool simplex;    /* GJK_OVERLAP must come with a simplex, of support points only */
    bool robust;     /* skip the fast search */
} gjk_goal;

/* The state of the lower and the upper bound. */
typedef enum gjk_bounds {
    GJK_BOUNDS_OPEN,   /* the gap is larger than allowed */
    GJK_BOUNDS_MET,    /* the gap is as small as asked for, or as rounding permits */
    GJK_BOUNDS_CROSSED /* upper < lower: the simplex was solved with too few digits */
} gjk_bounds;

/* From the gap, upper - lower, and what is allowed. */
static inline gjk_bounds gjk_compare_bounds(double gap, double allowed)
{
    return gap > allowed ? GJK_BOUNDS_OPEN : gap >= -allowed ? GJK_BOUNDS_MET : GJK_BOUNDS_CROSSED;
}

static inline bool is_zero(tact_vec3 a) { return a.x == 0.0 && a.y == 0.0 && a.z == 0.0; }

/* A vector of A in the low lanes, one of B in the high lanes. */
typedef struct vec_pair {
    __m128d x, y, z;
} vec_pair;

TACT_FORCE_INLINE vec_pair vec_pair_of(tact_vec3 a, tact_vec3 b)
{
    return (vec_pair){_mm_set_pd(b.x, a.x), _mm_set_pd(b.y, a.y), _mm_set_pd(b.z, a.z)};
}

TACT_FORCE_INLINE __m128d vec_pair_dot(vec_pair a, vec_pair b)
{
    return _mm_add_pd(_mm_add_pd(_mm_mul_pd(a.x, b.x), _mm_mul_pd(a.y, b.y)), _mm_mul_pd(a.z, b.z));
}

/* The linear parts of two transforms. */
typedef struct axes_pair {
    vec_pair x, y, z;
} axes_pair;

TACT_FORCE_INLINE axes_pair axes_pair_of(const tact_transform *a, const tact_transform *b)
{
    return (axes_pair){vec_pair_of(a->x_axis, b->x_axis), vec_pair_of(a->y_axis, b->y_axis),
                       vec_pair_of(a->z_axis, b->z_axis)};
}

/* Two polytopes. */
typedef struct gjk_fast_pair {
    const hull *hull_a, *hull_b; /* two hulls; else NULL */
    const convex *a, *b;         /* other polytopes; else NULL */
    axes_pair axes;              /* two hulls: their transforms */
    tact_vec3 offset;            /* origin of B - origin of A */
    tact_vec3 axis;              /* direction to start with; zero: the line of centres */
    double rounding;             /* length: the rounding error of a distance */
    double margins;              /* sum of both */
    __m128d cell_unit; /* two hulls: length of one unit of polar_extents, about, under the transforms; zero: no
                               polar vertices */
} gjk_fast_pair;

/* Runs GJK until it succeeds or meets a difficulty. False: run the robust GJK from the start. `stop_distance` is the
 * goal's limit, but at least the rounding error. `axis` may be zero. Points of the result are relative to the origins
 * of their own shapes. */
bool tact_gjk_fast(const convex *a, const convex *b, tact_vec3 offset, double rounding, const gjk_goal *goal,
                   double stop_distance, tact_vec3 axis, gjk_result *result);

/* The same for two hulls. */
bool tact_gjk_fast_hulls(const gjk_fast_pair *p, const gjk_goal *goal, double stop_distance, gjk_result *result);

/* `cell_unit`, from the bounding radii of the transformed hulls. */
TACT_FORCE_INLINE __m128d gjk_fast_cell_unit(const hull *a, const hull *b, __m128d reach)
{
    if (a->polar_vertices == NULL || b->polar_vertices == NULL)
        return _mm_setzero_pd();
    return _mm_mul_pd(_mm_mul_pd(reach, _mm_set1_pd(GJK_FAST_ROTATION)),
                      _mm_set_pd(b->radial_cell_unit, a->radial_cell_unit));
}

/* The same for processors with AVX2. */
#if TACT_HAVE_AVX2
__typeof__(tact_gjk_fast) tact_gjk_fast_avx2;
__typeof__(tact_gjk_fast_hulls) tact_gjk_fast_hulls_avx2;
#endif

#endif
