/*
 * Where a segment crosses a plane or, in a plane, a line: the point that exact signs have shown to exist, rounded.
 *
 * No coordinate is farther from the true one than two units in the last place of the largest coordinate of p and q, and
 * none is outside the box of p and q. For all finite doubles. Needs round-to-nearest and subnormals kept
 * (environment.h). Cost: some 0.2 us; where the segment is nearly in the plane, or the exponents are far apart, some
 * microseconds (in integers).
 */
#ifndef TACT_MATH_SEGMENT_PLANE_H
#define TACT_MATH_SEGMENT_PLANE_H

#include <tact/vec.h>

/* The point of the segment p q on the plane a b c. orient3d(a, b, c, .) of p and q have opposite signs. */
tact_vec3 tact_segment_plane_intersection(tact_vec3 p, tact_vec3 q, tact_vec3 a, tact_vec3 b, tact_vec3 c);

/* The point of the segment p q whose shadow is on the line through the shadows of c and d: shadows along `axis` (0
 * x, 1 y, 2 z), in which p and q are on opposite sides of that line. */
tact_vec3 tact_segment_line_intersection(tact_vec3 p, tact_vec3 q, tact_vec3 c, tact_vec3 d, int axis);

#endif
