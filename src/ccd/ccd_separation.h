/*
 * When two moving features come as near as a given distance: what the halves of tact_ccd_apart share. (See ccd.h.)
 *
 * Both halves look at the four points from the first of them, x0: so VF is (vertex; corners) and EE (ends of A; ends of
 * B) alike, and a place is three vectors. Distance is told by *features*: nearest to each other are either the insides
 * (of face, or of both edges), or a point and the inside of an edge, or two points. The tables list them.
 */
#ifndef TACT_CCD_CCD_SEPARATION_H
#define TACT_CCD_CCD_SEPARATION_H

#include "ccd/feature_ccd.h"

/* A hit is told only if the distance falls below d (1 + this): the contract of tact/ccd.h. Without unit. */
#define APART_SLACK 1e-6
#define APART_SLACK_PARTS 1000000 /* one of so many parts of d */

/* Features are numbered: 0 the insides, from 1 the lines, from APART_CORNERS the pairs of points. */
#define APART_LINES 1
#define APART_CORNERS 5
#define APART_FEATURES 9

/* Point `point` and the edge between two others. The other points of the two things lie behind, seen from the point, if
 * sign (e x w) . n >= 0 with e = to - from, w = from - point, and n the normal of the face, or first edge x second. */
typedef struct apart_line {
    int point, from, to, sign;
} apart_line;

/* Point a of A and b of B. The others lie behind if sign w . (to - from) >= 0 for both, with w = b - a. */
typedef struct apart_corner {
    int a, b;
    struct {
        int from, to, sign;
    } other[2];
} apart_corner;

typedef struct apart_features {
    int normal[4]; /* n = (x[1] - x[0]) x (x[3] - x[2]), with these for 0 to 3 */
    int across;    /* this point less point 0 goes from A to B */
    int lines, corners;
    apart_line line[4];
    apart_corner corner[4];
} apart_features;

extern const apart_features tact_ccd_features[2]; /* by tact_ccd_kind; in ccd_separation_exact.c */

/* The most stretches of time that the integers look at: four times what was ever seen to be needed, 11,900 with sizes
 * over all that doubles can hold, where they take seconds; 700 with sizes up to 1e18 d. */
#define APART_STRETCHES 50000

/* The whole answer in integers, given that the distance is known to be above d in [enter, after]; nothing is known if
 * that is `enter`. `reach`, after it and at most `exit`: where to look first. At most *stretches are looked at, and how
 * many were is left there; NULL for APART_STRETCHES. Should they not do: TACT_NOT_CONVERGED, and a hit in [from, to]
 * with the distance above d before `from`, and nothing proved after. (ccd_separation_exact.c) */
tact_ccd tact_ccd_apart_exact(tact_ccd_kind kind, const tact_vec3 start[4], const tact_vec3 end[4],
                              const tact_ccd_def *def, double after, double reach, int *stretches);

#endif
