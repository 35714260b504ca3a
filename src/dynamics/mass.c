/*
 * Mass, centre of mass and inertia of a shape: the functions of tact/mass.h, from the moments of moments.h.
 *
 * Principal moments of a shape come from its covariance, not from its inertia tensor: the moment of a needle about its
 * own axis would be a difference of large numbers. The Jacobi method (math/sym3.h) starts from the world's axes, so
 * principal axes stay near them.
 */
#include <tact/mass.h>

#include <float.h>

#include "core/number.h"
#include "dynamics/dynamics_constants.h"
#include "dynamics/moments.h"
#include "math/fp_environment.h"

static tact_mass mass_failed(tact_status status) { return (tact_mass){.status = status}; }

static bool mass_usable(const tact_mass *m)
{
    return (m->status == TACT_OK || m->status == TACT_NOT_CONVERGED) && m->mass > 0.0 && m->mass <= DBL_MAX;
}

/* No NaN, no infinity. */
static bool inertia_finite(const tact_inertia *a)
{
    return vec_finite(vec_make(a->xx, a->yy, a->zz)) && vec_finite(vec_make(a->xy, a->xz, a->yz));
}

/* ---- axes ------------------------------------------------------------------------------------------------------- */

/* The unit quaternion of the rotation with these columns, from the largest of its four numbers: nothing cancels. */
static tact_quat quat_of(const tact_vec3 c[3])
{
    double xx = c[0].x, yy = c[1].y, zz = c[2].z;
    double four[4] = {1.0 + xx - yy - zz, 1.0 - xx + yy - zz, 1.0 - xx - yy + zz, 1.0 + xx + yy + zz};
    tact_quat q;
    if (four[3] >= 1.0)
        q = (tact_quat){c[1].z - c[2].y, c[2].x - c[0].z, c[0].y - c[1].x, four[3]};
    else if (four[0] >= four[1] && four[0] >= four[2])
        q = (tact_quat){four[0], c[0].y + c[1].x, c[2].x + c[0].z, c[1].z - c[2].y};
    else if (four[1] >= four[2])
        q = (tact_quat){c[0].y + c[1].x, four[1], c[1].z + c[2].y, c[2].x - c[0].z};
    else
        q = (tact_quat){c[2].x + c[0].z, c[1].z + c[2].y, four[2], c[0].y - c[1].x};
    double length = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return (tact_quat){q.x / length, q.y / length, q.z / length, q.w / length};
}

/* Sets products of inertia that are rounding to 0. */
static sym3 drop_small_products(sym3 s)
{
    const double x = sqrt(fabs(s.xx)), y = sqrt(fabs(s.yy)), z = sqrt(fabs(s.zz));
    if (fabs(s.xy) <= MIN_PRODUCT * x * y)
        s.xy = 0.0;
    if (fabs(s.xz) <= MIN_PRODUCT * x * z)
        s.xz = 0.0;
    if (fabs(s.yz) <= MIN_PRODUCT * y * z)
        s.yz = 0.0;
    return s;
}

/* Principal moments and axes from the inertia tensor; false: no distribution of mass has it. */
static bool find_principal(tact_mass *m)
{
    const tact_inertia *t = &m->inertia;
    const sym3 s = drop_small_products((sym3){t->xx, t->yy, t->zz, t->xy, t->xz, t->yz});
    double values[3];
    tact_vec3 axes[3];
    tact_sym3_eigen(&s, values, axes);
    double all = values[0] + values[1] + values[2], slack = NEGATIVE_MOMENT * all;
    for (int i = 0; i < 3; i++) /* triangle inequality: each is at most the sum of the two others */
        if (!(values[i] <= all - values[i] + slack) || !(all <= DBL_MAX))
            return false;
    m->principal_moments = vec_make(number_max(values[0], 0.0), number_max(values[1], 0.0), number_max(values[2], 0.0));
    m->principal_axes = quat_of(axes);
    return true;
}

/* ---- mass of a shape
 * ------------------------------------------------------------------------------------------------- */

