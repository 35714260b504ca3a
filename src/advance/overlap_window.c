/*
 * The overlap window of the boxes of two moving bodies: a pair need not be searched outside of it.
 *
 * Along each axis two boxes overlap where two polynomials of degree 2 are not negative. The window encloses the
 * times at which all six are not negative. Guarantee: it contains every time at which the bodies touch. Extents hold
 * for all orientations, and boxes are enlarged by WINDOW_PAD of everything that is rounded: more than the rounding
 * errors of the roots, each the root of a polynomial whose coefficients are off by a few units of roundoff. That grows
 * with the path. With an acceleration of 1e40 the rounding of a path of 1e-7 exceeds all boxes, so such a path is
 * divided into pieces: O(log) of the horizon in ulps of the time. Cost: 30 ns, where a search of two bodies takes 1
 * microsecond to milliseconds.
 */
#include <float.h>
#include <math.h>

#include "advance/advance_constants.h"
#include "advance/body_motion.h"
#include "core/number.h"
#include "math/quadratic.h"

/* Shrinks [*from, *to], *from >= 0, to an interval that contains its times at which h(t) = x + v t + a t^2 / 2 >= 0. */
static void intersect(double x, double v, double a, double *from, double *to)
{
    const double square = v * v - 2.0 * a * x;
    if (!(fabs(square) < INFINITY) || *from > *to)
        return;
    const double root = square > 0.0 ? sqrt(square) : 0.0;
    if (x < 0.0) {
        *from = number_max(*from, quadratic_first_root(-x, -v, -a));
        if (a < 0.0) /* it rises and falls again; the second root, where there is one */
            *to = number_min(*to, v > 0.0 ? (v + root) / -a : 0.0);
    } else if (!(a > 0.0) || (root - v) / a > *to) { /* else it falls below 0 and rises again in time */
        *to = number_min(*to, quadratic_first_crossing(x, v, a));
    }
}

/* The part of [*from, *to] in which the boxes may overlap, up to rounding in a path of `horizon`. Returns the padding
 * for that rounding relative to the largest extent. */
static double shrink_window(const body_motion *const hot[2], const body_motion_cold *const cold[2], double now,
                            double horizon, double *from, double *to)
{
    tact_vec3 at[2], v[2];
    double far = 0.0;
    for (int i = 0; i < 2; ++i) {
        const double t = now - hot[i]->start_time;
        at[i] = body_motion_origin(hot[i], cold[i], now);
        v[i] = vec_mul_add(hot[i]->velocity, t, cold[i]->motion.acceleration);
        far += vec_max_abs(hot[i]->origin) + body_motion_reach(cold[i]) +
               (fabs(now) + horizon) *
                   (vec_max_abs(hot[i]->velocity) + (t + horizon) * vec_max_abs(cold[i]->motion.acceleration));
    }
    const tact_vec3 d = vec_sub(at[1], at[0]), w = vec_sub(v[1], v[0]);
    const tact_vec3 a = vec_sub(cold[1]->motion.acceleration, cold[0]->motion.acceleration);
    const tact_vec3 up = vec_sub(cold[1]->extent_max, cold[0]->extent_min),
                    down = vec_sub(cold[0]->extent_max, cold[1]->extent_min);
    const double pad = WINDOW_PAD * far;
    intersect(d.x + up.x + pad, w.x, a.x, from, to);
    intersect(down.x - d.x + pad, -w.x, -a.x, from, to);
    intersect(d.y + up.y + pad, w.y, a.y, from, to);
    intersect(down.y - d.y + pad, -w.y, -a.y, from, to);
    intersect(d.z + up.z + pad, w.z, a.z, from, to);
    intersect(down.z - d.z + pad, -w.z, -a.z, from, to);
    return pad / (vec_max_abs(up) + vec_max_abs(down) + vec_max_abs(d));
}

bool tact_body_motions_overlap_window(const body_motion *const hot[2], const body_motion_cold *const cold[2],
                                      double now, double horizon, double *from, double *to)
{
    *from = 0.0;
    *to = horizon;
    const double coarse = shrink_window(hot, cold, now, horizon, from, to);
    if (*from > *to || !(coarse > WINDOW_COARSE))
        return *from <= *to;
    /* The path to come is so long that its rounding exceeds the boxes and their distance: from 0 on in pieces, each
     * WINDOW_PIECE_GROWTH times as long as all before. */
    double begin = *from, first, last;
    for (double end = begin + number_max(WINDOW_PAD * fabs(now), DBL_MIN); end < *to;
         begin = end, end = WINDOW_PIECE_GROWTH * end) {
        first = begin;
        last = end;
        (void)shrink_window(hot, cold, now, end, &first, &last);
        if (first <= last) {
            *from = first;
            return true;
        }
    }
    first = begin;
    last = *to;
    (void)shrink_window(hot, cold, now, *to, &first, &last);
    *from = first;
    *to = last;
    return first <= last;
}
