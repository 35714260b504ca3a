/* Sums of moments, what affine maps do to them, and the principal axes of a spread. */
#include "dynamics/moments.h"

#include <float.h>

#include "math/dd_vec.h"

/* ---- principal axes --------------------------------------------------------------------------------------------- */

/* Sweeps of Jacobi's method: each squares the error once it is small, and 5 are enough for any 3 by 3 matrix of
 * doubles. */
#define SOLVE_SWEEPS 16

/* Turns in the plane of axes p and q so that the entry a[p][q] vanishes; |angle| <= 45 degrees. */
static void turn(double a[3][3], tact_vec3 axes[3], int p, int q)
{
    if (a[p][q] == 0.0)
        return;
    int r = 3 - p - q;
    /* t = tan of the angle: the smaller root of t^2 + 2 w t - 1 = 0, w = (aqq - app)/(2 apq) */
    double w = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    double t = fabs(w) > 1e150 ? 0.5 / w : (w >= 0.0 ? 1.0 : -1.0) / (fabs(w) + sqrt(w * w + 1.0));
    double c = 1.0 / sqrt(t * t + 1.0), s = t * c, rp = a[r][p], rq = a[r][q];
    a[p][p] -= t * a[p][q];
    a[q][q] += t * a[p][q];
    a[p][q] = a[q][p] = 0.0;
    a[r][p] = a[p][r] = c * rp - s * rq;
    a[r][q] = a[q][r] = s * rp + c * rq;
    tact_vec3 up = axes[p], uq = axes[q];
    axes[p] = vec_mul_add(vec_scale(up, c), -s, uq);
    axes[q] = vec_mul_add(vec_scale(uq, c), s, up);
}

void tact_symmetric_solve(const symmetric *s, double values[3], tact_vec3 axes[3])
{
    double largest = 0.0;
    int exponent;
    for (int i = 0; i < 6; i++)
        largest = fmax(largest, fabs(s->at[i]));
    (void)frexp(largest, &exponent);
    symmetric u;
    for (int i = 0; i < 6; i++)
        u.at[i] = ldexp(s->at[i], -exponent);
    double a[3][3] = {
        {u.at[0], u.at[3], u.at[4]},
        {u.at[3], u.at[1], u.at[5]},
        {u.at[4], u.at[5], u.at[2]},
    };
    axes[0] = vec_make(1.0, 0.0, 0.0);
    axes[1] = vec_make(0.0, 1.0, 0.0);
    axes[2] = vec_make(0.0, 0.0, 1.0);
    for (int sweep = 0; sweep < SOLVE_SWEEPS && (a[0][1] != 0.0 || a[0][2] != 0.0 || a[1][2] != 0.0); sweep++) {
        turn(a, axes, 0, 1);
        turn(a, axes, 0, 2);
        turn(a, axes, 1, 2);
    }
    for (int i = 0; i < 3; i++)
        values[i] = ldexp(a[i][i], exponent);
}

/* ---- sums ------------------------------------------------------------------------------------------------------- */

/* The measure brought to 1/2 to 1, so that products of a few do not overflow. */
static void normalise(moments *m)
{
    int exponent;
    m->measure = frexp(m->measure, &exponent);
    m->exponent += exponent;
}

static tact_vec3 vec_ldexp(tact_vec3 a, int exponent)
{
    return vec_make(ldexp(a.x, exponent), ldexp(a.y, exponent), ldexp(a.z, exponent));
}

moments tact_moment_sum_end(const moment_sum *sum, int dimension, tact_vec3 origin, int exponent)
{
    moments m = {.dimension = dimension, .measure = fabs(sum->measure), .exponent = dimension * exponent};
    tact_vec3 c = vec_make(sum->first.x / sum->measure, sum->first.y / sum->measure, sum->first.z / sum->measure);
    m.centre = vec_add(origin, vec_ldexp(c, exponent));
    for (int i = 0; i < 6; i++)
        m.spread.at[i] = sum->second.at[i] / sum->measure;
    symmetric_add_square(&m.spread, -1.0, c);
    for (int i = 0; i < 6; i++)
        m.spread.at[i] = ldexp(m.spread.at[i], 2 * exponent);
    normalise(&m);
    return m;
}