static tact_mass mass_of(const moments *g, double mass)
{
    const sym3 *s = &g->covariance;
    tact_mass m = {.status = TACT_OK, .mass = mass, .dimension = g->dimension, .centre = g->centre, .error = g->error};
    double value[3], largest;
    tact_vec3 axes[3];
    m.measure = ldexp(g->measure, g->exponent);
    m.inertia = (tact_inertia){mass * (s->yy + s->zz), mass * (s->xx + s->zz), mass * (s->xx + s->yy),
                               -mass * s->xy,          -mass * s->xz,          -mass * s->yz};
    const sym3 clean = drop_small_products(g->covariance);
    tact_sym3_eigen(&clean, value, axes);
    largest = number_max(value[0], number_max(value[1], value[2]));
    for (int i = 0; i < 3; i++) {
        if (value[i] < -NEGATIVE_MOMENT * largest)
            return mass_failed(TACT_BAD_ARGUMENT);
        value[i] = number_max(value[i], 0.0);
    }
    m.principal_moments =
        vec_make(mass * (value[1] + value[2]), mass * (value[0] + value[2]), mass * (value[0] + value[1]));
    m.principal_axes = quat_of(axes);
    bool in_range = mass >= DBL_MIN && mass <= DBL_MAX && m.measure >= DBL_MIN && m.measure <= DBL_MAX &&
                    vec_finite(m.centre) && largest <= DBL_MAX && inertia_finite(&m.inertia) &&
                    vec_finite(m.principal_moments);
    bool precise = g->dimension == 0 || (largest >= MIN_SECOND_MOMENT && vec_max_abs(m.principal_moments) >= DBL_MIN);
    return in_range && precise ? m : mass_failed(TACT_BAD_ARGUMENT);
}

static TACT_NOINLINE tact_mass compute_mass(const tact_shape *shape, const tact_transform *at, double amount,
                                            bool total)
{
    moments g = moments_none();
    if (shape == NULL || !(amount > 0.0) || !(amount <= DBL_MAX) || tact_transform_check(at, NULL) != TACT_OK)
        return mass_failed(TACT_BAD_ARGUMENT);
    tact_status status = tact_moments_shape(shape, at, &g);
    if (status != TACT_OK && status != TACT_NOT_CONVERGED)
        return mass_failed(status);
    if (g.dimension < 0 || !(g.measure > 0.0))
        return mass_failed(TACT_BAD_ARGUMENT);
    tact_mass m = mass_of(&g, total ? amount : ldexp(g.measure * amount, g.exponent));
    if (m.status == TACT_OK)
        m.status = status;
    return m;
}

/* In the default floating-point environment. */
static tact_mass compute_mass_in_default_environment(const tact_shape *shape, const tact_transform *at, double amount,
                                                     bool total)
{
    fp_environment before = fp_environment_enter();
    tact_mass m = compute_mass(shape, at, amount, total);
    fp_environment_leave(before);
    return m;
}

tact_mass tact_mass_from_density(const tact_shape *shape, tact_transform at, double density)
{
    return compute_mass_in_default_environment(shape, &at, density, false);
}

tact_mass tact_mass_from_total(const tact_shape *shape, tact_transform at, double total)
{
    return compute_mass_in_default_environment(shape, &at, total, true);
}

/* ---- masses combined
 * -------------------------------------------------------------------------------------------------- */

/* a += f (|d|^2 - d d^t) */
static void inertia_shift(tact_inertia *a, double f, tact_vec3 d)
{
    a->xx += f * (d.y * d.y + d.z * d.z);
    a->yy += f * (d.x * d.x + d.z * d.z);
    a->zz += f * (d.x * d.x + d.y * d.y);
    a->xy -= f * d.x * d.y;
    a->xz -= f * d.x * d.z;
    a->yz -= f * d.y * d.z;
}

static void inertia_add(tact_inertia *a, double f, const tact_inertia *b)
{
    a->xx += f * b->xx;
    a->yy += f * b->yy;
    a->zz += f * b->zz;
    a->xy += f * b->xy;
    a->xz += f * b->xz;
    a->yz += f * b->yz;
}

