/* The intersection of two triangles in terms of features, without positions; shared by the files of triangle.h. */
#ifndef TACT_EXACT_TRIANGLE_INTERNAL_H
#define TACT_EXACT_TRIANGLE_INTERNAL_H

#include "exact/triangle.h"

/* How the position of a vertex of the intersection follows from its features. */
typedef enum triangle_vertex_origin {
    TRIANGLE_ORIGIN_VERTEX_OF_A,
    TRIANGLE_ORIGIN_VERTEX_OF_B,
    TRIANGLE_ORIGIN_EDGE_OF_A,      /* intersects the plane of b */
    TRIANGLE_ORIGIN_EDGE_OF_B,      /* intersects the plane of a */
    TRIANGLE_ORIGIN_EDGES_CROSSING, /* an edge of each; each intersects the other's plane */
    TRIANGLE_ORIGIN_EDGES_COPLANAR  /* an edge of each; both in one plane */
} triangle_vertex_origin;

typedef struct triangle_vertex_features {
    triangle_feature feature_a, feature_b;
    uint8_t origin; /* a triangle_vertex_origin */
} triangle_vertex_features;

/* Computes the vertices of the intersection, in order, exactly, without positions. Returns how many. All coordinates
 * must be finite and the floating-point environment the default one. */
int tact_triangles_intersection_features(const tact_vec3 a[3], const tact_vec3 b[3],
                                         triangle_vertex_features found[TRIANGLE_INTERSECTION_VERTICES]);

#endif
