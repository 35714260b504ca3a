/*
 * When two moving features come as near as a given distance: what the halves of tact_ccd_separation share. (See ccd.h.)
 *
 * Both halves look at the four points from the first of them, x0: so VF is (vertex; corners) and EE (ends of A; ends of
 * B) alike, and a place is three vectors. Distance is told by *features*: nearest to each other are either the insides
 * (of face, or of both edges), or a point and the inside of an edge, or two points. The tables list them.
 */
#ifndef TACT_CCD_CCD_SEPARATION_H
#define TACT_CCD_CCD_SEPARATION_H

#include "ccd/feature_ccd.h"

/* A hit is told only if the distance falls below d (1 + this): the contract of tact/ccd.h. Without unit. */
#define CCD_SEPARATION_TOLERANCE 1e-6
#define CCD_SEPARATION_TOLERANCE_INVERSE 1000000 /* one of so many parts of d */

/* Features are numbered: 0 the insides, from 1 the lines, from SEPARATION_POINT_POINT the pairs of points. */
#define SEPARATION_POINT_EDGE 1
#define SEPARATION_POINT_POINT 5
#define SEPARATION_FEATURE_COUNT 9

/* Point `point` and the edge between two others. The other points of the two things lie behind, seen from the point, if
 * sign (e x w) . n >= 0 with e = to - from, w = from - point, and n the normal of the face, or first edge x second. */
typedef struct point_edge_feature {
    int point, from, to, sign;
} point_edge_feature;

/* Point a of A and b of B. The others lie behind if sign w . (to - from) >= 0 for both, with w = b - a. */
typedef struct point_point_feature {
    int a, b;
    struct {
        int from, to, sign;
    } other[2];
} point_point_feature;

typedef struct separation_features {
    int normal[4]; /* n = (x[1] - x[0]) x (x[3] - x[2]), with these for 0 to 3 */
    int across;    /* this point less point 0 goes from A to B */
    int point_edge_count, point_point_count;
    point_edge_feature point_edge[4];
    point_point_feature point_point[4];
} separation_features;

extern const separation_features tact_ccd_separation_features[2]; /* by tact_ccd_kind; in ccd_separation_exact.c */

/* The most stretches of time that the integers look at: four times what was ever seen to be needed, 11,900 with sizes
 * over all that doubles can hold, where they take seconds; 700 with sizes up to 1e18 d. */
#define CCD_SEPARATION_MAX_INTERVALS 50000

/* The whole answer in integers, given that the distance is known to be above d in [enter, after]; nothing is known if
 * that is `enter`. `reach`, after it and at most `exit`: where to look first. At most *stretches are looked at, and how
 * many were is left there; NULL for CCD_SEPARATION_MAX_INTERVALS. Should they not do: TACT_NOT_CONVERGED, and a hit in
 * [from, to] with the distance above d before `from`, and nothing proved after. (ccd_separation_exact.c) */
tact_ccd tact_ccd_separation_exact(tact_ccd_kind kind, const tact_vec3 start[4], const tact_vec3 end[4],
                                   const tact_ccd_def *def, double after, double reach, int *stretches);

#endif
