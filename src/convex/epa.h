/*
 * The penetration depth of two convex cores by the expanding polytope algorithm, and its refinement.
 *
 * A core is a convex shape under its transform without its margin (shape/convex.h). penetration.c adds the margins.
 */
#ifndef TACT_CONVEX_EPA_H
#define TACT_CONVEX_EPA_H

#include <tact/allocator.h>
#include <tact/query.h>

#include "convex/gjk.h"

/* Two cores and their Minkowski difference A - B. */
typedef struct epa_pair {
    const convex *a, *b;
    tact_vec3 offset; /* origin of B - origin of A */
    double noise;     /* length: the rounding error of a support value (EPA_NOISE) */
    bool curved;      /* at least one is no polytope */
} epa_pair;

/* A support point of A - B. */
typedef struct epa_vertex {
    tact_vec3 p;                 /* (a - b) - offset */
    tact_vec3 a, b;              /* each relative to its own origin */
    tact_vec3 direction;         /* unit: the direction whose support point it is; zero if unknown */
    uint64_t branch_a, branch_b; /* smooth branches of the support functions, see tact_convex_support */
} epa_vertex;

/* The depth of the cores, margins not included. */
typedef struct epa_depth {
    tact_status status;
    double depth;     /* support value of A - B along `normal`: an upper bound of the depth, up to rounding */
    double lower;     /* proved lower bound of the depth: the distance of the nearest facet's plane */
    tact_vec3 normal; /* unit, from A to B */
    tact_vec3 a, b;   /* points of the cores, each relative to its own origin, with (a - b) - offset = depth * normal */
    int facets;       /* number of facets built: a measure of the work */
} epa_depth;

epa_pair tact_epa_pair(const convex *a, const convex *b);

/* Computes the support point p of A - B along the unit vector n. Returns n . p; NaN if a custom support function
 * returned a point that is not finite; INFINITY if n is zero. */
double tact_epa_support(const epa_pair *pair, tact_vec3 n, epa_vertex *out);

/* Expands a polytope inside A - B until its facet nearest to the origin is proved to be on the surface. It starts from
 * GJK's last simplex if that search ended with GJK_OVERLAP. The origin should be inside A - B or close to it. Fails
 * with TACT_NOT_CONVERGED, TACT_OUT_OF_MEMORY or, if a support function misbehaves, TACT_BAD_ARGUMENT. */
void tact_epa_expand(const epa_pair *pair, const gjk_result *from, const tact_allocator *allocator, epa_depth *out);

/* Polytopes: tries the normals of the features that a facet's three vertices come from: a face of A, a face of B, or an
 * edge of each. Edges within one shape are exact, while those of A - B carry the rounding error of the offset. Stores
 * the least support value. */
void tact_epa_refine_polytope(const epa_pair *pair, const epa_vertex *vertex, epa_depth *best);

/* Tries the normals of the caps of cylinders and cones, where the support function has no second derivative. Stores the
 * best and returns true if it lowers *value. It does not find the points on the cap. */
bool tact_epa_refine_caps(const epa_pair *pair, tact_vec3 *n, double *value);

/* Curved shapes: Newton's method from the unit vector *n. The vertices are support points of nearby directions, the
 * first that of *n itself. Lowers *value, the support value at *n. True if it ended at a stationary direction, whose
 * points are then in *a and *b. */
bool tact_epa_refine_curved(const epa_pair *pair, const epa_vertex *vertex, int count, tact_vec3 *n, double *value,
                            tact_vec3 *a, tact_vec3 *b);

/* One Newton step for points that are nearly the support points of the unit vector *n. Each point moves along its
 * surface and *n turns, so that (a - b) - offset = value * n to first order. For needles this is more accurate than the
 * support points of a better direction, which a rounded direction cannot tell apart. Adds to *off a bound, of second
 * order, of the distance of the points from the surfaces. False, with nothing changed, if there is no such step. */
bool tact_epa_refine_points(const epa_pair *pair, tact_vec3 *n, double value, tact_vec3 *a, tact_vec3 *b, double *off);

#endif
