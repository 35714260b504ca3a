/*
 * Four points in straight flight, in integers: what the exact half of continuous collision computes with.
 *
 * On every axis the coordinates (at both times, or with the velocities) are whole multiples of a power of two of that axis; divided
 * by it a point is A + B t with integers A and B. From differences of points follow, as polynomials in t,
 *   volume:  |x1 - x0, x2 - x0, x3 - x0|, a cubic: zero when the four are in a plane
 *   areas:   for a corner c and an edge (p, q) opposite to it, the vector (p - c) x (q - c), quadratics: zero when c is on
 *            the line of the edge; component k is the area of the three in projection along axis k
 *   spans:   (p - c) . (q - c), a quadratic: given zero areas, c is between p and q where it is not positive
 * The corners and edges of a vertex-face pair are the vertex and the three edges of the face, those of an edge-edge pair the
 * four ends, each with the other edge. Volume, areas and spans are made when first asked for and then kept.
 *
 * Sizes: a coordinate has at most 2098 bits, a difference A at most 2099 and B at most 2100 (a difference of differences),
 * N = 33 words; the sums of products of two have at most 2 * 2100 + 3 bits, 2 N words, those of three at most 3 * 2100 + 5, 3 N.
 */
#ifndef TACT_NARROW_CCD_FLIGHT_H
#define TACT_NARROW_CCD_FLIGHT_H

#include <tact/ccd.h>

#include "math/poly.h"

#define CCD_N WIDE_DOUBLE_WORDS
#define CCD_CORNERS 4 /* at most; a vertex-face pair has three */

/* The words of a desk for all that is done with a flight:
 *    66 N    4 points on 3 axes: A, what is given for B, and B; 5 differences of A and B
 *    72 N    the areas: 4 vectors of 3 quadratics with 3 coefficients of 2 N
 *    24 N    the spans: 4 quadratics with 3 coefficients of 2 N
 *    12 N    the volume: 4 coefficients of 3 N
 *    16 N    derivatives of the volume (5 numbers of 3 N and a word)
 *    36 N    or, if there is no volume, of up to four events that are compared (3 numbers of 2 N and a word for each), with 12 N to spare
 *   120 N    to work in: most is taken by the sign of a quadratic at a root of a cubic: discriminant 6 N (with 2 N for 4 a), a^2 to b c 22 N, 
 *            u and v 14 N, P 9 N (2 N for 2 a), P^2 18 N, v^2 14 N and v^2 D 18 N = 105 N, and words over
 */
#define CCD_DESK_WORDS (360 * CCD_N)

typedef struct ccd_flight {
    tact_ccd_kind kind;
    wide_desk *desk;
    int exponent[3];    /* of an axis: its unit is 2^exponent */
    int finest;         /* the least exponent of an axis along which there is anything */
    wide step[5][3][2]; /* x1 - x0, x2 - x0, x3 - x0, x2 - x1, x3 - x1: axis by axis, A and B */
    int corners;        /* 3 or 4 */
    poly volume;
    poly areas[CCD_CORNERS][3];
    poly spans[CCD_CORNERS];
    bool has_area[CCD_CORNERS][3];
    bool has_span[CCD_CORNERS];
} ccd_flight;

/* Lays the four points out on an empty desk of CCD_DESK_WORDS words. */
void tact_ccd_flight_begin(ccd_flight *flight, wide_desk *desk, tact_ccd_kind kind, const tact_vec3 start[4],
                           const tact_vec3 end[4], bool velocities);

/* Component `axis` of the area of a corner. */
const poly *tact_ccd_flight_area(ccd_flight *flight, int corner, int axis);

const poly *tact_ccd_flight_span(ccd_flight *flight, int corner);

/* Only once, and before any root is found. */
const poly *tact_ccd_flight_volume(ccd_flight *flight);

/* The sign of the slope of the volume at a time. */
int tact_ccd_flight_slope(ccd_flight *flight, double time);

#endif
