/* The closest points of a vertex and a face, and of two edges, in doubles. */
#ifndef TACT_CCD_FEATURE_DISTANCE_H
#define TACT_CCD_FEATURE_DISTANCE_H

#include <tact/ccd.h>

/* The points are in the order of tact/ccd.h. `weights` are those of the closest points, nonnegative, and those of A and
 * of B sum to 1 up to rounding. Returns the point of A minus that of B, accurate to some units of roundoff of the
 * largest difference of coordinates: whatever the points, even degenerate ones, the two points found belong to the
 * features, and none are closer by more than that. */
tact_vec3 tact_feature_closest_points(tact_ccd_kind kind, const tact_vec3 points[4], double weights[4]);

#endif