moments tact_moments_add(const moments *a, const moments *b, double sign)
{
    if (a->dimension != b->dimension)
        return a->dimension > b->dimension ? *a : *b;
    if (a->dimension < 0)
        return *a;
    int exponent = a->exponent > b->exponent ? a->exponent : b->exponent;
    double wa = ldexp(a->measure, a->exponent - exponent), wb = sign * ldexp(b->measure, b->exponent - exponent);
    moments m = {.dimension = a->dimension, .measure = wa + wb, .exponent = exponent};
    double fa = wa / m.measure, fb = wb / m.measure;
    tact_vec3 d = vec_sub(b->centre, a->centre);
    m.centre = fabs(fb) <= fabs(fa) ? vec_mul_add(a->centre, fb, d) : vec_mul_add(b->centre, -fa, d);
    symmetric_add(&m.spread, fa, &a->spread);
    symmetric_add(&m.spread, fb, &b->spread);
    symmetric_add_square(&m.spread, fa * fb, d);
    m.error = fabs(fa) * a->error + fabs(fb) * b->error;
    normalise(&m);
    return m;
}

/* ---- maps ------------------------------------------------------------------------------------------------------- */

moments tact_moments_map(const moments *m, const tact_transform *at)
{
    /* The determinant in pairs of doubles, axes brought to 1: right to rounding however much the map flattens. */
    tact_vec3 axis[3] = {at->x_axis, at->y_axis, at->z_axis};
    moments r = *m;
    for (int i = 0; i < 3; i++) {
        int exponent;
        (void)frexp(vec_max_abs(axis[i]), &exponent);
        axis[i] = vec_ldexp(axis[i], -exponent);
        r.exponent += exponent;
    }
    dd_vec cross = dd_vec_cross(dd_vec_make(axis[1]), dd_vec_make(axis[2]));
    r.measure *= fabs(dd_vec_dot(dd_vec_make(axis[0]), cross).high);
    r.centre = vec_add(vec_transform(at, m->centre), at->origin);
    /* M S M^t, column by column of M S */
    const double *s = m->spread.at;
    const tact_vec3 rows[3] = {{s[0], s[3], s[4]}, {s[3], s[1], s[5]}, {s[4], s[5], s[2]}};
    tact_vec3 p[3]; /* p[k] = M times column k of S */
    for (int k = 0; k < 3; k++)
        p[k] = vec_transform(at, rows[k]);
    const tact_vec3 x = vec_make(at->x_axis.x, at->y_axis.x, at->z_axis.x),
                    y = vec_make(at->x_axis.y, at->y_axis.y, at->z_axis.y),
                    z = vec_make(at->x_axis.z, at->y_axis.z, at->z_axis.z);
    const tact_vec3 px = vec_make(p[0].x, p[1].x, p[2].x), py = vec_make(p[0].y, p[1].y, p[2].y),
                    pz = vec_make(p[0].z, p[1].z, p[2].z);
    r.spread =
        (symmetric){{vec_dot(x, px), vec_dot(y, py), vec_dot(z, pz), vec_dot(x, py), vec_dot(x, pz), vec_dot(y, pz)}};
    normalise(&r);
    return r;
}

int tact_moments_scale(const tact_transform *at, double reach, double margin, tact_transform *scaled)
{
    double size =
        reach * (vec_length_safe(at->x_axis) + vec_length_safe(at->y_axis) + vec_length_safe(at->z_axis)) + margin;
    int exponent = 0;
    if (size > 0.0 && size <= DBL_MAX)
        (void)frexp(size, &exponent);
    *scaled = (tact_transform){vec_ldexp(at->x_axis, -exponent), vec_ldexp(at->y_axis, -exponent),
                               vec_ldexp(at->z_axis, -exponent), at->origin};
    return exponent;
}
