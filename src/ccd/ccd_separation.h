/*
 * Minimum separation: when do two moving features come as near as a given distance? Shared by the two solvers of
 * tact_ccd_separation, in doubles and in integers. (See tact/ccd.h.)
 *
 * Both take the four points relative to the first of them, x0, so that vertex-face (vertex; vertices of the face) and
 * edge-edge (ends of A; ends of B) are alike, and a configuration is three vectors. Distances are classified by the
 * pair of closest *features*: the interiors (of the face, or of both edges), a point and the interior of an edge, or
 * two points. The tables list them.
 */
#ifndef TACT_CCD_CCD_SEPARATION_H
#define TACT_CCD_CCD_SEPARATION_H

#include "ccd/ccd_constants.h"
#include "ccd/feature_ccd.h"

/* Feature pairs are numbered: 0 the interiors, from SEPARATION_POINT_EDGE a point and an edge, from
 * SEPARATION_POINT_POINT two points. */
#define SEPARATION_POINT_EDGE 1
#define SEPARATION_POINT_POINT 5
#define SEPARATION_FEATURE_COUNT 9

/* A point and the edge between two others. The remaining points lie behind the edge, seen from the point, if
 * sign (e x w) . n >= 0 with e = to - from, w = from - point, and n the normal of the face, or first edge x second. */
typedef struct point_edge_feature {
    int point, from, to, sign;
} point_edge_feature;

/* Point a of A and point b of B. The remaining points lie behind them if sign w . (to - from) >= 0 for both, with
 * w = b - a. */
typedef struct point_point_feature {
    int a, b;
    struct {
        int from, to, sign;
    } other[2];
} point_point_feature;

typedef struct separation_features {
    int normal[4]; /* n = (x[1] - x[0]) x (x[3] - x[2]), with these indices for 0 to 3 */
    int across;    /* this point minus point 0 is a vector from A to B */
    int point_edge_count, point_point_count;
    point_edge_feature point_edge[4];
    point_point_feature point_point[4];
} separation_features;

extern const separation_features tact_ccd_separation_features[2]; /* by tact_ccd_kind; in ccd_separation_exact.c */

/* Solves the query in integers, given that the distance is above d in [enter, after]; nothing is known if `after` is
 * `enter`. `first_end`, after it and at most `exit`, is the end of the first interval to test. At most *intervals are
 * tested (NULL: CCD_SEPARATION_MAX_INTERVALS), and their number is returned there. If they are not enough:
 * TACT_NOT_CONVERGED, and a hit in [lower, upper] with the distance above d before `lower`, and nothing proved after.
 * (ccd_separation_exact.c) */
tact_ccd tact_ccd_separation_exact(tact_ccd_kind kind, const tact_vec3 start[4], const tact_vec3 end[4],
                                   const tact_ccd_def *def, double after, double first_end, int *intervals);

#endif
