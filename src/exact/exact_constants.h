/*
 * The tolerances of this room: what each limits, its unit, why it has this value, and which test fails if it is 1000
 * times larger or smaller. All decisions of the room are exact; these only concern computed normals and the merging of
 * rounded segments.
 */
#ifndef TACT_EXACT_EXACT_CONSTANTS_H
#define TACT_EXACT_EXACT_CONSTANTS_H

#include <float.h>

/* Sine (ray_triangle.c): a ray in the plane of a triangle hits an edge. At a smaller angle to this edge, the part of
 * the direction perpendicular to it has lost half its digits, and the normal is the reversed direction instead. Test:
 * internal_ray_in_plane, normals_of_edges_are_perpendicular_or_reverse. */
#define RAY_TRIANGLE_EDGE_SINE 1e-9

/* Relative to the largest coordinate (intersection_segments.c): the distance of a joint from the line between the
 * ends of the merged segment, and the distance between two ends that count as one. An end is off by two ulps. The
 * planes of two triangles of a flat polygon, mapped with a few rounding errors, differ by as much again. Where faces
 * intersect at a small angle this is not enough, and a straight segment stays in parts. Test:
 * internal_intersections, loops_close_to_the_last_bit. */
#define INTERSECTION_SEGMENT_SLACK (16.0 * DBL_EPSILON)

#endif
