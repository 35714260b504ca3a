/*
 * A rational B-spline surface without its control points: degrees, knots and weights, and what follows from them. The
 * control points are passed to each function, so that many bodies share one surface.
 *
 * A *span* is a knot interval of positive length inside the domain. The part of the surface over one span of u and one
 * of v is a Bezier patch. The extraction operator of a span maps the degree + 1 control points that influence it to the
 * Bezier control points (Borden, Scott, Evans and Hughes 2011).
 *
 * Notation: direction d is 0 for u and 1 for v. Control point (i, j) has the index i * counts[1] + j.
 */
#ifndef TACT_NURBS_NURBS_SURFACE_H
#define TACT_NURBS_NURBS_SURFACE_H

#include <stdbool.h>
#include <stdint.h>
#include <tact/nurbs.h>

#include "nurbs/nurbs_constants.h"

/* Degree + 1 at most. */
#define NURBS_MAX_ORDER (TACT_NURBS_MAX_DEGREE + 1)

typedef struct nurbs_surface {
    int degree[2];
    uint32_t counts[2];
    double *knots[2]; /* counts[d] + degree[d] + 1 */
    double *weights;  /* counts[0] * counts[1]; NULL: all equal, the surface is polynomial */
    uint32_t span_count[2];
    uint32_t *spans[2]; /* span s of direction d is [knots[k], knots[k + 1]) with k = spans[d][s], ascending */
    /* Of span s, (degree + 1)^2 numbers: Bezier control point a is the sum over i of
     * extraction[(s * (degree + 1) + a) * (degree + 1) + i] times control point spans[d][s] - degree + i. None is
     * negative, and those of one a add up to 1 up to rounding. */
    double *extraction[2];
} nurbs_surface;

/* Checks a def and copies what a surface needs. On failure returns false and fills `report` (not NULL); nothing is then
 * allocated. The control points are checked (finite, at most NURBS_MAX_COORDINATE), not copied. */
bool tact_nurbs_surface_init(nurbs_surface *s, const tact_nurbs_def *def, const tact_allocator *allocator,
                             tact_report *report);

void tact_nurbs_surface_release(nurbs_surface *s, const tact_allocator *allocator);

/* Bytes of memory that it holds, without the struct itself. */
size_t tact_nurbs_surface_byte_count(const nurbs_surface *s);

/* The span that contains the parameter t, clamped to the domain: the last span s with knots[spans[d][s]] <= t. */
uint32_t tact_nurbs_find_span(const nurbs_surface *s, int d, double t);

/* The degree + 1 basis functions that do not vanish on span `span` and their derivatives up to `order` at t, in
 * `out[k * (degree + 1) + i]` for derivative k of function spans[d][span] - degree + i. Piegl and Tiller 1997, A2.3.
 * The parameter is not clamped: the polynomials of the span are continued. */
void tact_nurbs_basis(const nurbs_surface *s, int d, uint32_t span, double t, int order, double *out);

/* The point at (u, v) and its derivatives: out[k * (order + 1) + l] is the derivative k times by u and l times by v,
 * for k + l <= order; the other entries are zero. `order` is 0 to TACT_NURBS_MAX_DEGREE. The parameters are clamped to
 * the domain. At a knot the derivatives are those of the span that begins there; at the end of the domain those of the
 * last span. */
void tact_nurbs_evaluate_at(const nurbs_surface *s, const tact_vec3 *points, double u, double v, int order,
                            tact_vec3 *out);

/* The homogeneous Bezier control points of the patch (span[0], span[1]): (w x, w y, w z, w) of control point (a, b) at
 * out[a * (q + 1) + b]. Without weights w is exactly 1. */
typedef struct nurbs_vec4 {
    double x, y, z, w;
} nurbs_vec4;
void tact_nurbs_extract_patch(const nurbs_surface *s, const tact_vec3 *points, const uint32_t span[2], nurbs_vec4 *out);

#endif