static tact_mass combine(const tact_mass *a, const tact_mass *b, double sign)
{
    if (!mass_usable(a) || !mass_usable(b)) {
        const tact_mass *bad = mass_usable(a) ? b : a;
        return mass_failed(bad->status == TACT_OK ? TACT_BAD_ARGUMENT : bad->status);
    }
    tact_mass m = {.mass = a->mass + sign * b->mass};
    const tact_mass *higher = a->dimension >= b->dimension ? a : b;
    m.status = a->status != TACT_OK ? a->status : b->status;
    m.dimension = higher->dimension;
    m.measure = a->dimension == b->dimension ? a->measure + sign * b->measure : higher->measure;
    if (!(m.mass > 0.0) || !(m.mass <= DBL_MAX) || !(m.measure > 0.0) || !(m.measure <= DBL_MAX))
        return mass_failed(TACT_BAD_ARGUMENT);
    double fa = a->mass / m.mass, fb = sign * b->mass / m.mass;
    tact_vec3 d = vec_sub(b->centre, a->centre);
    m.centre = fabs(fb) <= fabs(fa) ? vec_mul_add(a->centre, fb, d) : vec_mul_add(b->centre, -fa, d);
    m.inertia = a->inertia;
    inertia_add(&m.inertia, sign, &b->inertia);
    inertia_shift(&m.inertia, fa * sign * b->mass, d);
    m.error = fabs(fa) * a->error + fabs(fb) * b->error;
    if (!vec_finite(m.centre) || !inertia_finite(&m.inertia) || !find_principal(&m))
        return mass_failed(TACT_BAD_ARGUMENT);
    return m;
}

tact_mass tact_mass_add(tact_mass a, tact_mass b) { return combine(&a, &b, 1.0); }

tact_mass tact_mass_remove(tact_mass a, tact_mass b) { return combine(&a, &b, -1.0); }

/* Whether a transform preserves lengths. */
static bool is_rigid(const tact_transform *to)
{
    const tact_vec3 a = to->x_axis, b = to->y_axis, c = to->z_axis;
    return vec_finite(to->origin) && fabs(vec_length_squared(a) - 1.0) <= MAX_STRETCH &&
           fabs(vec_length_squared(b) - 1.0) <= MAX_STRETCH && fabs(vec_length_squared(c) - 1.0) <= MAX_STRETCH &&
           fabs(vec_dot(a, b)) <= MAX_STRETCH && fabs(vec_dot(a, c)) <= MAX_STRETCH &&
           fabs(vec_dot(b, c)) <= MAX_STRETCH;
}

tact_mass tact_mass_transform(tact_mass mass, tact_transform to)
{
    if (!mass_usable(&mass))
        return mass_failed(mass.status == TACT_OK ? TACT_BAD_ARGUMENT : mass.status);
    if (!is_rigid(&to))
        return mass_failed(TACT_BAD_ARGUMENT);
    const tact_inertia *i = &mass.inertia;
    const sym3 before = {i->xx, i->yy, i->zz, i->xy, i->xz, i->yz}, turned = sym3_transform(&before, &to);
    mass.inertia = (tact_inertia){turned.xx, turned.yy, turned.zz, turned.xy, turned.xz, turned.yz};
    mass.centre = vec_add(vec_transform(&to, mass.centre), to.origin);
    tact_transform own = tact_transform_make(vec_make(0.0, 0.0, 0.0), mass.principal_axes, vec_make(1.0, 1.0, 1.0));
    tact_vec3 axes[3] = {vec_transform(&to, own.x_axis), vec_transform(&to, own.y_axis),
                         vec_transform(&to, own.z_axis)};
    if (vec_dot(axes[0], vec_cross(axes[1], axes[2])) < 0.0) /* mirrored: reverse one axis, which has no direction */
        axes[0] = vec_negate(axes[0]);
    mass.principal_axes = quat_of(axes);
    if (!vec_finite(mass.centre) || !inertia_finite(&mass.inertia))
        return mass_failed(TACT_BAD_ARGUMENT);
    return mass;
}

tact_inertia tact_mass_inertia_about(tact_mass mass, tact_vec3 point)
{
    const tact_inertia none = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    tact_inertia i = mass.inertia;
    if (!mass_usable(&mass))
        return none;
    inertia_shift(&i, mass.mass, vec_sub(point, mass.centre));
    return inertia_finite(&i) ? i : none;
}
