/* What a body weighs, and how it turns when nothing twists it. */
#include "dynamics/rigid.h"

#include <float.h>
#include <math.h>

#include "core/memory.h"
#include "dynamics/free_rotation.h"

/* Relative: a momentum that is along the spin up to this needs no pieces. */
#define STEADY 1e-13

/* Of the size: a centre of mass this near to the origin is there, but for rounding. */
#define CENTRED 1e-14

/* Of the largest entry: a moment of second order may be less than 0 by this, by rounding; as in dynamics/mass.c. */
#define NEGATIVE 1e-9

/* Of the cube of the trace: of a product of moments below, the inverse by cofactors loses too many digits. */
#define UNEVEN 1e-4

/* ---- matrices ---- */

static symmetric symmetric_scale(symmetric s, double f)
{
    return (symmetric){f * s.xx, f * s.yy, f * s.zz, f * s.xy, f * s.xz, f * s.yz};
}

/* S^-1 from its cofactors; false where their differences would lose digits. */
static bool symmetric_inverse(symmetric s, symmetric *inverse)
{
    const symmetric c = {s.yy * s.zz - s.yz * s.yz, s.xx * s.zz - s.xz * s.xz, s.xx * s.yy - s.xy * s.xy,
                         s.xz * s.yz - s.xy * s.zz, s.xy * s.yz - s.xz * s.yy, s.xy * s.xz - s.yz * s.xx};
    const double det = s.xx * c.xx + s.xy * c.xy + s.xz * c.xz, all = s.xx + s.yy + s.zz;
    if (!(det > UNEVEN * all * all * all))
        return false;
    *inverse = symmetric_scale(c, 1.0 / det);
    return true;
}

/* M S M^T, M the linear part of a placement. */
static symmetric symmetric_place(const symmetric *s, const tact_transform *m)
{
    tact_vec3 rows[3] = {vec_make(m->x_axis.x, m->y_axis.x, m->z_axis.x),
                         vec_make(m->x_axis.y, m->y_axis.y, m->z_axis.y),
                         vec_make(m->x_axis.z, m->y_axis.z, m->z_axis.z)};
    const tact_vec3 a = symmetric_map(s, rows[0]), b = symmetric_map(s, rows[1]), c = symmetric_map(s, rows[2]);
    return (symmetric){vec_dot(rows[0], a), vec_dot(rows[1], b), vec_dot(rows[2], c),
                       vec_dot(rows[0], b), vec_dot(rows[0], c), vec_dot(rows[1], c)};
}

/* Inertia from the mean of x x^T, for a mass of 1; and back: both are trace - matrix, half of it back. */
static symmetric inertia_of(symmetric s)
{
    return (symmetric){s.yy + s.zz, s.xx + s.zz, s.xx + s.yy, -s.xy, -s.xz, -s.yz};
}

static symmetric spread_of(const tact_inertia *i)
{
    const double half = 0.5 * (i->xx + i->yy + i->zz);
    return (symmetric){half - i->xx, half - i->yy, half - i->zz, -i->xy, -i->xz, -i->yz};
}

/* ---- making ---- */

static tact_shape *make_centred(const tact_shape *shape, tact_vec3 centre, const tact_allocator *allocator)
{
    const tact_transform back = tact_at(-centre.x, -centre.y, -centre.z);
    if (centre.x == 0.0 && centre.y == 0.0 && centre.z == 0.0)
        return tact_shape_retain(shape);
    const tact_shape_type type = tact_shape_get_type(shape);
    if (type == TACT_MESH || type == TACT_SOUP || type == TACT_COMPOUND) {
        return tact_compound_create(&shape, &back, 1, allocator, NULL);
    }
    tact_shape_def def = tact_shape_def_default();
    def.type = TACT_TRANSFORMED;
    def.parts[0] = shape;
    def.transform = back;
    def.allocator = *allocator;
    return tact_shape_create(&def, NULL);
}

/* Can these be the second moments of a mass: are they not negative along any axis? That is, no moment of inertia is
 * more than the sum of the two others; and it stays so however the body is placed. All three steps of its elimination
 * (as Cholesky's) stay above 0 if a little is added to the diagonal. */
static bool is_spread(symmetric s)
{
    const tact_vec3 on = vec_make(s.xx, s.yy, s.zz), off = vec_make(s.xy, s.xz, s.yz);
    if (!vec_finite(on) || !vec_finite(off))
        return false;
    const double size = max_double(vec_max_abs(on), vec_max_abs(off));
    if (size == 0.0)
        return true;
    const double xx = s.xx / size + NEGATIVE, xy = s.xy / size, xz = s.xz / size;
    if (!(xx > 0.0))
        return false;
    const double yy = s.yy / size + NEGATIVE - xy * xy / xx, yz = s.yz / size - xy * xz / xx;
    return yy > 0.0 && s.zz / size + NEGATIVE - xz * xz / xx - yz * yz / yy > 0.0;
}

