/* What two triangles have in common, told by parts alone: what triangle.c and triangle_cut.c share. */
#ifndef TACT_EXACT_TRIANGLE_INTERNAL_H
#define TACT_EXACT_TRIANGLE_INTERNAL_H

#include "exact/triangle.h"

/* How the position of a corner of the cut follows from the parts it lies on. */
typedef enum triangle_way {
    TRIANGLE_WAY_CORNER_OF_A,
    TRIANGLE_WAY_CORNER_OF_B,
    TRIANGLE_WAY_EDGE_OF_A, /* crosses the plane of b */
    TRIANGLE_WAY_EDGE_OF_B, /* crosses the plane of a */
    TRIANGLE_WAY_EITHER,    /* an edge of each, and each crosses the other's plane */
    TRIANGLE_WAY_EDGES      /* an edge of each, in one plane */
} triangle_way;

typedef struct triangle_found {
    triangle_part on_a, on_b;
    uint8_t way; /* a triangle_way */
} triangle_found;

/* The corners of the cut, in order, exactly, without positions; returns how many. All coordinates are finite, and the
 * floating-point environment is the default. */
int tact_triangle_find(const tact_vec3 a[3], const tact_vec3 b[3], triangle_found found[TRIANGLE_CUT_CORNERS]);

#endif
