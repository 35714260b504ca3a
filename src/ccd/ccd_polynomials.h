/*
 * Four points in straight flight, in integers: what the exact half of continuous collision computes with.
 *
 * On every axis the coordinates (at both times, or with the velocities) are whole multiples of a power of two of that
 * axis; divided by it a point is A + B t with integers A and B. From differences of points follow, as polynomials in t,
 *   volume: |x1 - x0, x2 - x0, x3 - x0|, a cubic: zero when the four are in a plane
 *   areas:  for a corner c and an edge (p, q) opposite to it, the vector (p - c) x (q - c) of quadratics: zero when c
 *           is on the line of the edge; component k is an area in projection along axis k
 *   spans:  (p - c) . (q - c), a quadratic: where the area is zero, c is between p and q if this is not positive
 * The corners of a vertex-face pair are three times the vertex, with the three edges of the face; those of an edge-edge
 * pair are the four ends, each with the other edge. Areas and spans are made when first asked for and then kept
 * on the workspace, which must not be cleared below them.
 *
 * Sizes: a coordinate has at most 2098 bits, a difference A at most 2099 and B (a difference of differences) at most
 * 2100: N = 33 words. Sums of products of two have at most 2 * 2100 + 3 bits, 2 N words, of three 3 * 2100 + 5, 3 N.
 */
#ifndef TACT_CCD_CCD_POLYNOMIALS_H
#define TACT_CCD_CCD_POLYNOMIALS_H

#include <tact/ccd.h>

#include "math/poly.h"

#define CCD_N WIDE_DOUBLE_WORDS
#define CCD_CORNERS 4 /* at most; a vertex-face pair has three */

/* The words of a workspace for all that is done with a flight, each number with its greatest length:
 *    66 N  4 points on 3 axes: A, what is given for B, and B; 5 differences of A and B
 *    72 N  the areas: 4 vectors of 3 quadratics with 3 coefficients of 2 N
 *    24 N  the spans: 4 quadratics with 3 coefficients of 2 N
 *    12 N  the volume: 4 coefficients of 3 N
 *     6 N  its derivatives: 2 numbers of 3 N; or, where the volume is zero, those of 4 events, a number of 2 N each
 *   105 N  to work in. The sign of a quadratic at a root of a cubic takes most (poly.c): 4 a and the discriminant 6 N;
 *          a^2, a b, a c, b c, b^2, b^2 - a c 24 N; u and v 14 N; 2 a and P 11 N; P^2, Q^2 and Q^2 D 50 N. Counting the
 *          roots of a cubic takes 63 N, values at doubles at most 24 N, the normal with its areas 90 N.
 *     5 N  for words that are taken in passing */
#define CCD_DESK_WORDS (290 * CCD_N)

/* Coordinates with at most so many bits (floats, whole numbers, doubles of like size) are short: A is below 2^61, B
 * below 2^62, an area, a sum of at most four products of two, below 2^126. */
#define CCD_BRIEF 60

typedef struct ccd_flight {
    tact_ccd_kind kind;
    wide_workspace *workspace;
    int exponent[3]; /* of an axis: its unit is 2^exponent */
    int finest;      /* the least exponent of an axis along which there is anything */
    bool brief;      /* all coordinates have at most CCD_BRIEF bits: the differences are in `whole`, too */
    int64_t whole[5][3][2];
    wide step[5][3][2]; /* x1 - x0, x2 - x0, x3 - x0, x2 - x1, x3 - x1: axis by axis, A and B */
    int corners;        /* 3 or 4 */
    poly volume;
    poly areas[CCD_CORNERS][3];
    poly spans[CCD_CORNERS];
    bool has_area[CCD_CORNERS][3];
    bool has_span[CCD_CORNERS];
} ccd_flight;

/* Which two differences span the area of a corner, first of a vertex-face, then of an edge-edge pair: x - c for the two
 * ends of the edge opposite, or both turned round. */
extern const int tact_ccd_spanned[2][CCD_CORNERS][2];

/* Lays the four points out on an empty workspace of CCD_DESK_WORDS words. */
void tact_ccd_flight_begin(ccd_flight *flight, wide_workspace *workspace, tact_ccd_kind kind, const tact_vec3 start[4],
                           const tact_vec3 end[4], bool velocities);

/* Component `axis` of the area of a corner. */
const poly *tact_ccd_flight_area(ccd_flight *flight, int corner, int axis);

const poly *tact_ccd_flight_span(ccd_flight *flight, int corner);

/* Only once, and before any root is found. */
const poly *tact_ccd_flight_volume(ccd_flight *flight);

/* The sign of the slope of the volume at a time. */
int tact_ccd_flight_slope(ccd_flight *flight, double time);

#endif
