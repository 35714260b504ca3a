/*
 * The distance between two convex cores by GJK.
 *
 * A core is a convex shape under its transform without its margin (shape/convex.h). Distances here are those of the
 * cores; convex_query.c subtracts the margins.
 */
#ifndef TACT_CONVEX_GJK_H
#define TACT_CONVEX_GJK_H

#include <tact/query.h>

#include "shape/convex.h"

typedef enum gjk_status {
    GJK_SEPARATED,    /* 0 < lower, and upper - lower is within the accuracy */
    GJK_BEYOND_LIMIT, /* lower > the limit */
    GJK_WITHIN_LIMIT, /* only from tact_gjk_within: upper <= the limit */
    GJK_OVERLAP,      /* the cores have a common point, up to rounding: on_a and on_b are at it */
    GJK_NOT_CONVERGED /* the cap on iterations was reached; lower and upper still hold */
} gjk_status;

/* A vertex of the simplex: a point of the Minkowski difference B - A, with its points of A and B (each relative to its
 * own origin). */
typedef struct gjk_vertex {
    tact_vec3 w; /* (b - a) + (origin of B - origin of A) */
    tact_vec3 a;
    tact_vec3 b;
} gjk_vertex;

typedef struct gjk_result {
    gjk_status status;
    int iterations;
    double lower;         /* proved lower bound of the distance, up to rounding */
    double upper;         /* distance of on_a and on_b: an upper bound */
    tact_vec3 normal;     /* unit, from A to B: the direction that proved `lower`, or that of on_b - on_a; zero if never
                             separated */
    tact_vec3 best_axis;  /* unit: the direction of greatest separation, of all that were tried; zero if unknown */
    tact_vec3 on_a, on_b; /* closest points of the cores, world coordinates */
    int count;            /* vertices of the simplex, 1 to 4; 0: a custom support function returned NaN */
    gjk_vertex simplex[4]; /* GJK_OVERLAP from tact_gjk only: a simplex that contains the origin, up to rounding */
    double weight[4];      /* likewise: barycentric coordinates of on_b - on_a in the simplex; positive, sum 1 */
} gjk_result;

/* Finds the distance. `accuracy` is relative to the distance less the margins. Beyond `limit` only the fact matters
 * (INFINITY: never stop early). `axis` is the direction to start with (from A to B, any length); zero if unknown. */
void tact_gjk(const convex *a, const convex *b, double accuracy, double limit, tact_vec3 axis, gjk_result *result);

/* The same without the simplex, which is faster. */
void tact_gjk_distance(const convex *a, const convex *b, double accuracy, double limit, tact_vec3 axis,
                       gjk_result *result);

/* Decides whether the cores are at most `limit` apart (0: whether they touch). Ends with GJK_BEYOND_LIMIT, or with
 * GJK_WITHIN_LIMIT or GJK_OVERLAP. */
void tact_gjk_within(const convex *a, const convex *b, double limit, tact_vec3 axis, gjk_result *result);

/* The last two without the fast GJK, for a caller whose fast search of this pair has failed. */
void tact_gjk_distance_robust(const convex *a, const convex *b, double accuracy, double limit, tact_vec3 axis,
                              gjk_result *result);
void tact_gjk_within_robust(const convex *a, const convex *b, double limit, tact_vec3 axis, gjk_result *result);

/* Whether the cores are within the limit. */
static inline tact_overlap gjk_overlap(gjk_status status)
{
    switch (status) {
    case GJK_SEPARATED:
    case GJK_BEYOND_LIMIT:
        return (tact_overlap){TACT_OK, TACT_MISS};
    case GJK_WITHIN_LIMIT:
    case GJK_OVERLAP:
        return (tact_overlap){TACT_OK, TACT_HIT};
    case GJK_NOT_CONVERGED:
        break;
    }
    return (tact_overlap){TACT_NOT_CONVERGED, TACT_UNKNOWN};
}

#endif
