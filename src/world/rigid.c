/* What a body weighs, and how it turns when nothing twists it. */
#include "world/rigid.h"

#include <float.h>
#include <math.h>

#include "core/memory.h"
#include "world/advance.h"

/* Relative: a momentum that is along the spin up to this needs no pieces. */
#define STEADY 1e-13

/* Of the size: a centre of mass this near to the origin is there, but for rounding. */
#define CENTRED 1e-14

/* Of the largest entry: a moment of inertia may be less than 0 by this, by rounding; as in shape/mass.c. */
#define NEGATIVE 1e-9

/* Of the trace, to the power of the number of moments: a product of moments below is 0, but for rounding. */
#define SINGULAR 1e-14

/* Steps to the spin in the middle of a piece: each takes two digits off the error, and more. */
#define MIDDLE_STEPS 8

/* ---- matrices ---- */

static symmetric symmetric_scale(symmetric s, double f)
{
    return (symmetric){f * s.xx, f * s.yy, f * s.zz, f * s.xy, f * s.xz, f * s.yz};
}

/* S^-1; or where a moment is 0, as that of a rod about itself, the inverse for what is left (Moore and Penrose's): nothing turns it about such an
 * axis. With C the matrix of cofactors, whose trace m is the product of the two moments that are left: C / m projects onto the axis u of the
 * third, and S^2 - tr S + m (1 - u u^T) = 0. */
static symmetric symmetric_inverse(symmetric s)
{
    const symmetric c = {s.yy * s.zz - s.yz * s.yz, s.xx * s.zz - s.xz * s.xz, s.xx * s.yy - s.xy * s.xy,
                         s.xz * s.yz - s.xy * s.zz, s.xy * s.yz - s.xz * s.yy, s.xy * s.xz - s.yz * s.xx};
    const double det = s.xx * c.xx + s.xy * c.xy + s.xz * c.xz;
    const double all = s.xx + s.yy + s.zz, two = c.xx + c.yy + c.zz;
    if (det > SINGULAR * all * all * all)
        return symmetric_scale(c, 1.0 / det);
    if (!(two > SINGULAR * all * all))
        return all > 0.0 ? symmetric_scale(s, 1.0 / (all * all)) : (symmetric){0};
    const double f = all / two;
    return symmetric_scale((symmetric){all - f * c.xx - s.xx, all - f * c.yy - s.yy, all - f * c.zz - s.zz,
                                       -f * c.xy - s.xy, -f * c.xz - s.xz, -f * c.yz - s.yz},
                           1.0 / two);
}

/* M S M^T, M the linear part of a placement. */
static symmetric symmetric_place(const symmetric *s, const tact_placement *m)
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
    const tact_placement back = tact_at(-centre.x, -centre.y, -centre.z);
    if (centre.x == 0.0 && centre.y == 0.0 && centre.z == 0.0)
        return tact_shape_retain(shape);
    const tact_shape_type type = tact_shape_get_type(shape);
    if (type == TACT_MESH || type == TACT_SOUP || type == TACT_COMPOUND) {
        return tact_compound_create(&shape, &back, 1, allocator, NULL);
    }
    tact_shape_def def = tact_shape_def_default();
    def.type = TACT_PLACED;
    def.parts[0] = shape;
    def.place = back;
    def.allocator = *allocator;
    return tact_shape_create(&def, NULL);
}

/* Can it be an inertia: is no moment, about whatever axis, less than 0? All three steps of its elimination (as Cholesky's) stay above 0 if a
 * little is added to the diagonal. */
static bool is_inertia(symmetric s)
{
    const tact_vec3 on = vec_make(s.xx, s.yy, s.zz), off = vec_make(s.xy, s.xz, s.yz);
    if (!vec_finite(on) || !vec_finite(off) || !(s.xx >= 0.0) || !(s.yy >= 0.0) || !(s.zz >= 0.0))
        return false;
    const double size = larger(vec_largest(on), vec_largest(off));
    if (size == 0.0)
        return true;
    const double xx = s.xx / size + NEGATIVE, xy = s.xy / size, xz = s.xz / size;
    const double yy = s.yy / size + NEGATIVE - xy * xy / xx, yz = s.yz / size - xy * xz / xx;
    return yy > 0.0 && s.zz / size + NEGATIVE - xz * xz / xx - yz * yz / yy > 0.0;
}

