/*
 * Bounds of the directions between common points of two parts of NURBS surfaces.
 *
 * Let J_s and J_t be bounded as vectors of the cones over balls: w S_s / p is in the convex hull of differences of
 * control points (nurbs_crossing.c), that is in a ball of radius r |m| about m. Two points of a part differ by the
 * integral of S_s ds + S_t dt along the straight line between their coordinates, so their difference is
 *
 *     c = a (e_s + r_s x) + b (e_t + r_t y),   |x|, |y| <= 1,
 *
 * where e = m / |m|, and a and b have the signs of the differences of s and t. With r^2 = r_s^2 + r_t^2 and the angle g
 * of e_s and e_t, |c| >= sqrt(a^2 + b^2) (sqrt(1 - |cos g|) - r). So the angle between c and the plane of e_s and e_t has
 * a sine of at most k = r / (sqrt(1 - |cos g|) - r).
 *
 * Two common points of both surfaces differ by one such vector of each. If the planes meet at the angle f, its
 * components across the line d of both planes are at most (k_a + k_b) / sin f of its length.
 */
#ifndef TACT_COMPLEX_NURBS_CROSSING_H
#define TACT_COMPLEX_NURBS_CROSSING_H

#include "complex/nurbs_search.h"

typedef struct nurbs_crossing {
    tact_vec3 along; /* d */
    /* Per coordinate: 1 if it increases strictly from one common point to the next along d, -1 if it decreases, 0 if
     * neither is proved. */
    int sense[4];
} nurbs_crossing;

/* Whether two nodes of patches cross: all lines between their common points are within 45 degrees of d. */
bool tact_nurbs_nodes_cross(const nurbs_search *s, const uint32_t node[2], nurbs_crossing *out);

#endif
