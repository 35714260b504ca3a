/* The nearest points of a vertex and a face, and of two edges, in doubles. */
#ifndef TACT_STEP_FEATURE_DISTANCE_H
#define TACT_STEP_FEATURE_DISTANCE_H

#include <tact/ccd.h>

/* The points in the order of ccd.h. `weights` are those of the nearest points, of A and of B, not negative, and each
 * side sums up to 1 (up to rounding). Returns the point of A less that of B, right to some roundings of the largest
 * difference of coordinates: whatever the points, degenerate ones too, the two points found belong to the features,
 * and none are nearer by more than that. */
tact_vec3 tact_feature_closest_points(tact_ccd_kind kind, const tact_vec3 points[4], double weights[4]);

#endif