rigid *tact_rigid_create(const tact_shape *shape, const tact_transform *place, const tact_mass *mass,
                         const tact_allocator *allocator, tact_status *status)
{
    tact_transform back;
    *status = TACT_BAD_ARGUMENT;
    if (mass->status != TACT_OK && mass->status != TACT_NOT_CONVERGED)
        return NULL;
    const tact_inertia *i = &mass->inertia;
    if (!(mass->mass > 0.0) || !(mass->mass < INFINITY) || !vec_finite(mass->centre) || !is_spread(spread_of(i)) ||
        tact_transform_invert(*place, &back) != TACT_OK)
        return NULL;
    const symmetric there = symmetric_scale(spread_of(i), 1.0 / mass->mass);
    symmetric spread = symmetric_place(&there, &back);
    if (!is_spread(spread)) { /* what is rounding in the world is more than that for a body that is placed there by a
                                 small scale */
        double s[6] = {spread.xx, spread.yy, spread.zz, spread.xy, spread.xz, spread.yz};
        tact_spread_clean(s);
        spread = (symmetric){s[0], s[1], s[2], s[3], s[4], s[5]};
        if (!is_spread(spread)) /* beyond all numbers */
            return NULL;
    }
    rigid *r = tact_memory_allocate(allocator, 1, sizeof *r);
    *status = TACT_OUT_OF_MEMORY;
    if (r == NULL)
        return NULL;
    *r = (rigid){.mass = mass->mass,
                 .centre = tact_transform_point(back, mass->centre),
                 .spread = spread,
                 .turns = i->xx > 0.0 || i->yy > 0.0 || i->zz > 0.0,
                 .bounced = -INFINITY};
    const double size = sqrt(r->spread.xx + r->spread.yy + r->spread.zz);
    if (vec_length_safe(r->centre) <= CENTRED * size)
        r->centre = vec_make(0.0, 0.0, 0.0);
    r->centred = make_centred(shape, r->centre, allocator);
    if (r->centred == NULL) {
        tact_memory_free(allocator, r, 1, sizeof *r);
        return NULL;
    }
    *status = TACT_OK;
    return r;
}

rigid *tact_rigid_restore(const rigid *values, const tact_shape *shape, const tact_allocator *allocator,
                          tact_status *status)
{
    *status = TACT_BAD_ARGUMENT;
    if (!(values->mass > 0.0) || !(values->mass < INFINITY) || !vec_finite(values->centre) ||
        !is_spread(values->spread) || !(values->bounced < INFINITY))
        return NULL;
    *status = TACT_OUT_OF_MEMORY;
    rigid *r = tact_memory_allocate(allocator, 1, sizeof *r);
    if (r == NULL)
        return NULL;
    *r = *values;
    r->centred = make_centred(shape, r->centre, allocator);
    if (r->centred == NULL) {
        tact_memory_free(allocator, r, 1, sizeof *r);
        return NULL;
    }
    *status = TACT_OK;
    return r;
}

void tact_rigid_free(rigid *r, const tact_allocator *allocator)
{
    if (r == NULL)
        return;
    tact_shape_release(r->centred);
    tact_memory_free(allocator, r, 1, sizeof *r);
}

/* ---- turning ---- */

symmetric tact_rigid_inertia(const rigid *r, const tact_transform *place)
{
    return symmetric_scale(inertia_of(symmetric_place(&r->spread, place)), r->mass);
}

static principal principal_of(const rigid *r, const tact_transform *place)
{
    const symmetric s = symmetric_scale(symmetric_place(&r->spread, place), r->mass);
    return tact_principal_of((const double[6]){s.xx, s.yy, s.zz, s.xy, s.xz, s.yz});
}

/* The sum of e e^T / moment over the axes; without that of a rod: nothing turns it about itself. */
static symmetric inverse_of(const principal *p)
{
    symmetric s = {0};
    for (int i = p->rod ? 1 : 0; i < 3 && p->moments[i] > 0.0; ++i) {
        const tact_vec3 e = p->axes[i], f = vec_scale(e, 1.0 / p->moments[i]);
        s = (symmetric){s.xx + f.x * e.x, s.yy + f.y * e.y, s.zz + f.z * e.z,
                        s.xy + f.x * e.y, s.xz + f.x * e.z, s.yz + f.y * e.z};
    }
    return s;
}

symmetric tact_rigid_inverse(const rigid *r, const tact_transform *place)
{
    symmetric inverse = {0};
    if (!r->turns || symmetric_inverse(tact_rigid_inertia(r, place), &inverse))
        return inverse;
    const principal p = principal_of(r, place);
    return inverse_of(&p);
}

tact_vec3 tact_rigid_spin(const rigid *r, const tact_transform *place, tact_vec3 momentum, tact_vec3 last, double most,
                          double *duration)
{
    symmetric inverse;
    if (symmetric_inverse(tact_rigid_inertia(r, place), &inverse)) {
        const tact_vec3 spin = symmetric_map(&inverse, momentum);
        *duration = INFINITY;
        if (vec_length_safe(vec_cross(spin, momentum)) <= STEADY * vec_length_safe(spin) * vec_length_safe(momentum))
            return spin;
    }
    const principal p = principal_of(r, place);
    return tact_turning_piece(&p, momentum, vec_dot(last, p.axes[0]), most, duration);
}

tact_vec3 tact_rigid_spin_now(const rigid *r, const tact_transform *place, tact_vec3 momentum,
                              const tact_transform *begin, tact_vec3 piece, double since)
{
    symmetric inverse;
    if (symmetric_inverse(tact_rigid_inertia(r, place), &inverse))
        return symmetric_map(&inverse, momentum);
    const principal now = principal_of(r, place);
    const tact_vec3 spin = tact_principal_spin(&now, momentum);
    if (!now.thin)
        return spin;
    const principal then = principal_of(r, begin);
    const tact_transform carried = {.x_axis = then.axes[0]};
    const tact_vec3 axis = tact_motion_at((tact_motion){.spin = piece}, carried, since).x_axis;
    const double own = then.rod ? vec_dot(piece, axis) : tact_turning_own(&then, momentum, since);
    return vec_mul_add(spin, own - vec_dot(spin, axis), axis);
}
