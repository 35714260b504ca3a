/* Sums of moments, and what affine maps do to them. */
#include "dynamics/moments.h"

#include <float.h>

#include "math/dd_vec.h"
#include "math/transform_norm.h"

/* ---- sums ------------------------------------------------------------------------------------------------------- */

/* Scales the measure to [1/2, 1): products of a few do not overflow. */
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

static sym3 divide(const sym3 *s, double by)
{
    return (sym3){s->xx / by, s->yy / by, s->zz / by, s->xy / by, s->xz / by, s->yz / by};
}

moments tact_moment_sum_end(const moment_sum *sum, int dimension, tact_vec3 origin, int exponent)
{
    moments m = {.dimension = dimension, .measure = fabs(sum->measure), .exponent = dimension * exponent};
    tact_vec3 c = vec_make(sum->first.x / sum->measure, sum->first.y / sum->measure, sum->first.z / sum->measure);
    m.centre = vec_add(origin, vec_ldexp(c, exponent));
    m.covariance = divide(&sum->second, sum->measure);
    sym3_add_square(&m.covariance, -1.0, c);
    m.covariance = sym3_ldexp(m.covariance, 2 * exponent);
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
    sym3_add(&m.covariance, fa, &a->covariance);
    sym3_add(&m.covariance, fb, &b->covariance);
    sym3_add_square(&m.covariance, fa * fb, d);
    m.error = fabs(fa) * a->error + fabs(fb) * b->error;
    normalise(&m);
    return m;
}

/* ---- affine maps
 * ------------------------------------------------------------------------------------------------------- */

moments tact_moments_transform(const moments *m, const tact_transform *at)
{
    /* the determinant in double-double, axes scaled to 1: right to rounding, however flat the map */
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
    r.covariance = sym3_transform(&m->covariance, at);
    normalise(&r);
    return r;
}

int tact_moments_normalise(const tact_transform *at, double radius, double margin, tact_transform *scaled)
{
    double size = radius * transform_axis_sum(at) + margin;
    int exponent = 0;
    if (size > 0.0 && size <= DBL_MAX)
        (void)frexp(size, &exponent);
    *scaled = (tact_transform){vec_ldexp(at->x_axis, -exponent), vec_ldexp(at->y_axis, -exponent),
                               vec_ldexp(at->z_axis, -exponent), at->origin};
    return exponent;
}
