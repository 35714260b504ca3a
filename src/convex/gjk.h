/* Distance of two placed convex cores. */
#ifndef TACT_CONVEX_GJK_H
#define TACT_CONVEX_GJK_H

#include <tact/query.h>

#include "shape/convex.h"

typedef enum gjk_end {
    GJK_APART,        /* `lower` > 0 and `upper` - `lower` is within the accuracy asked for */
    GJK_BEYOND,       /* `lower` > the `enough` that was asked for */
    GJK_WITHIN,       /* only from tact_gjk_within: `upper` <= the limit */
    GJK_TOUCH,        /* the cores have a common point, up to rounding: on_a and on_b are it */
    GJK_NOT_CONVERGED /* the cap on iterations was reached; `lower` and `upper` still hold */
} gjk_end;

/* A point of the difference B - A, with the points of A and B that it comes from (each relative to its own origin). */
typedef struct gjk_vertex {
    tact_vec3 w; /* (b - a) + (origin of B - origin of A) */
    tact_vec3 a;
    tact_vec3 b;
} gjk_vertex;

typedef struct gjk {
    gjk_end end;
    int iterations;
    double lower;          /* proved lower bound of the distance of the cores, up to rounding */
    double upper;          /* distance of the points below: an upper bound */
    tact_vec3 normal;      /* unit, from A to B: where `lower` was found, or along on_b - on_a; zero if never apart */
    tact_vec3 proof;       /* unit: where the separation was greatest, of all directions tried; zero if not known */
    tact_vec3 on_a, on_b;  /* points of the cores, world coordinates */
    int count;             /* of simplex vertices, 1 to 4 */
    gjk_vertex simplex[4]; /* only on GJK_TOUCH from tact_gjk: their hull holds the origin, up to rounding */
    double weight[4];      /* only on GJK_TOUCH from tact_gjk: of the vertices in the point that on_a, on_b stand for:
                              positive, sum 1 */
} gjk;

/* The distance. `accuracy` is relative; `enough` is the distance beyond which the exact value does not matter
 * (INFINITY: never stop early). `axis` is where to begin (from A to B, any length), zero if unknown. */
void tact_gjk(const convex *a, const convex *b, double accuracy, double enough, tact_vec3 axis, gjk *result);

/* The same, and faster, for those who do not need the simplex: it is not filled in. */
void tact_gjk_distance(const convex *a, const convex *b, double accuracy, double enough, tact_vec3 axis, gjk *result);

/* Whether the cores are at most `limit` apart (0: whether they touch): ends with GJK_BEYOND, or GJK_WITHIN or
 * GJK_TOUCH. */
void tact_gjk_within(const convex *a, const convex *b, double limit, tact_vec3 axis, gjk *result);

/* The last two without the fast search, for a caller that has run it on this pair in vain. */
void tact_gjk_distance_robust(const convex *a, const convex *b, double accuracy, double enough, tact_vec3 axis,
                              gjk *result);
void tact_gjk_within_robust(const convex *a, const convex *b, double limit, tact_vec3 axis, gjk *result);

/* What an end says about the question whether the cores are within the limit. */
static inline tact_overlap gjk_overlap(gjk_end end)
{
    switch (end) {
    case GJK_APART:
    case GJK_BEYOND:
        return (tact_overlap){TACT_OK, TACT_MISS};
    case GJK_WITHIN:
    case GJK_TOUCH:
        return (tact_overlap){TACT_OK, TACT_HIT};
    case GJK_NOT_CONVERGED:
        break;
    }
    return (tact_overlap){TACT_NOT_CONVERGED, TACT_UNKNOWN};
}

#endif
