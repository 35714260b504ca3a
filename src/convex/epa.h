/* How deep two placed convex shapes are in each other. */
#ifndef TACT_CONVEX_EPA_H
#define TACT_CONVEX_EPA_H

#include <tact/allocator.h>
#include <tact/query.h>

#include "convex/gjk.h"

/* ---- the pieces, for depth.c, epa.c and polish.c -------------------------------------------------------------------
 */

/* Two cores and the difference A - B that the search is about. */
typedef struct epa_pair {
    const convex *a, *b;
    tact_vec3 offset; /* origin of B - origin of A */
    double noise;     /* a length: what the rounding of coordinates makes uncertain in a support value */
    bool curved;      /* not both are polytopes */
} epa_pair;

/* A support point of A - B. */
typedef struct epa_vertex {
    tact_vec3 p;                 /* (a - b) - offset */
    tact_vec3 a, b;              /* each relative to its own origin */
    tact_vec3 direction;         /* the unit direction for which it is the farthest point; zero if unknown */
    uint64_t branch_a, branch_b; /* see tact_convex_support */
} epa_vertex;

/* The answer for the cores. */
typedef struct epa_depth {
    tact_status status;
    double depth;     /* support value of A - B along `normal`: an upper bound of the depth, up to rounding */
    double lower;     /* proved lower bound of the depth (of the facet nearest to the origin) */
    tact_vec3 normal; /* unit, from A to B */
    tact_vec3 a, b;   /* points of the cores, each relative to its own origin, with (a - b) - offset = depth * normal */
    int facets;       /* how many were made: the work done */
} epa_depth;

epa_pair tact_epa_pair(const convex *a, const convex *b);

/* The support point of A - B along the unit vector n; returns its value n . p. NaN when a custom support function
 * misbehaves. */
double tact_epa_support(const epa_pair *pair, tact_vec3 n, epa_vertex *out);

/* Expands a polytope inside A - B, begun from GJK's last simplex if the end was GJK_TOUCH, until its facet nearest to
 * the origin is known to be part of the surface. The origin should be inside A - B or close to it. */
void tact_epa_expand(const epa_pair *pair, const gjk_result *from, const tact_allocator *allocator, epa_depth *out);

/* Polytopes: tries the normals that the corners of a facet make within A alone, within B alone, and across an edge of
 * each; differences within one shape are exact where those of A - B carry the rounding of the offset. Keeps the best
 * support value. */
void tact_epa_refine_polytope(const epa_pair *pair, const epa_vertex *vertex, epa_depth *best);

/* The normals of the caps of cylinders and cones, where Newton's method has nothing to hold on to: takes the best if it
 * lowers *value, and says so. Where on the cap is for others to find. */
bool tact_epa_refine_caps(const epa_pair *pair, tact_vec3 *n, double *value);

/* Curved shapes: Newton's method from the unit vector *n, with support points near it to begin with, the first of them
 * that of *n. Lowers *value, which is the support value at *n. True if it ended at a stationary direction, whose points
 * are then in *a and *b. */
bool tact_epa_refine_curved(const epa_pair *pair, const epa_vertex *vertex, int count, tact_vec3 *n, double *value,
                            tact_vec3 *a, tact_vec3 *b);

/* One step of Newton's method for points that are nearly those of the unit vector *n: each goes along its surface, and
 * *n turns, so that (a - b) - offset = value * n to first order. For needles this is sharper than asking for the
 * support points of a better direction, which has not the digits to tell them. Adds to *off how far the points may have
 * left the surfaces, which is second order. False, and nothing changed, if there is no such step. */
bool tact_epa_refine_points(const epa_pair *pair, tact_vec3 *n, double value, tact_vec3 *a, tact_vec3 *b, double *off);

#endif
