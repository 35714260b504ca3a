/*
 * Two parts of NURBS surfaces: whether they have no common point, and bounds of the directions between common points.
 *
 * Let J_s and J_t be bounded as vectors of the cones over balls: w S_s / p is in the convex hull of differences of
 * control points (nurbs_crossing.c), that is in a ball of radius r |m| about m. Two points of a part differ by the
 * integral of S_s ds + S_t dt along the straight line between their coordinates, so their difference is
 *
 *     c = a (e_s + r_s x) + b (e_t + r_t y),   |x|, |y| <= 1,
 *
 * where e = m / |m|, and a and b have the signs of the differences of s and t. With r^2 = r_s^2 + r_t^2 and the angle g
 * of e_s and e_t, |c| >= sqrt(a^2 + b^2) (sqrt(1 - |cos g|) - r). Let q_s and q_t bound the components of r_s x and r_t
 * y along the normal of e_s and e_t, and q^2 = q_s^2 + q_t^2. Then the angle between c and the plane of e_s and e_t has
 * a sine of at most k = q / (sqrt(1 - |cos g|) - r).
 *
 * Two common points of both surfaces differ by one such vector of each. If the planes meet at the angle f, its
 * components across the line d of both planes are at most (k_a + k_b) / sin f of its length.
 */
#ifndef TACT_COMPLEX_NURBS_CROSSING_H
#define TACT_COMPLEX_NURBS_CROSSING_H

#include "complex/nurbs_search.h"

/* What is known of a node of a patch. */
typedef struct node_bound {
    /* The node is within `radius` of the parallelogram centre + x along[0] + y along[1], |x| and |y| at most 1/2. */
    tact_vec3 centre, along[2];
    double radius;
    double length[2];  /* of `along` */
    tact_vec3 face;    /* the unit normal of the parallelogram, or zero */
    double range[2];   /* of the control points along it */
    tact_vec3 unit[2]; /* e_s, e_t */
    tact_vec3 normal;  /* of both */
    double slope;      /* k; negative: no bound */
    double spread;     /* r / (sqrt(1 - |cos g|) - r) */
    double weight;     /* of two nodes, the heavier one is divided */
    int direction;     /* in which it is divided */
} node_bound;

ARRAY_OF(node_bound_array, node_bound);

void tact_nurbs_bound_node(const search_side *side, uint32_t node, node_bound *out);

/*
 * Whether two nodes of patches have no common point, margins left out. Proved by their boxes, by the gap of their
 * control points along their normals, or by linear functions: the parts differ by a sum of four segments and a ball of
 * the radius of both. Planes that bound such a sum are parallel to two of the segments.
 */
bool tact_nurbs_nodes_apart(const nurbs_search *s, const uint32_t node[2], const node_bound *a, const node_bound *b);

typedef struct nurbs_crossing {
    tact_vec3 along; /* d */
    /* Per coordinate: 1 if it increases strictly from one common point to the next along d, -1 if it decreases, 0 if
     * neither is proved. */
    int sense[4];
} nurbs_crossing;

/* Whether two nodes of patches cross: all lines between their common points are within 45 degrees of d. */
bool tact_nurbs_nodes_cross(const node_bound *a, const node_bound *b, nurbs_crossing *out);

#endif
