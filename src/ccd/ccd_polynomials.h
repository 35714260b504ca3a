/*
 * The polynomials of a vertex-face or edge-edge pair in integers: what the exact solver computes with.
 *
 * On every axis the coordinates (at both times, or with the velocities) are integer multiples of a power of two of that
 * axis. Divided by it a point is A + B t with integers A and B. From differences of points follow, as polynomials in t,
 * - volume: |x1 - x0, x2 - x0, x3 - x0|, a cubic. It is zero when the four points are coplanar.
 * - areas: for a point c and an edge (p, q) opposite to it, the vector (p - c) x (q - c) of quadratics. It is zero when
 *   c is on the line of the edge. Component k is an area in projection along axis k.
 * - spans: (p - c) . (q - c), a quadratic. Where the area is zero, c is between p and q if this is not positive.
 *
 * The point-edge pairs of a vertex-face pair are the vertex with each of the three edges of the face. Those of an
 * edge-edge pair are the four end points, each with the other edge. Areas and spans are computed when first needed and
 * stay in the workspace, which must not be cleared below them.
 *
 * Sizes: a coordinate has at most 2098 bits, a difference A at most 2099 and B (a difference of differences) at most
 * 2100: N = 33 words. Sums of products of two have at most 2 * 2100 + 3 bits, 2 N words, of three 3 * 2100 + 5, 3 N.
 */
#ifndef TACT_CCD_CCD_POLYNOMIALS_H
#define TACT_CCD_CCD_POLYNOMIALS_H

#include <tact/ccd.h>

#include "math/poly.h"

#define CCD_COORDINATE_WORDS WIDE_DOUBLE_WORDS
#define CCD_MAX_POINT_EDGES 4 /* point-edge pairs; a vertex-face pair has three */

/* The words of the workspace of a query, each number with its greatest length:
 *    66 N  4 points on 3 axes: A, what is given for B, and B; 5 differences of A and B
 *    72 N  the areas: 4 vectors of 3 quadratics with 3 coefficients of 2 N
 *    24 N  the spans: 4 quadratics with 3 coefficients of 2 N
 *    12 N  the volume: 4 coefficients of 3 N
 *     6 N  its derivatives: 2 numbers of 3 N; or, where the volume is zero, those of 4 events, a number of 2 N each
 *   105 N  temporaries. The sign of a quadratic at a root of a cubic takes most (poly.c): 4 a and the discriminant 6 N;
 *          a^2, a b, a c, b c, b^2, b^2 - a c 24 N; u and v 14 N; 2 a and P 11 N; P^2, Q^2 and Q^2 D 50 N. Counting the
 *          roots of a cubic takes 63 N, values at doubles at most 24 N, the normal with its areas 90 N.
 *     5 N  for single words */
#define CCD_WORKSPACE_WORDS (290 * CCD_COORDINATE_WORDS)

/* Bits. Coordinates with at most so many (floats, integers, doubles of similar size) are short: A is below 2^61, B
 * below 2^62, and an area, a sum of at most four products of two, below 2^126. */
#define CCD_SHORT_BITS 60

/* Four moving points as fractions: on each axis a point is (value + rate t) / denominator, in the unit of the axis. The
 * denominators are positive. */
typedef struct ccd_fractions {
    int exponent[3]; /* of each axis: its unit is 2^exponent */
    wide value[4][3], rate[4][3];
    wide denominator[4];
} ccd_fractions;

typedef struct ccd_polynomials {
    tact_ccd_kind kind;
    wide_workspace *workspace;
    int exponent[3]; /* of each axis: its unit is 2^exponent */
    int finest;      /* the least exponent of an axis with coordinates other than 0 */
    bool is_short;   /* all coordinates have at most CCD_SHORT_BITS bits: the differences are in `short_step`, too */
    int64_t short_step[5][3][2];
    wide step[5][3][2];   /* x1 - x0, x2 - x0, x3 - x0, x2 - x1, x3 - x1: of each axis, A and B */
    int point_edge_count; /* 3 or 4 */
    poly volume;
    poly areas[CCD_MAX_POINT_EDGES][3];
    poly spans[CCD_MAX_POINT_EDGES];
    bool has_area[CCD_MAX_POINT_EDGES][3];
    bool has_span[CCD_MAX_POINT_EDGES];
} ccd_polynomials;

/* The two differences whose cross product is the area of a point-edge pair, first of a vertex-face, then of an
 * edge-edge pair: x - c for the two ends of the edge, or both negated. */
extern const int tact_ccd_point_edge_steps[2][CCD_MAX_POINT_EDGES][2];

/* Converts the four points, in an empty workspace of CCD_WORKSPACE_WORDS words. */
void tact_ccd_polynomials_init(ccd_polynomials *p, wide_workspace *workspace, tact_ccd_kind kind,
                               const tact_vec3 start[4], const tact_vec3 end[4], bool velocities);

/* The same for points given as fractions. Each difference is multiplied by the two denominators, unless they are equal:
 * so each area, span and the volume has a positive factor of its own, which changes no sign and no root. If `common`,
 * all differences have one factor, a common denominator of the four points, and ratios of areas are right, too. The
 * numbers are longer then: the lengths N of the differences, and so the workspace, follow from those of the points.
 * Nothing is allocated except the differences and, if `common`, the factors. */
void tact_ccd_polynomials_init_fractions(ccd_polynomials *p, wide_workspace *workspace, tact_ccd_kind kind,
                                         const ccd_fractions *points, bool common);

/* Component `axis` of the area of a point-edge pair. */
const poly *tact_ccd_area(ccd_polynomials *p, int point_edge, int axis);

const poly *tact_ccd_span(ccd_polynomials *p, int point_edge);

/* To be called once, before any root is isolated. */
const poly *tact_ccd_volume(ccd_polynomials *p);

/* The sign of the derivative of the volume at a time. */
int tact_ccd_volume_slope_sign(ccd_polynomials *p, double time);

#endif
