/*
 * Tracing of intersection curves of two NURBS surfaces, in the scaled coordinates of a search (nurbs_search.h).
 *
 * A curve is a list of points on both surfaces. Points that follow each other are in the same pair of patches, or they
 * are one point of two pairs of patches that a side joins. Between two points in one pair the curve is a cubic
 * polynomial of its length, in space and in the coordinates z of both patches. The length of such a segment is
 * estimated from its chord c and the angle of the tangents: c (a / 2) / sin(a / 2), exact for a circle.
 *
 * A step goes from a point to the common point of both surfaces in a plane across the tangent (Newton's method for four
 * equations). It is repeated with half the length or less if the tangent turns by more than 30 degrees, or if the cubic
 * polynomial deviates too much at its middle. Patches end at knots, so the curve is smooth within a step.
 */
#ifndef TACT_COMPLEX_NURBS_MARCH_H
#define TACT_COMPLEX_NURBS_MARCH_H

#include "complex/nurbs_search.h"

typedef struct march_point {
    uint32_t root[2];  /* nodes of the patches */
    double z[4];       /* coordinates in both patches */
    double rate[4];    /* their derivatives by the length */
    tact_vec3 point;   /* scaled */
    tact_vec3 tangent; /* unit vector */
    double length;     /* of the segment to the next point of the curve */
} march_point;

ARRAY_OF(march_point_array, march_point);

typedef struct march_curve {
    uint32_t first, count; /* points */
    tact_nurbs_curve_end ends[2];
} march_curve;

ARRAY_OF(march_curve_array, march_curve);

/* The two sides of patches that a side class joins: 4 * patch + side, or UINT32_MAX. */
typedef struct march_join {
    uint32_t side[2];
} march_join;

typedef struct nurbs_march {
    nurbs_search *search;
    march_join *joins[2]; /* of the single leaf of each side of the search, by side class */
    uint32_t join_count[2];
    march_point_array points; /* curve after curve */
    march_curve_array curves;
    march_point_array scratch;
    double accuracy; /* scaled */
    size_t max_points;
    tact_status status;
} nurbs_march;

/* The single leaves of both sides of the search are known already. False: out of memory. */
bool tact_nurbs_march_begin(nurbs_march *m, nurbs_search *s, double accuracy, size_t max_points);
void tact_nurbs_march_end(nurbs_march *m);

/* Newton's method from the middle of a range of coordinates to a common point of two patches, in the plane across the
 * curve through the start. Fills `out`; false: none found, or the line in which the tangent planes at the start meet is
 * far from the range. */
bool tact_nurbs_march_seed(const nurbs_march *m, const uint32_t root[2], const double low[4], const double high[4],
                           march_point *out);

/* Whether the line from a point with its rates passes through a range: the lengths at which it does. */
bool tact_nurbs_march_passes(const march_point *p, const double low[4], const double high[4], double range[2]);

/* The common point in the plane across the tangent of `from`, at this distance along it. False: none found. */
bool tact_nurbs_march_along(const nurbs_march *m, const march_point *from, double length, march_point *out);

/* Traces the curve through a point in both directions. False: see the status. */
bool tact_nurbs_march_trace(nurbs_march *m, const march_point *seed);

/* The point of the curve at the fraction f of the segment from p to q, on both surfaces. False: Newton's method fails.
 */
bool tact_nurbs_march_between(const nurbs_march *m, const march_point *p, const march_point *q, double f,
                              march_point *out);

/* The estimated length of the segment from p to q. */
double tact_nurbs_march_length(const march_point *p, const march_point *q);

/* The cubic polynomials of a segment of length h at the fraction f of it: the point, and the coordinates. */
tact_vec3 tact_nurbs_march_cubic(const march_point *p, const march_point *q, double h, double f);
void tact_nurbs_march_coordinates(const march_point *p, const march_point *q, double h, double f, double z[4]);

static inline bool march_same_patches(const march_point *p, const march_point *q)
{
    return p->root[0] == q->root[0] && p->root[1] == q->root[1];
}

#endif
