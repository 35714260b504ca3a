/*
 * The intersection point of a segment with a plane, or of two projected lines, rounded to doubles. The caller has
 * proved with exact predicates that the point exists.
 *
 * Accuracy, for all finite doubles: each coordinate is within two ulps of the largest coordinate of p and q, and within
 * the bounding box of p and q. Needs the default floating-point environment (math/fp_environment.h). Cost: some 0.2 us;
 * some microseconds, in integers, if the segment nearly lies in the plane or the exponents are far apart.
 */
#ifndef TACT_MATH_SEGMENT_PLANE_H
#define TACT_MATH_SEGMENT_PLANE_H

#include <tact/vec.h>

/* The point of the segment p q on the plane a b c. orient3d(a, b, c, p) and orient3d(a, b, c, q) must have opposite
 * signs. */
tact_vec3 tact_segment_plane_intersection(tact_vec3 p, tact_vec3 q, tact_vec3 a, tact_vec3 b, tact_vec3 c);

/* The point of the segment p q whose projection along `axis` (0 x, 1 y, 2 z) lies on the line through the projections
 * of c and d. In that projection p and q must be on opposite sides of the line. */
tact_vec3 tact_segment_line_intersection(tact_vec3 p, tact_vec3 q, tact_vec3 c, tact_vec3 d, int axis);

#endif
