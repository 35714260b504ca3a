/* The triangle of a mesh that is closest to a point: where a search about a convex shape near a mesh begins. */
#ifndef TACT_COMPLEX_CLOSEST_TRIANGLE_H
#define TACT_COMPLEX_CLOSEST_TRIANGLE_H

#include "complex/traversal.h"

#define NO_TRIANGLE UINT32_MAX

/* The distance of a point from a triangle. (Squared distances would lose small ones.) */
double tact_distance_from_triangle(const tact_vec3 triangle[3], tact_vec3 point);

/* The triangle of a mesh, margin left out, that is closest to a point; NO_TRIANGLE for an empty one. About a
 * microsecond. */
uint32_t tact_closest_triangle(const instance *mesh, tact_vec3 point);

/* The unit normal of a triangle nearest to the unit vector n; n itself where they differ much. A plane with the normal
 * of a triangle leaves all of a flat region on one side; that of closest points is not accurate enough for it. */
tact_vec3 tact_normal_of_triangle_near(const primitive *triangle, tact_vec3 n);

#endif
