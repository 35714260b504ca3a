/*
 * How long a lower bound of a separation stays positive: the last step of every search by conservative advancement
 * (conservative_advancement.c, deforming_toi.c, arc_toi.c). All results are rounded down.
 */
#ifndef TACT_TOI_SAFE_TIME_H
#define TACT_TOI_SAFE_TIME_H

#include <math.h>

#include "core/number.h"
#include "math/quadratic.h"
#include "toi/toi_constants.h"

/* The first s in (0, span] at which clearance + slope s + curve s^2 falls to 0, rounded down; `span` if it does not. */
static inline double parabola_safe_time(double clearance, double slope, double curve, double span)
{
    if (!(clearance > 0.0))
        return 0.0;
    const double b = slope * span, c = curve * span * span;
    if (b >= 0.0 && c >= 0.0)
        return span;
    const double scale =
        1.0 / number_max(clearance, number_max(fabs(b), fabs(c))); /* of the coefficients, over the span */
    const double part = quadratic_first_root(clearance * scale, b * scale, 2.0 * (c * scale));
    return part < 1.0 ? part * (1.0 - 8.0 * TOI_ROUNDOFF) * span : span;
}

/* The fraction of an interval in which a polynomial with these Bernstein coefficients of degree 4 stays above `floor`.
 * The curve is in the convex hull of the points (j/4, low[j]). Its lower boundary falls to the floor between two of
 * them: not before the first crossing of any two. */
static inline double bernstein_safe_fraction(const double low[5], double floor)
{
    double part = low[0] > floor ? 1.0 : 0.0;
    for (int j = 1; j < 5; j++)
        for (int i = 0; i < j && !(low[j] > floor); i++)
            if (low[i] > floor)
                part = number_min(part, TOI_ROUND_DOWN * 0.25 * (i + (j - i) * ((low[i] - floor) / (low[i] - low[j]))));
    return part >= 0.0 ? part : 0.0;
}

#endif
