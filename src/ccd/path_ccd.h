/*
 * All contacts of a vertex and a face, or of two edges, whose four points move on linear paths (motion/linear_path.h),
 * each with times of its own.
 *
 * Guarantee: exact. Positions are real functions of time, and no contact is missed or invented, whatever the points do.
 * Vertices, edges and faces are closed sets. The times at which they touch within a window are a finite union of closed
 * intervals, most of them single instants; the beginning of each maximal one is reported. It is rounded to doubles by
 * one rule, so that it depends neither on the window (unless it is the start of the window) nor on the method.
 *
 * Coordinates, velocities and times must not exceed 1e150 in magnitude; they may be subnormal. No allocation, up to
 * 300 kB of stack. Cost: 60 to 220 ns for a pair that does not touch, 1 to 2 us for a contact, 5 to 20 us
 * where doubles cannot decide; numbers that span thousands of bits take milliseconds.
 *
 * The order of the points, weights, normal and `degenerate` are those of tact/ccd.h. In any floating-point environment.
 */
#ifndef TACT_CCD_PATH_CCD_H
#define TACT_CCD_PATH_CCD_H

#include <tact/ccd.h>

#include "motion/linear_path.h"

/* Intervals of contact in a window. If the four points are not always coplanar, there are at most three. Otherwise each
 * begins at the start of the window, or where a point comes to lie on an edge: two edges have four such pairs, each
 * with at most two times (path_exact.c). */
#define PATH_CCD_MAX_CONTACTS 9

typedef struct path_ccd {
    int count; /* maximal intervals of contact in the closed window, in order of time */
    /* The beginning of each: `lower` is the greatest double that is not later, `upper` the next double, or the same if
     * it is exactly that double. For an interval that contains the start of the window, both are the start. */
    tact_ccd contact[PATH_CCD_MAX_CONTACTS];
    bool at_enter; /* the first interval contains the start of the window */
    bool at_exit;  /* the last interval contains its end */
} path_ccd;

/* All contacts for times in [enter, exit], which may be negative. */
void tact_path_ccd(tact_ccd_kind kind, const linear_path path[4], double enter, double exit, path_ccd *result);

/* All contacts of a jump at one time: each point moves from its position on `from` to that on `to`, linearly in a
 * parameter u from 0 to 1. All contacts have lower = upper = time; `at_enter` and `at_exit` refer to u = 0 and u = 1.
 * The normal refers to the motion in u. */
void tact_path_ccd_jump(tact_ccd_kind kind, const linear_path from[4], const linear_path to[4], double time,
                        path_ccd *result);

#endif