rigid *tact_rigid_create(const tact_shape *shape, const tact_placement *place, const tact_mass *mass,
                         const tact_allocator *allocator, tact_status *status)
{
    tact_placement back;
    *status = TACT_BAD_ARGUMENT;
    if (mass->status != TACT_OK && mass->status != TACT_NOT_CONVERGED)
        return NULL;
    const tact_inertia *i = &mass->inertia;
    if (!(mass->mass > 0.0) || !(mass->mass < INFINITY) || !vec_finite(mass->centre) ||
        !is_inertia((symmetric){i->xx, i->yy, i->zz, i->xy, i->xz, i->yz}) ||
        tact_placement_invert(*place, &back) != TACT_OK)
        return NULL;
    rigid *r = tact_memory_take(allocator, 1, sizeof *r);
    *status = TACT_OUT_OF_MEMORY;
    if (r == NULL)
        return NULL;
    symmetric spread = symmetric_scale(spread_of(i), 1.0 / mass->mass);
    *r = (rigid){.mass = mass->mass,
                 .centre = tact_placement_point(back, mass->centre),
                 .spread = symmetric_place(&spread, &back),
                 .turns = i->xx > 0.0 || i->yy > 0.0 || i->zz > 0.0,
                 .bounced = -INFINITY};
    const double size = sqrt(r->spread.xx + r->spread.yy + r->spread.zz);
    if (vec_size(r->centre) <= CENTRED * size)
        r->centre = vec_make(0.0, 0.0, 0.0);
    r->centred = make_centred(shape, r->centre, allocator);
    if (r->centred == NULL) {
        tact_memory_give(allocator, r, 1, sizeof *r);
        return NULL;
    }
    *status = TACT_OK;
    return r;
}

rigid *tact_rigid_restore(const rigid *values, const tact_shape *shape, const tact_placement *place,
                          const tact_allocator *allocator, tact_status *status)
{
    *status = TACT_BAD_ARGUMENT;
    if (!(values->mass > 0.0) || !(values->mass < INFINITY) || !vec_finite(values->centre) ||
        !is_inertia(tact_rigid_inertia(values, place)) || !(values->bounced < INFINITY))
        return NULL;
    *status = TACT_OUT_OF_MEMORY;
    rigid *r = tact_memory_take(allocator, 1, sizeof *r);
    if (r == NULL)
        return NULL;
    *r = *values;
    r->centred = make_centred(shape, r->centre, allocator);
    if (r->centred == NULL) {
        tact_memory_give(allocator, r, 1, sizeof *r);
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
    tact_memory_give(allocator, r, 1, sizeof *r);
}

/* ---- turning ---- */

symmetric tact_rigid_inertia(const rigid *r, const tact_placement *place)
{
    return symmetric_scale(inertia_of(symmetric_place(&r->spread, place)), r->mass);
}

symmetric tact_rigid_inverse(const rigid *r, const tact_placement *place)
{
    return r->turns ? symmetric_inverse(tact_rigid_inertia(r, place)) : (symmetric){0};
}

static tact_placement turned(const tact_placement *place, tact_vec3 spin, double time)
{
    const tact_motion m = {.spin = spin};
    return tact_motion_at(m, *place, time);
}

tact_vec3 tact_rigid_spin(const rigid *r, const tact_placement *place, tact_vec3 momentum, double *duration)
{
    const symmetric inverse = tact_rigid_inverse(r, place);
    tact_vec3 spin = symmetric_map(&inverse, momentum);
    const double rate = vec_size(spin);
    *duration = INFINITY;
    if (!(rate > 0.0) || vec_size(vec_cross(spin, momentum)) <= STEADY * rate * vec_size(momentum))
        return spin;
    *duration = TACT_TURN / rate;
    /* the spin of the place in the middle of the piece (Simo and Wong's rule): the energy swings about what it should be, and
     * does not drift */
    for (int i = 0; i < MIDDLE_STEPS; ++i) {
        const tact_placement middle = turned(place, spin, 0.5 * *duration);
        const symmetric then = tact_rigid_inverse(r, &middle);
        spin = symmetric_map(&then, momentum);
    }
    return spin;
}

/* ---- bodies ---- */

tact_status tact_body_set_mass_as(tact_world *world, tact_body body, const tact_mass *mass)
{
    const body_line *line = body_find(world, body);
    if (line == NULL)
        return TACT_BAD_ARGUMENT;
    body_rest *rest = &world->rests.items[body.index];
    rigid *made = NULL;
    if (mass != NULL) {
        if (rest->deform != NULL)
            return TACT_BAD_ARGUMENT;
        const tact_placement place = tact_advance_place(world, body.index);
        tact_status status;
        made = tact_rigid_create(line->shape, &place, mass, &world->allocator, &status);
        if (made == NULL)
            return status;
    }
    tact_advance_settle(world, body.index);
    tact_rigid_free(rest->rigid, &world->allocator);
    rest->rigid = made;
    tact_advance_note(world, body.index);
    WORLD_TELL(world, .type = CALL_MASS, .body = body, .mass = mass);
    return TACT_OK;
}

tact_status tact_body_set_mass(tact_world *world, tact_body body, double mass)
{
    const body_line *line = body_find(world, body);
    if (line == NULL || !(mass >= 0.0))
        return TACT_BAD_ARGUMENT;
    if (mass == 0.0)
        return tact_body_set_mass_as(world, body, NULL);
    const tact_mass whole = tact_mass_from_total(line->shape, tact_advance_place(world, body.index), mass);
    if (whole.status != TACT_OK && whole.status != TACT_NOT_CONVERGED)
        return whole.status;
    return tact_body_set_mass_as(world, body, &whole);
}

double tact_body_get_mass(const tact_world *world, tact_body body)
{
    return body_find(world, body) != NULL && world->rests.items[body.index].rigid != NULL
               ? world->rests.items[body.index].rigid->mass
               : 0.0;
}
