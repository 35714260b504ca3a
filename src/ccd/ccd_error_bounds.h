/*
 * Error bounds of the polynomials of continuous collision detection, computed in doubles, with their proof.
 *
 * Three vectors, linear in time, are taken from the four moving points. Vertex-face: u, v: two edges of the face from
 * its first vertex, w: the vertex from there. Edge-edge: u, v: the edges, w: the start of the second from that of the
 * first. In Bernstein form over an interval of time [a, b], with u0 = u(a), u1 = u(b) and so on (grouped as by Hutter
 * and Fuhrmann 2007, see ccd_filter.c):
 *    normal  n = u x v, a quadratic:   n0 = u0 x v0, m = 2 n1 = u0 x v1 + u1 x v0, n2 = u1 x v1
 *    volume  f = n . w, a cubic:       f0 = n0 . w0, 3 f1 = m . w0 + n0 . w1, 3 f2 = m . w1 + n2 . w0, f3 = n2 . w1
 *    areas   in projection along an axis: the components of u x v, w x v, u x w, and sums and differences of these,
 *            quadratics
 * A polynomial lies between its least and its greatest coefficient. Its number of roots in (a, b) is the number of sign
 * changes of its coefficients, or less by an even number. Contact needs f = 0. At such a time, in projection along axis
 * k,
 *    vertex-face: the vertex has the barycentric weights (w x v)_k / n_k, (u x w)_k / n_k and what is left to 1,
 *    edge-edge:   the lines meet at (w x v)_k / n_k of the first and (w x u)_k / n_k of the second edge.
 * These and what is left to 1 are the inside tests. So two of these areas (numerators; n_k; n_k minus a numerator)
 * of opposite signs mean no contact, even where n_k may vanish: a point in a closed triangle, flat or not, never has
 * two of its three areas of opposite signs, and neither do end points of a segment strictly on one side of the line
 * of the other. If all numerators have the sign of n_k, which is not zero, there is contact.
 *
 * The proof follows math/filter.h and uses its terms: e = 2^-52, any rounding mode, subnormals flushed or not;
 * E = e (1 + 2^-60); X, Y, Z in [2^-300, 2^300], otherwise nothing is decided; errors add up in units of E times a
 * product of X, Y, Z; terms of order E^2 are left to the end.
 *  - Differences of the given points have an error of 1 (of X, say). X is the largest of those of u, v, w at 0 and
 *    at 1; with velocities the largest at 0 plus the largest velocity times the last time T <= 2^300. (A velocity
 *    below 2^-1022 that is flushed changes less than 2^-60 E X; a time that is flushed may change everything, see
 *    ccd_block.c.)
 *  - At a time t, (1 - t) d0 + t d1: the terms have errors (1 + 2) (1 - t) and (1 + 1) t, the sum 1 more: at most 4, at
 *    size 1. With velocities, d0 + t d1: |d0| + 2 |t d1| for the terms, 1 for the sum: at most 3.
 * So let every difference have an error of k: 1 at the ends 0 and 1, otherwise 4.
 *    minor (2 products, 2 terms): 4 rounding, 4 k given             = 4 + 4 k     at size 2 of X Y     8, 20
 *    sum of two minors:           2 x 4 + 4, 8 k                    = 12 + 8 k    at size 4           20, 44
 *    f0: from minors              3 (4 + 2) + 4 + 6, 18 k           = 28 + 18 k   at size 6 of X Y Z  46, 100
 *    3 f1:                        3 (12 + 4) + 8 + 12, 28, 18, 54 k = 114 + 54 k  at size 18         168, 330
 *    a minor less another:        2 (4 + 4 k) + 4                   = 12 + 8 k    at size 4           20, 44
 *    ... less a third:            12 + 8 k, 4 + 4 k, 6              = 22 + 12 k   at size 6           34, 70
 *    sums of two minors, less one:  2 (12 + 8 k) + 8                = 32 + 16 k   at size 8           48, 96
 *    ... less a third:              32 + 16 k, 12 + 8 k, 12         = 56 + 24 k   at size 12          80, 152
 *    a difference less another:   2 k + 2                           = 2 + 2 k     at size 2 of X       4, 10
 *    ... and a third:             2 + 2 k + k + 3                   = 5 + 3 k     at size 3            8, 17
 * The constants below add at least 1/200 to each, for the terms of order E^2 and the rounding of the bound.
 *
 * In double-double arithmetic (round to nearest, 2^-102 a sum or product, relative to the sizes of the operands) the
 * same count gives 100 2^-102 for f0; CCD_VOLUME_ERROR_DD takes 2^9 2^-102. What underflows in a difference, a minor or
 * the volume is below 2^-1070, and is then multiplied as they are. So it is 2^-1070 against 2^-93 X >= 2^-393 for a
 * difference, against 2^-93 X Y >= 2^-693 for a minor (times Z at its largest: 2^-770 against 2^-393), and against
 * 2^-93 X Y Z >= 2^-993.
 */
#ifndef TACT_CCD_CCD_ERROR_BOUNDS_H
#define TACT_CCD_CCD_ERROR_BOUNDS_H

#include "math/filter.h"

/* Relative to X Y Z: f0 and f3, and the inner coefficients 3 f1 and 3 f2. Over the whole step [0, 1], then over any
 * interval; then f0 in double-double arithmetic. Tests: internal_ccd_filter, internal_ccd_batch. */
#define CCD_VOLUME_ERROR_WHOLE_STEP (47.0 * FILTER_EPSILON)
#define CCD_VOLUME_ERROR_WHOLE_STEP_INNER (169.0 * FILTER_EPSILON)
#define CCD_VOLUME_ERROR (101.0 * FILTER_EPSILON)
#define CCD_VOLUME_ERROR_INNER (332.0 * FILTER_EPSILON)
#define CCD_VOLUME_ERROR_DD 0x1p-93

/* Relative to X Y: a component of the normal at an end, and twice its inner coefficient; then an inside test, a minor
 * minus up to two others, likewise. */
#define CCD_NORMAL_ERROR (21.0 * FILTER_EPSILON)
#define CCD_NORMAL_ERROR_INNER (45.0 * FILTER_EPSILON)
#define CCD_INSIDE_ERROR (71.0 * FILTER_EPSILON)
#define CCD_INSIDE_ERROR_INNER (153.0 * FILTER_EPSILON)

/* Relative to X: the distance of two points along an axis. */
#define CCD_GAP_ERROR (18.0 * FILTER_EPSILON)

#define CCD_MAX_TIME 0x1p300 /* time: T */

#endif
