/* What two triangles have in common, told by parts alone: what triangle.c and triangle_intersection.c share. */
#ifndef TACT_EXACT_TRIANGLE_INTERNAL_H
#define TACT_EXACT_TRIANGLE_INTERNAL_H

#include "exact/triangle.h"

/* How the position of a corner of the cut follows from the parts it lies on. */
typedef enum triangle_vertex_origin {
    TRIANGLE_ORIGIN_VERTEX_OF_A,
    TRIANGLE_ORIGIN_VERTEX_OF_B,
    TRIANGLE_ORIGIN_EDGE_OF_A,      /* crosses the plane of b */
    TRIANGLE_ORIGIN_EDGE_OF_B,      /* crosses the plane of a */
    TRIANGLE_ORIGIN_EDGES_CROSSING, /* an edge of each, and each crosses the other's plane */
    TRIANGLE_ORIGIN_EDGES_COPLANAR  /* an edge of each, in one plane */
} triangle_vertex_origin;

typedef struct triangle_vertex_features {
    triangle_feature feature_a, feature_b;
    uint8_t origin; /* a triangle_vertex_origin */
} triangle_vertex_features;

/* The corners of the cut, in order, exactly, without positions; returns how many. All coordinates are finite, and the
 * floating-point environment is the default. */
int tact_triangles_intersection_features(const tact_vec3 a[3], const tact_vec3 b[3],
                                         triangle_vertex_features found[TRIANGLE_INTERSECTION_VERTICES]);

#endif
